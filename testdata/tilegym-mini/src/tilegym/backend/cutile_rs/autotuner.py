"""Picks the fastest of several configurations, once for each key.

`kernel_fn(config)` is timed by the launch records, so what it launches beside
the kernel counts. It must allocate its output without filling or copying.
"""

import statistics
from dataclasses import dataclass
from typing import Any

from tilegym.cpu import runtime

_best = {}


@dataclass
class TunedResult:
    best_config: Any
    output: Any
    tuning_record: list
    cache_hit: bool


def _time(kernel_fn, config, repetitions=5):
    """Median microseconds of one configuration, None when it cannot launch."""
    times = []
    try:
        for _ in range(repetitions):
            with runtime.profile() as launches:
                kernel_fn(config)
            times.append(sum(launch.microseconds for launch in launches))
    except RuntimeError as e:
        if "failed (rc=" not in str(e):
            raise
        return None
    return statistics.median(times)


def autotune_launch(kernel_fn, configs, key, kernel_name):
    """Runs `kernel_fn` with the best of `configs` for this key."""
    full_key = (kernel_name, key)
    hit = full_key in _best
    record = []
    if not hit:
        if len(configs) == 1:
            _best[full_key] = configs[0]
        else:
            record = [(config, _time(kernel_fn, config)) for config in configs]
            usable = [(time, i) for i, (_, time) in enumerate(record) if time is not None]
            if not usable:
                raise RuntimeError(f"{kernel_name}: none of {len(configs)} configurations could be launched")
            _best[full_key] = configs[min(usable)[1]]
    best = _best[full_key]
    return TunedResult(best_config=best, output=kernel_fn(best), tuning_record=record, cache_hit=hit)
