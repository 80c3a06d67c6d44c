"""The reference kernels' language: a Python function over tiles, traced once for
each set of constants into instructions that the library runs for each block.

A parameter annotated `Constant[...]` is baked into the trace; tensors and other
numbers are arguments of the launch. Loads and stores are bounds-checked in the
last dimension, and a lane outside reads zero and writes nothing.
"""

import ctypes
import inspect
from typing import Generic
from typing import TypeVar

from tilegym.cpu import runtime
from tilegym.cpu import torch

_T = TypeVar("_T")


class Constant(Generic[_T]):
    """Marks a parameter whose value is part of the compiled kernel."""


float32 = torch.float32
int32 = torch.int32

_CODES = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2}
_INTEGER, _REAL, _BLOCK, _IOTA, _FULL, _ADD, _MULTIPLY, _GATHER, _SCATTER, _ASTYPE, _SUM, _LESS, _WHERE = range(13)


class _Instruction(ctypes.Structure):
    _fields_ = [
        ("op", ctypes.c_int32),
        ("a", ctypes.c_int32),
        ("b", ctypes.c_int32),
        ("c", ctypes.c_int32),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
    ]


class _Array(ctypes.Structure):
    _fields_ = [
        ("address", ctypes.c_uint64),
        ("dtype", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("shape", ctypes.c_int64 * 2),
        ("strides", ctypes.c_int64 * 2),
    ]


class _Trace:
    """The instructions of the kernel that is being traced."""

    current = None

    def __init__(self):
        self.instructions = []

    def emit(self, op, a=-1, b=-1, c=-1, integer=0, real=0.0):
        self.instructions.append(_Instruction(op, a, b, c, integer, real))
        return Value(len(self.instructions) - 1)


def _value(x):
    if isinstance(x, Value):
        return x
    if isinstance(x, int):
        return _Trace.current.emit(_INTEGER, integer=x)
    if isinstance(x, float):
        return _Trace.current.emit(_REAL, real=x)
    raise TypeError(f"expected a tile or a number, found {x!r}")


class Value:
    """The result of an instruction."""

    def __init__(self, position):
        self.position = position

    def __add__(self, other):
        return _Trace.current.emit(_ADD, self.position, _value(other).position)

    __radd__ = __add__

    def __mul__(self, other):
        return _Trace.current.emit(_MULTIPLY, self.position, _value(other).position)

    __rmul__ = __mul__

    def __lt__(self, other):
        return _Trace.current.emit(_LESS, self.position, _value(other).position)


class _Parameter:
    """A tensor argument, known by its place and dtype."""

    def __init__(self, index, dtype):
        self.index = index
        self.dtype = dtype


def bid(axis):
    """The block's index along an axis."""
    return _Trace.current.emit(_BLOCK, integer=axis)


def arange(count, dtype=int32):
    return _Trace.current.emit(_IOTA, integer=count)


def full(shape, value, dtype=float32):
    (count,) = shape
    return _Trace.current.emit(_FULL, integer=count, real=value)


def gather(x, index):
    row, column = index if isinstance(index, tuple) else (None, index)
    row = -1 if row is None else _value(row).position
    return _Trace.current.emit(_GATHER, row, _value(column).position, integer=x.index)


def scatter(x, index, value):
    row, column = index if isinstance(index, tuple) else (None, index)
    row = -1 if row is None else _value(row).position
    _Trace.current.emit(_SCATTER, row, _value(column).position, value.position, integer=x.index)


def where(condition, x, y):
    return _Trace.current.emit(_WHERE, condition.position, x.position, y.position)


def astype(x, dtype):
    return _Trace.current.emit(_ASTYPE, x.position, integer=_CODES[dtype])


def sum(x):
    return _Trace.current.emit(_SUM, x.position)


def cdiv(a, b):
    return -(-a // b)


class _Kernel:
    def __init__(self, function):
        self.function = function
        self.name = function.__name__
        self.parameters = list(inspect.signature(function).parameters.values())
        self._compiled = {}

    def compile(self, arguments):
        """The instructions for these arguments, traced when they are new."""
        key = tuple(a.dtype if isinstance(a, torch.Tensor) else a for a in arguments)
        if key not in self._compiled:
            _Trace.current = _Trace()
            try:
                traced, tensors = [], 0
                for argument in arguments:
                    if isinstance(argument, torch.Tensor):
                        traced.append(_Parameter(tensors, argument.dtype))
                        tensors += 1
                    else:
                        traced.append(argument)
                self.function(*traced)
                found = _Trace.current.instructions
                self._compiled[key] = (_Instruction * len(found))(*found)
            finally:
                _Trace.current = None
        return self._compiled[key]


def kernel(function):
    """Makes a Python function launchable."""
    return _Kernel(function)


def _describe(t):
    described = _Array(t.data_ptr(), _CODES[t.dtype], t.dim())
    for i in range(t.dim()):
        described.shape[i] = t.shape[i]
        described.strides[i] = t.stride(i)
    return described


def launch(stream, grid, kernel, arguments):
    """Runs a kernel over a grid of one or two directions."""
    program = kernel.compile(arguments)
    arrays = [_describe(a) for a in arguments if isinstance(a, torch.Tensor)]
    so = runtime.library()
    rc = so.cpu_tile_launch(
        kernel.name.encode(),
        program,
        ctypes.c_size_t(len(program)),
        (_Array * len(arrays))(*arrays),
        ctypes.c_size_t(len(arrays)),
        ctypes.c_uint32(grid[0]),
        ctypes.c_uint32(grid[1] if len(grid) > 1 else 1),
    )
    if rc != 0:
        raise RuntimeError(f"{kernel.name}: the traced program does not fit its arguments (rc={rc})")
