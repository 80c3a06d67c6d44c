"""The backends of this process. CUTILE_TUTORIALS_BACKEND names the first one."""

import os


def is_cutile_available():
    """The reference backend runs wherever this package does."""
    return os.environ.get("TILEGYM_DISABLE_CUTILE") != "1"


def is_cutile_rs_available():
    """The kernels' library exists, or cargo can build it."""
    from .cutile_rs.utils import kernels_can_be_loaded

    return kernels_can_be_loaded()


def _probe():
    found = {"cutile": is_cutile_available(), "cutile-rs": is_cutile_rs_available()}
    return {name for name, available in found.items() if available}


_available = _probe()
_current = os.environ.get("CUTILE_TUTORIALS_BACKEND", "cutile")
if _current not in _available:
    raise ValueError(f"Unknown backend: {_current}, available backends: {_available}")


def get_available_backends():
    return set(_available)


def get_current_backend():
    return _current


def is_backend_available(backend):
    return backend in _available


def set_backend(backend):
    """Makes `backend` answer the calls that follow."""
    global _current
    if backend not in _available:
        raise ValueError(f"Unknown backend: {backend}, available backends: {_available}")
    _current = backend
