"""Launch records of this process: what ran, for how much of the processor."""

import contextlib
import ctypes
from dataclasses import dataclass


@dataclass(frozen=True)
class Launch:
    name: str
    microseconds: float


def library():
    """The shared library, with the signatures of its runtime functions."""
    from tilegym.backend.cutile_rs.utils import load_library

    so = load_library()
    so.cpu_fill.argtypes = [ctypes.c_void_p, ctypes.c_uint8, ctypes.c_size_t]
    so.cpu_fill.restype = None
    so.cpu_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    so.cpu_copy.restype = None
    so.cpu_profiler_start.restype = None
    so.cpu_profiler_stop.restype = ctypes.c_size_t
    so.cpu_profiler_read.argtypes = [ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    so.cpu_profiler_read.restype = ctypes.c_uint64
    return so


@contextlib.contextmanager
def profile():
    """Yields a list that holds the launches once the block has ended."""
    so = library()
    launches = []
    so.cpu_profiler_start()
    try:
        yield launches
    finally:
        name = ctypes.create_string_buffer(256)
        for i in range(so.cpu_profiler_stop()):
            nanoseconds = so.cpu_profiler_read(i, name, len(name))
            launches.append(Launch(name.value.decode(), nanoseconds / 1000))
