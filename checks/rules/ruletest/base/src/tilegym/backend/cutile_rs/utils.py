"""Loader and packer of the cutile-rs library."""

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

_DTYPE_CODE = {
    "torch.float32": 0,
    "torch.float16": 1,
    "torch.bfloat16": 2,
    "torch.int32": 3,
    "torch.int64": 4,
    "torch.float8_e5m2": 5,
    "torch.uint8": 6,
    "torch.float8_e4m3fn": 7,
}


def make_tensor_desc(ffi, t):
    d = ffi.new("TensorDesc *")
    d.ptr = t.data_ptr()
    d.ndim = t.dim()
    for i in range(t.dim()):
        d.shape[i] = int(t.shape[i])
        d.strides[i] = int(t.stride(i))
    d.dtype = _DTYPE_CODE[str(t.dtype)]
    return d


def next_power_of_2(n: int) -> int:
    return 1 << max(0, n - 1).bit_length()


def bind_kernel_function_cffi(kernel: str, cdef: str, so_name: str = "libcutile_kernels.so"):
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(_TENSORDESC_CDEF + cdef)
    return ffi, ffi.dlopen(so_name)


_RC_MESSAGES = {
    -2: "unsupported dtype",
    -3: "kernel launch failed",
    -4: "device init failed",
    -5: "null tensor pointer",
    -6: "invalid arguments",
}


def check_rc(rc: int, fn_name: str) -> None:
    if rc != 0:
        raise RuntimeError(f"{fn_name} returned error code {rc}: {_RC_MESSAGES.get(rc, 'unknown error')}")
