"""What every test shares: comparing with a reference, and timing.

Environment: WARMUP and REP are milliseconds of unmeasured and measured calls,
MIN_REP is the least number of measured calls, SEED seeds the inputs.
"""

import gc
import os
import statistics
import time

import pytest

from tilegym.cpu import runtime
from tilegym.cpu import torch

# How times are taken: as processor time of each launch.
TIMING = "wall"

WARMUP_MS = float(os.environ.get("WARMUP", "20"))
REP_MS = float(os.environ.get("REP", "120"))
MIN_REP = int(os.environ.get("MIN_REP", "20"))
SEED = int(os.environ.get("SEED", "0"))

_TOLERANCES = {
    torch.float32: (1e-5, 1e-5),
    torch.float16: (1e-2, 1e-2),
    torch.bfloat16: (1e-2, 2e-2),
}


class PyTestCase:
    @pytest.fixture(autouse=True)
    def setup_test(self, request):
        self.request = request

    def setUp(self):
        gc.collect()
        torch.manual_seed(SEED)

    def assertCorrectness(self, test_fn, ref_fn, kwargs, rtol=None, atol=None):
        """Calls both with the same arguments and compares every element."""
        found = test_fn(**kwargs)
        expected = ref_fn(**kwargs)
        default_rtol, default_atol = _TOLERANCES[found.dtype]
        rtol = default_rtol if rtol is None else rtol
        atol = default_atol if atol is None else atol
        values = found.tolist()
        assert len(values) == len(expected), f"expected {len(expected)} elements, found {len(values)}"
        wrong = [
            (i, f, e) for i, (f, e) in enumerate(zip(values, expected)) if not abs(f - e) <= atol + rtol * abs(e)
        ]
        assert not wrong, (
            f"{len(wrong)} of {len(expected)} elements differ by more than {atol} + {rtol} * |expected|; "
            f"the first: element {wrong[0][0]} is {wrong[0][1]}, expected {wrong[0][2]}"
        )


def benchmark(fn):
    """Times one call of `fn` as the sum of what it launches, in milliseconds."""
    start = time.perf_counter()
    calls = 0
    while calls < 3 or (time.perf_counter() - start) * 1000 < WARMUP_MS:
        fn()
        calls += 1
    torch.memory.reset_peak()
    times, launches = [], []
    start = time.perf_counter()
    while len(times) < MIN_REP or (time.perf_counter() - start) * 1000 < REP_MS:
        with runtime.profile() as launches:
            fn()
        times.append(sum(launch.microseconds for launch in launches) / 1000)
    by_name = {}
    for launch in launches:
        by_name.setdefault(launch.name, []).append(launch.microseconds)
    kernel_times = sorted(
        (
            {"name": name, "self_time_us": sum(us), "total_time_us": sum(us), "count": len(us)}
            for name, us in by_name.items()
        ),
        key=lambda k: -k["self_time_us"],
    )
    mean = statistics.fmean(times)
    std = statistics.stdev(times) if len(times) > 1 else float("nan")
    return {
        "forward": {
            "mean": mean,
            "std": std,
            "rel_std": std / mean * 100,
            "median": statistics.median_low(times),
            "min": min(times),
            "max": max(times),
            "nrep": len(times),
            "peak_mem_mb": torch.memory.peak >> 20,
            "kernel_name": kernel_times[0]["name"] if kernel_times else "",
            "kernel_times": kernel_times,
        }
    }


def benchmark_framework(framework_name, framework_fn):
    """The record of one backend, as a test writes it into its report."""
    return {framework_name: benchmark(framework_fn)}
