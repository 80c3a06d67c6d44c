"""The ops. Importing this package registers every backend that is available."""

from tilegym.backend import is_backend_available

from .ops import row_sum
from .ops import scale_add

if is_backend_available("cutile"):
    from . import cutile  # noqa: F401

if is_backend_available("cutile-rs"):
    from . import cutile_rs  # noqa: F401

__all__ = ["row_sum", "scale_add"]
