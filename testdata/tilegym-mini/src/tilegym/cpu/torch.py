"""The few parts of a tensor library that the ops and tests use. Memory is the
process's own; the one device is the calling thread and takes the GPU's place."""

import array
import ctypes
import math
import random
import struct

from tilegym.cpu import runtime


class dtype:
    def __init__(self, name, itemsize):
        self.name = name
        self.itemsize = itemsize

    def __repr__(self):
        return f"torch.{self.name}"


float32 = dtype("float32", 4)
float16 = dtype("float16", 2)
bfloat16 = dtype("bfloat16", 2)
int32 = dtype("int32", 4)


class device:
    """The only device there is."""

    def __init__(self, kind="cuda", index=0):
        self.type = kind
        self.index = index

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __repr__(self):
        return f"{self.type}:{self.index}"


class _Stream:
    cuda_stream = 0


class cuda:
    """Questions that a wrapper asks about the current device."""

    @staticmethod
    def current_device():
        return 0

    @staticmethod
    def current_stream(device=None):
        return _Stream()


class memory:
    """Bytes of live tensors, and the most there have been since `reset_peak`."""

    live = 0
    peak = 0

    @classmethod
    def reset_peak(cls):
        cls.peak = cls.live


class _Storage:
    def __init__(self, nbytes):
        self.nbytes = nbytes
        self._memory = ctypes.create_string_buffer(nbytes + 64)
        self.address = -(-ctypes.addressof(self._memory) // 64) * 64
        memory.live += nbytes
        memory.peak = max(memory.peak, memory.live)

    def __del__(self):
        memory.live -= self.nbytes


def _contiguous_strides(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


class Tensor:
    """A contiguous tensor in row-major order."""

    def __init__(self, storage, shape, dtype, requires_grad=False):
        self._storage = storage
        self.shape = tuple(shape)
        self.dtype = dtype
        self.device = device()
        self.requires_grad = requires_grad

    is_cuda = True

    def dim(self):
        return len(self.shape)

    def numel(self):
        return math.prod(self.shape)

    def stride(self, i):
        return _contiguous_strides(self.shape)[i]

    def data_ptr(self):
        return self._storage.address

    def contiguous(self):
        return self

    def detach(self):
        return Tensor(self._storage, self.shape, self.dtype)

    def view(self, *shape):
        if math.prod(shape) != self.numel():
            raise ValueError(f"cannot view {self.shape} as {shape}")
        return Tensor(self._storage, shape, self.dtype, self.requires_grad)

    def clone(self):
        out = empty_like(self)
        runtime.library().cpu_copy(out.data_ptr(), self.data_ptr(), self.numel() * self.dtype.itemsize)
        return out

    def tolist(self):
        """All elements as one flat list of floats."""
        raw = ctypes.string_at(self.data_ptr(), self.numel() * self.dtype.itemsize)
        if self.dtype is float32:
            return list(array.array("f", raw))
        if self.dtype is float16:
            return list(struct.unpack(f"<{self.numel()}e", raw))
        if self.dtype is bfloat16:
            wide = array.array("I", (bits << 16 for bits in array.array("H", raw)))
            return list(array.array("f", wide.tobytes()))
        raise TypeError(f"cannot read {self.dtype}")

    def _write(self, values):
        if self.dtype is float32:
            raw = array.array("f", values).tobytes()
        elif self.dtype is float16:
            raw = struct.pack(f"<{len(values)}e", *values)
        elif self.dtype is bfloat16:
            wide = array.array("I", array.array("f", values).tobytes())
            raw = array.array("H", ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF for bits in wide)).tobytes()
        else:
            raise TypeError(f"cannot write {self.dtype}")
        ctypes.memmove(self.data_ptr(), raw, len(raw))


def empty(shape, dtype=float32, device=None, requires_grad=False):
    return Tensor(_Storage(max(1, math.prod(shape)) * dtype.itemsize), shape, dtype, requires_grad)


def empty_like(t):
    return empty(t.shape, t.dtype)


def zeros(shape, dtype=float32, device=None):
    out = empty(shape, dtype)
    runtime.library().cpu_fill(out.data_ptr(), 0, out.numel() * dtype.itemsize)
    return out


def zeros_like(t):
    return zeros(t.shape, t.dtype)


_random = random.Random(0)


def manual_seed(seed):
    _random.seed(seed)


def randn(shape, dtype=float32, device=None, requires_grad=False):
    """Normally distributed values; the same after the same seed."""
    out = empty(shape, dtype, requires_grad=requires_grad)
    out._write([_random.gauss(0.0, 1.0) for _ in range(out.numel())])
    return out
