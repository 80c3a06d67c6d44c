"""The Rust backend. Importing a wrapper registers it."""

from tilegym.backend import is_backend_available

if is_backend_available("cutile-rs"):
    from . import row_sum  # noqa: F401
    from . import scale_add  # noqa: F401
