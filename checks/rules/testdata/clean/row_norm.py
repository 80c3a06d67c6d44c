import cuda.tile as ct
import torch

from tilegym.backend import register_impl


@ct.kernel(occupancy=4)
def demo_kernel(x, w, y, rstd, rows: int, eps: float, N: ct.Constant[int], TILE: ct.Constant[int]):
    row = ct.bid(0)
    for j in range(ct.cdiv(N, TILE)):
        lane = ct.arange(TILE, dtype=ct.int32) + j * TILE
        value = ct.gather(x, (row, lane), check_bounds=True)
        ct.scatter(y, (row, lane), value, check_bounds=True)


@register_impl("demo", backend="cutile")
def demo(x, w, eps):
    y = torch.empty_like(x)
    rstd = torch.empty((x.shape[0],), dtype=torch.float32, device=x.device)
    ct.launch(torch.cuda.current_stream(), (x.shape[0], 1, 1), demo_kernel, (x, w, y, rstd, x.shape[0], eps, x.shape[1], 256))
    return y
