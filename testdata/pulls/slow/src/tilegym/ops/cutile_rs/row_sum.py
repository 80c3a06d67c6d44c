"""row_sum through libcutile_kernels.so: the sum of each row, forward only."""

from tilegym.backend import register_impl
from tilegym.backend.cutile_rs.utils import bind_kernel_function_cffi
from tilegym.backend.cutile_rs.utils import make_tensor_desc
from tilegym.cpu import torch

_KERNEL = "row_sum"
_FFI_NAME = "cutile_row_sum"
_FFI_CDEF = """
int32_t cutile_row_sum(
    const TensorDesc* out, const TensorDesc* x,
    int32_t tile, int32_t num_cta_in_cga, int32_t occupancy,
    int32_t device_id, uint64_t raw_stream);
"""

_DTYPES = (torch.float32, torch.float16, torch.bfloat16)

_AUTO_COMPILE_OPTION = -1
_TILE = 256


@register_impl("row_sum", backend="cutile-rs")
def row_sum(x):
    if x.dtype not in _DTYPES:
        raise NotImplementedError(f"cutile-rs row_sum: dtype {x.dtype} not supported")
    if x.dim() != 2:
        raise ValueError(f"cutile-rs row_sum: expected a matrix, got {x.dim()} dimensions")

    x = x.clone()
    out = torch.zeros((x.shape[0],), dtype=x.dtype, device=x.device)
    ffi, lib = bind_kernel_function_cffi(_KERNEL, _FFI_CDEF)
    device_id = out.device.index if out.device.index is not None else torch.cuda.current_device()
    raw_stream = torch.cuda.current_stream(device=out.device).cuda_stream
    od = make_tensor_desc(ffi, out)
    xd = make_tensor_desc(ffi, x)
    lib.cutile_row_sum(
        od,
        xd,
        _TILE,
        _AUTO_COMPILE_OPTION,
        _AUTO_COMPILE_OPTION,
        int(device_id),
        int(raw_stream),
    )
    return out
