"""demo through the cutile-rs library (forward only)."""

from types import SimpleNamespace

import torch

from tilegym.backend import register_impl
from tilegym.backend.cutile_rs.autotuner import autotune_launch
from tilegym.backend.cutile_rs.utils import bind_kernel_function_cffi
from tilegym.backend.cutile_rs.utils import check_rc
from tilegym.backend.cutile_rs.utils import make_tensor_desc
from tilegym.backend.cutile_rs.utils import next_power_of_2

_KERNEL = "demo"
_FFI_NAME = "cutile_demo"
_FFI_CDEF = """
int32_t cutile_demo(
    const TensorDesc* out, const TensorDesc* inp,
    int32_t block, float factor,
    int32_t num_cta_in_cga, int32_t occupancy,
    int32_t device_id, uint64_t raw_stream);
"""

_DTYPES = (torch.float32, torch.float16, torch.bfloat16)


def _configs():
    return [SimpleNamespace(NUM_CTA_IN_CGA=-1, OCCUPANCY=-1)]


def _run_ffi(out, x, block, factor, cfg):
    ffi, lib = bind_kernel_function_cffi(_KERNEL, _FFI_CDEF)
    device_id = out.device.index
    raw_stream = torch.cuda.current_stream(device=out.device).cuda_stream
    out_desc = make_tensor_desc(ffi, out)
    in_desc = make_tensor_desc(ffi, x)
    rc = lib.cutile_demo(
        out_desc,
        in_desc,
        int(block),
        float(factor),
        int(cfg.NUM_CTA_IN_CGA),
        int(cfg.OCCUPANCY),
        int(device_id),
        int(raw_stream),
    )
    check_rc(rc, _FFI_NAME)
    return out


@register_impl("demo", backend="cutile-rs")
def demo(x, factor=1.0, **kwargs):
    """Scale each element."""
    if not x.is_cuda:
        raise ValueError("cutile-rs demo: x must be a CUDA tensor")
    if x.requires_grad:
        x = x.detach()
    if x.dtype not in _DTYPES:
        raise NotImplementedError(f"cutile-rs demo: dtype {x.dtype} not supported")
    x = x.contiguous()
    rows, cols = x.shape
    block = next_power_of_2(cols)

    def kernel_fn(cfg):
        out = torch.empty((rows, cols), device=x.device, dtype=x.dtype)
        return _run_ffi(out, x, block, factor, cfg)

    result = autotune_launch(
        kernel_fn=kernel_fn,
        configs=_configs(),
        key=(rows, cols, x.dtype),
        kernel_name=_KERNEL,
    )
    return result.output
