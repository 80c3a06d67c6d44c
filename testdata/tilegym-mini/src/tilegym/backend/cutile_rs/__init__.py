"""What the wrappers in ops/cutile_rs share: loading, packing, tuning."""

from .autotuner import TunedResult
from .autotuner import autotune_launch

__all__ = ["TunedResult", "autotune_launch"]
