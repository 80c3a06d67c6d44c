"""Maps an op's name and the current backend to a function.

With DISABLE_FALLBACK=1 a backend that lacks an op is an error; otherwise the
op's fallback backend answers, with a warning.
"""

import functools
import os
import warnings

from .selector import get_current_backend

_registry = {}


def register_impl(name, backend):
    """Registers the decorated function as `backend`'s implementation of `name`."""

    def decorator(function):
        _registry.setdefault(name, {})[backend] = function
        return function

    return decorator


def has_backend_impl(name, backend):
    return backend in _registry.get(name, {})


def get_registry_info():
    """{op: {backend: "module.function"}} of everything that is registered."""
    return {
        op: {backend: f"{f.__module__}.{f.__name__}" for backend, f in implementations.items()}
        for op, implementations in _registry.items()
    }


def dispatch(name, fallback_backend="cutile"):
    """Makes the decorated declaration call the current backend's implementation."""

    def decorator(declaration):
        @functools.wraps(declaration)
        def call(*args, **kwargs):
            backend = kwargs.pop("backend", None) or get_current_backend()
            implementations = _registry.get(name, {})
            if backend in implementations:
                return implementations[backend](*args, **kwargs)
            if os.environ.get("DISABLE_FALLBACK", "0") == "1":
                raise NotImplementedError(
                    f"Current backend '{backend}' has no implementation for '{name}', "
                    "and fallback is disabled (DISABLE_FALLBACK=1)."
                )
            if fallback_backend not in implementations:
                return declaration(*args, **kwargs)
            warnings.warn(f"'{backend}' has no implementation for '{name}': using '{fallback_backend}'", stacklevel=2)
            return implementations[fallback_backend](*args, **kwargs)

        return call

    return decorator
