"""Reference kernel: alpha * x + y."""

from tilegym.backend import register_impl
from tilegym.cpu import tile as ct
from tilegym.cpu import torch

_BLOCK = 1024


@ct.kernel
def scale_add_kernel(out, x, y, alpha: float, BLOCK: ct.Constant[int]):
    first = ct.bid(0) * BLOCK
    index = ct.arange(BLOCK, dtype=ct.int32) + first
    x_tile = ct.astype(ct.gather(x, index), ct.float32)
    y_tile = ct.astype(ct.gather(y, index), ct.float32)
    result = x_tile * alpha + y_tile
    ct.scatter(out, index, ct.astype(result, out.dtype))


@register_impl("scale_add", backend="cutile")
def scale_add(x, y, alpha=1.0):
    if x.shape != y.shape or x.dtype != y.dtype:
        raise ValueError(f"scale_add: x is {x.shape} {x.dtype}, y is {y.shape} {y.dtype}")
    out = torch.empty_like(x)
    grid = (ct.cdiv(x.numel(), _BLOCK),)
    ct.launch(torch.cuda.current_stream(), grid, scale_add_kernel, (out, x, y, float(alpha), _BLOCK))
    return out
