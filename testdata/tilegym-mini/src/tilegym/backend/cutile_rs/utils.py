"""Builds and loads libcutile_kernels.so, and packs tensors for it.

The functions have the names and arguments that wrappers know from the cffi
loader; here they stand on ctypes, because this repository needs nothing beyond
the standard library.

Environment: CUTILE_RS_AUTOBUILD=0 never builds; CUTILE_RS_KERNELS_DIR is the
crate, when it is not ops/cutile_rs/cutile_kernels.
"""

import ctypes
import fcntl
import os
import shutil
import subprocess

_OPS = os.path.normpath(os.path.join(os.path.dirname(__file__), "..", "..", "ops", "cutile_rs"))


def _crate_dir():
    return os.environ.get("CUTILE_RS_KERNELS_DIR") or os.path.join(_OPS, "cutile_kernels")


def _so_path():
    return os.path.join(_crate_dir(), "target", "release", "libcutile_kernels.so")


def _autobuild_enabled():
    return os.environ.get("CUTILE_RS_AUTOBUILD", "1").lower() not in ("0", "false", "no")


def _stale():
    """Whether a source is newer than the library, or there is no library."""
    if not os.path.isfile(_so_path()):
        return True
    built = os.path.getmtime(_so_path())
    for folder, subfolders, names in os.walk(_OPS):
        subfolders[:] = [s for s in subfolders if s != "target"]
        for name in names:
            if name.endswith((".rs", ".toml")) and os.path.getmtime(os.path.join(folder, name)) > built:
                return True
    return False


def kernels_can_be_loaded():
    if _autobuild_enabled() and shutil.which("cargo") is not None:
        return True
    return os.path.isfile(_so_path()) and not (_autobuild_enabled() and _stale())


def _build():
    cargo = shutil.which("cargo")
    if cargo is None:
        raise RuntimeError("cutile-rs: cargo not found on PATH; install Rust, or set CUTILE_RS_AUTOBUILD=0")
    with open(os.path.join(_crate_dir(), ".build.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _stale():
            return
        done = subprocess.run([cargo, "build", "--release"], cwd=_crate_dir(), capture_output=True, text=True, timeout=900)
        if done.returncode != 0:
            raise RuntimeError(f"cutile-rs: cargo build failed (exit {done.returncode}):\n{done.stderr[-4000:]}")


_loaded = {}


def load_library():
    """The shared library as a ctypes handle, built first when it is stale."""
    if "so" not in _loaded:
        if _autobuild_enabled() and _stale():
            _build()
        if not os.path.isfile(_so_path()):
            raise RuntimeError(f"libcutile_kernels.so not found at {_so_path()}; build it with cargo build --release")
        _loaded["so"] = ctypes.CDLL(_so_path())
    return _loaded["so"]


# The descriptor of ops/cutile_rs/ffi_util.rs, once as C and once for ctypes.
_TENSORDESC_MAX_DIMS = 5
_TENSORDESC_CDEF = """
typedef struct {
    uint64_t ptr;
    int32_t  ndim;
    int64_t  shape[5];
    int64_t  strides[5];
    int32_t  dtype;
} TensorDesc;
"""


class TensorDesc(ctypes.Structure):
    _fields_ = [
        ("ptr", ctypes.c_uint64),
        ("ndim", ctypes.c_int32),
        ("shape", ctypes.c_int64 * _TENSORDESC_MAX_DIMS),
        ("strides", ctypes.c_int64 * _TENSORDESC_MAX_DIMS),
        ("dtype", ctypes.c_int32),
    ]


# Codes of ffi_util.rs, dtype_str.
_DTYPE_CODE = {
    "torch.float32": 0,
    "torch.float16": 1,
    "torch.bfloat16": 2,
    "torch.int32": 3,
    "torch.int64": 4,
}


def make_tensor_desc(ffi, t):
    """Describes a tensor; keep the result until the call that takes it returns."""
    if not t.is_cuda:
        raise ValueError(f"cutile-rs: make_tensor_desc requires a device tensor, got {t.device}")
    if t.dim() > _TENSORDESC_MAX_DIMS:
        raise ValueError(f"cutile-rs: at most {_TENSORDESC_MAX_DIMS} dimensions, got {t.dim()}")
    code = _DTYPE_CODE.get(str(t.dtype))
    if code is None:
        raise NotImplementedError(f"cutile-rs: dtype {t.dtype} not supported")
    d = ffi.new("TensorDesc *")
    d.ptr = t.data_ptr()
    d.ndim = t.dim()
    for i in range(t.dim()):
        d.shape[i] = int(t.shape[i])
        d.strides[i] = int(t.stride(i))
    d.dtype = code
    return d


_C_TYPES = {
    "const TensorDesc*": ctypes.POINTER(TensorDesc),
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}


class _FFI:
    """The one thing that a wrapper asks of cffi."""

    def new(self, declaration):
        if declaration != "TensorDesc *":
            raise TypeError(f"cannot make a {declaration}")
        return TensorDesc()


class _Library:
    """Functions of one C declaration, by name."""

    def __init__(self, so, cdef):
        head, _, tail = cdef.partition("(")
        returns, name = head.split()
        function = getattr(so, name)
        function.restype = _C_TYPES[returns]
        types = []
        for parameter in tail.rpartition(")")[0].split(","):
            c_type, _, _ = parameter.strip().rpartition(" ")
            types.append(_C_TYPES[" ".join(c_type.split())])
        function.argtypes = types
        setattr(self, name, function)


def bind_kernel_function_cffi(kernel, cdef):
    """(ffi, lib) of one op: `lib.cutile_<op>` is its exported function."""
    if kernel not in _loaded:
        _loaded[kernel] = (_FFI(), _Library(load_library(), cdef))
    return _loaded[kernel]


def next_power_of_2(n):
    if n < 1:
        raise ValueError(f"next_power_of_2: n must be >= 1, got {n}")
    return 1 << (n - 1).bit_length()


# Codes of ffi_util.rs, rc.
_RC_MESSAGES = {
    -2: "unsupported dtype",
    -3: "kernel launch failed",
    -4: "device init failed",
    -5: "null tensor pointer",
    -6: "invalid arguments",
}


def check_rc(rc, fn_name):
    """Raises unless an exported function returned 0."""
    if rc != 0:
        raise RuntimeError(f"{fn_name} failed (rc={rc}): {_RC_MESSAGES.get(rc, 'unknown error')}")
