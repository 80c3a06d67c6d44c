import pytest
import torch

import tilegym
from tilegym.backend import is_backend_available

from .. import common


class Test_Demo(common.PyTestCase):
    _backends = ["cutile"]
    if is_backend_available("cutile-rs"):
        _backends = _backends + ["cutile-rs"]

    @staticmethod
    def reference(x, factor):
        return x * factor

    @pytest.mark.parametrize("rows, cols, dtype", [(64, 512, torch.float32), (7, 1000, torch.float16)])
    @pytest.mark.parametrize("backend", _backends)
    def test_op(self, rows, cols, dtype, backend):
        tilegym.set_backend(backend)
        x = torch.randn(rows, cols, device="cuda", dtype=dtype)
        self.assertCorrectness(tilegym.ops.demo, self.reference, {"x": x, "factor": 2.0})
