"""Which backends there are, and which one answers a call."""

from .dispatcher import dispatch
from .dispatcher import get_registry_info
from .dispatcher import has_backend_impl
from .dispatcher import register_impl
from .selector import get_available_backends
from .selector import get_current_backend
from .selector import is_backend_available
from .selector import set_backend

__all__ = [
    "dispatch",
    "get_available_backends",
    "get_current_backend",
    "get_registry_info",
    "has_backend_impl",
    "is_backend_available",
    "register_impl",
    "set_backend",
]
