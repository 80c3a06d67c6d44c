"""Declarations of the ops; the current backend answers."""

from tilegym.backend import dispatch
from tilegym.backend import get_current_backend


@dispatch("scale_add", fallback_backend="cutile")
def scale_add(x, y, alpha=1.0):
    """alpha * x + y for two vectors of one length and dtype."""
    raise NotImplementedError(f"scale_add is not implemented for {get_current_backend()}")


@dispatch("row_sum", fallback_backend="cutile")
def row_sum(x):
    """The sum of each row of a matrix, in the matrix's dtype."""
    raise NotImplementedError(f"row_sum is not implemented for {get_current_backend()}")
