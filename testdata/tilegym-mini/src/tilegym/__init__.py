"""A small library of tile kernels with two backends, laid out like TileGym."""

from . import backend
from . import ops
from .backend import get_available_backends
from .backend import get_current_backend
from .backend import is_backend_available
from .backend import set_backend

__all__ = [
    "backend",
    "get_available_backends",
    "get_current_backend",
    "is_backend_available",
    "ops",
    "set_backend",
]
