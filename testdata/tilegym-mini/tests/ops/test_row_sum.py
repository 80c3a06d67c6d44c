import math

import pytest

import tilegym
from tilegym.backend import is_backend_available
from tilegym.cpu import torch

from .. import common


class Test_RowSum(common.PyTestCase):
    @staticmethod
    def reference(x):
        n_rows, n_cols = x.shape
        values = x.tolist()
        return [math.fsum(values[r * n_cols : (r + 1) * n_cols]) for r in range(n_rows)]

    _backends = ["cutile"]
    if is_backend_available("cutile-rs"):
        _backends = _backends + ["cutile-rs"]

    @pytest.mark.parametrize(
        "n_rows, n_cols, dtype",
        [
            (4, 512, torch.float32),
            (16, 2048, torch.float32),
            (3, 1000, torch.float32),
            (5, 513, torch.float32),
            (1, 1, torch.float32),
            (4, 1024, torch.float16),
            (4, 777, torch.bfloat16),
        ],
    )
    @pytest.mark.parametrize("backend", _backends)
    def test_op(self, n_rows, n_cols, dtype, backend, arch):
        if tilegym.is_backend_available(backend):
            tilegym.set_backend(backend)
        else:
            pytest.skip(f"Backend {backend} is not available")
        self.setUp()
        x = torch.randn((n_rows, n_cols), dtype=dtype, device=torch.device("cuda"), requires_grad=True)
        self.assertCorrectness(tilegym.ops.row_sum, self.reference, {"x": x}, atol=5e-4 if dtype is torch.float32 else 0.3)

    @pytest.mark.parametrize(
        "n_rows, n_cols, dtype",
        [
            (64, 2048, torch.float32),
            (32, 4096, torch.float32),
            (64, 3000, torch.float32),
        ],
    )
    @pytest.mark.parametrize("framework", _backends)
    def test_perf(self, n_rows, n_cols, dtype, framework, record_property):
        if tilegym.is_backend_available(framework):
            tilegym.set_backend(framework)
        else:
            pytest.skip(f"Framework {framework} is not available")
        self.setUp()
        x = torch.randn((n_rows, n_cols), dtype=dtype, device=torch.device("cuda"))
        result = common.benchmark_framework(framework, lambda: tilegym.ops.row_sum(x))
        record_property("benchmark", result)
