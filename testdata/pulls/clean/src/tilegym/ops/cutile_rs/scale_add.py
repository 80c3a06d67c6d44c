"""scale_add through libcutile_kernels.so: alpha * x + y, forward only."""

from types import SimpleNamespace

from tilegym.backend import register_impl
from tilegym.backend.cutile_rs.autotuner import autotune_launch
from tilegym.backend.cutile_rs.utils import bind_kernel_function_cffi
from tilegym.backend.cutile_rs.utils import check_rc
from tilegym.backend.cutile_rs.utils import make_tensor_desc
from tilegym.cpu import torch

_KERNEL = "scale_add"
_FFI_NAME = "cutile_scale_add"
_FFI_CDEF = """
int32_t cutile_scale_add(
    const TensorDesc* out, const TensorDesc* x, const TensorDesc* y,
    float alpha, int32_t block, int32_t num_cta_in_cga, int32_t occupancy,
    int32_t device_id, uint64_t raw_stream);
"""

_DTYPES = (torch.float32, torch.float16, torch.bfloat16)

_AUTO_COMPILE_OPTION = -1


def _configs():
    return [SimpleNamespace(BLOCK=2048)]


def _run_ffi(out, x, y, alpha, cfg):
    ffi, lib = bind_kernel_function_cffi(_KERNEL, _FFI_CDEF)
    device_id = out.device.index if out.device.index is not None else torch.cuda.current_device()
    raw_stream = torch.cuda.current_stream(device=out.device).cuda_stream
    od = make_tensor_desc(ffi, out)
    xd = make_tensor_desc(ffi, x)
    yd = make_tensor_desc(ffi, y)
    rc = lib.cutile_scale_add(
        od,
        xd,
        yd,
        float(alpha),
        int(cfg.BLOCK),
        _AUTO_COMPILE_OPTION,
        _AUTO_COMPILE_OPTION,
        int(device_id),
        int(raw_stream),
    )
    check_rc(rc, _FFI_NAME)
    return out


@register_impl("scale_add", backend="cutile-rs")
def scale_add(x, y, alpha=1.0):
    if x.dtype not in _DTYPES:
        raise NotImplementedError(f"cutile-rs scale_add: dtype {x.dtype} not supported")
    if x.shape != y.shape or x.dtype != y.dtype:
        raise ValueError(f"cutile-rs scale_add: x is {x.shape} {x.dtype}, y is {y.shape} {y.dtype}")
    if x.requires_grad:
        x = x.detach()
    if y.requires_grad:
        y = y.detach()

    def kernel_fn(cfg):
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        return _run_ffi(out, x, y, alpha, cfg)

    result = autotune_launch(
        kernel_fn=kernel_fn,
        configs=_configs(),
        key=(x.shape, x.dtype),
        kernel_name=_KERNEL,
    )
    return result.output
