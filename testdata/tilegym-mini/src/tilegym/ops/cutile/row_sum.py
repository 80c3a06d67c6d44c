"""Reference kernel: the sum of each row."""

from tilegym.backend import register_impl
from tilegym.cpu import tile as ct
from tilegym.cpu import torch

_TILE = 512


@ct.kernel
def row_sum_kernel(out, x, n_cols: int, TILE: ct.Constant[int]):
    row = ct.bid(0)
    zero = ct.full((TILE,), 0.0, dtype=ct.float32)
    acc = zero
    for step in range(ct.cdiv(n_cols, TILE)):
        index = ct.arange(TILE, dtype=ct.int32) + step * TILE
        x_tile = ct.astype(ct.gather(x, (row, index)), ct.float32)
        acc = acc + ct.where(index < n_cols, x_tile, zero)
    total = ct.astype(ct.sum(acc), out.dtype)
    ct.scatter(out, row, total)


@register_impl("row_sum", backend="cutile")
def row_sum(x):
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows,), dtype=x.dtype, device=x.device)
    ct.launch(torch.cuda.current_stream(), (n_rows,), row_sum_kernel, (out, x, n_cols, _TILE))
    return out
