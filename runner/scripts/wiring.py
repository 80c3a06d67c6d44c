"""Checks that an op reaches the library: its package imports, its backend is
registered, its symbol resolves. Prints one line for each and exits 1 at the
first that fails. Arguments: backend, wrapper module, library, symbol."""

import ctypes
import importlib
import sys

backend, module, library, symbol = sys.argv[1:]


def step(name, check):
    try:
        found = check()
    except BaseException as e:
        print(f"wiring: {name}: FAILED: {type(e).__name__}: {e}", flush=True)
        raise SystemExit(1)
    print(f"wiring: {name}: {found}", flush=True)


def available():
    from tilegym.backend import get_available_backends

    backends = sorted(get_available_backends())
    if backend not in backends:
        raise RuntimeError(f"backend {backend} is not available, available are {backends}")
    return f"backend {backend} is available"


def imports():
    importlib.import_module("tilegym.ops")
    return importlib.import_module(module).__name__


def registered():
    from tilegym.backend import get_registry_info

    ops = sorted(
        op
        for op, implementations in get_registry_info().items()
        if implementations.get(backend, "").rpartition(".")[0] == module
    )
    if not ops:
        raise RuntimeError(f"{module} registers no op for backend {backend}")
    return f"{module} registers {', '.join(ops)}"


def resolves():
    getattr(ctypes.CDLL(library), symbol)
    return f"{symbol} resolves"


step("import tilegym", lambda: importlib.import_module("tilegym").__name__)
step("backend", available)
step("import op", imports)
step("registration", registered)
step("symbol", resolves)
