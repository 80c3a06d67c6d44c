"""cutile-rs ops: each wrapper registers itself when it is imported."""

from tilegym.backend import is_backend_available

if is_backend_available("cutile-rs"):
    from . import demo  # noqa: F401
