import pytest

import tilegym
from tilegym.backend import is_backend_available
from tilegym.cpu import torch

from .. import common


class Test_ScaleAdd(common.PyTestCase):
    @staticmethod
    def reference(x, y, alpha):
        return [alpha * a + b for a, b in zip(x.tolist(), y.tolist())]

    _backends = ["cutile"]
    if is_backend_available("cutile-rs"):
        _backends = _backends + ["cutile-rs"]

    @pytest.mark.parametrize(
        "n, dtype",
        [
            (1024, torch.float32),
            (4096, torch.float32),
            (1000, torch.float32),
            (1025, torch.float32),
            (7, torch.float32),
            (4096, torch.float16),
            (3001, torch.bfloat16),
        ],
    )
    @pytest.mark.parametrize("backend", _backends)
    def test_op(self, n, dtype, backend, arch):
        if tilegym.is_backend_available(backend):
            tilegym.set_backend(backend)
        else:
            pytest.skip(f"Backend {backend} is not available")
        self.setUp()
        x = torch.randn((n,), dtype=dtype, device=torch.device("cuda"), requires_grad=True)
        y = torch.randn((n,), dtype=dtype, device=torch.device("cuda"), requires_grad=True)
        self.assertCorrectness(tilegym.ops.scale_add, self.reference, {"x": x, "y": y, "alpha": 0.75})

    @pytest.mark.parametrize(
        "n, dtype",
        [
            (65536, torch.float32),
            (131072, torch.float32),
            (100000, torch.float32),
        ],
    )
    @pytest.mark.parametrize("framework", _backends)
    def test_perf(self, n, dtype, framework, record_property):
        if tilegym.is_backend_available(framework):
            tilegym.set_backend(framework)
        else:
            pytest.skip(f"Framework {framework} is not available")
        self.setUp()
        x = torch.randn((n,), dtype=dtype, device=torch.device("cuda"))
        y = torch.randn((n,), dtype=dtype, device=torch.device("cuda"))
        result = common.benchmark_framework(framework, lambda: tilegym.ops.scale_add(x, y, 0.75))
        record_property("benchmark", result)
