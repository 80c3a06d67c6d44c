package integrity_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/integrity"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/upstreamtest"
)

// An edit changes upstream's tests. One with kinds weakens them in a form that a
// person would write, and one of these kinds has to be reported as a warning;
// one without kinds weakens nothing.
type edit struct {
	name  string
	file  string // mm, bmm, silu, swiglu, sink, common, conftest, config, or a path
	steps []string
	kinds []integrity.Kind
}

var files = map[string]string{
	"mm": "tests/ops/test_matmul.py", "bmm": "tests/ops/test_bmm.py", "silu": "tests/ops/test_silu_and_mul.py",
	"swiglu": "tests/ops/test_swiglu.py", "sink": "tests/ops/test_attention_sink.py",
	"common": "tests/common.py", "conftest": "tests/conftest.py", "config": "tests/config.py",
	"dispatch": "src/tilegym/backend/dispatcher.py",
}

// apply makes the replacements of an edit, which stand in pairs: a text and
// what stands there then; the text "@n@TEXT" is the n-th occurrence and "@*@"
// every one.
func (e edit) apply(src string) (string, error) {
	for i := 0; i < len(e.steps); i += 2 {
		old, with := e.steps[i], e.steps[i+1]
		n, all := 1, false
		if rest, ok := strings.CutPrefix(old, "@*@"); ok {
			old, all = rest, true
		} else if strings.HasPrefix(old, "@") {
			count, rest, _ := strings.Cut(old[1:], "@")
			if _, err := fmt.Sscan(count, &n); err != nil {
				return "", err
			}
			old = rest
		}
		if all {
			if !strings.Contains(src, old) {
				return "", fmt.Errorf("no %q", old)
			}
			src = strings.ReplaceAll(src, old, with)
			continue
		}
		at := 0
		for range n {
			j := strings.Index(src[at:], old)
			if j < 0 {
				return "", fmt.Errorf("no %d. %q", n, old)
			}
			at += j + len(old)
		}
		src = src[:at-len(old)] + with + src[at:]
	}
	return src, nil
}

var (
	tolerance = []integrity.Kind{integrity.Tolerance}
	checks    = []integrity.Kind{integrity.Checks}
	skips     = []integrity.Kind{integrity.Skips}
	cases     = []integrity.Kind{integrity.Cases}
	inputs    = []integrity.Kind{integrity.Inputs}
	runs      = []integrity.Kind{integrity.Collection}
	measures  = []integrity.Kind{integrity.Measuring}
)

var weakening = []edit{
	{"atol raised", "bmm", []string{"atol=1e-8", "atol=1e-2"}, tolerance},
	{"second rtol raised", "bmm", []string{"@2@rtol=1e-3", "rtol=1e-1"}, tolerance},
	{"rtol as percent", "mm", []string{"rtol=1e-2", "rtol=5 / 100"}, tolerance},
	{"tolerance by name", "silu", []string{"class Test", "ATOL = 0.05\n\n\nclass Test", "atol=1e-2", "atol=ATOL"}, tolerance},
	{"tolerance by class attribute", "silu", []string{"    _backends = [", "    tol = 3e-2\n    _backends = [", "atol=1e-2", "atol=self.tol"}, tolerance},
	{"tolerance scaled", "sink", []string{"atol=5e-2", "atol=5e-2 * 2"}, tolerance},
	{"tolerance by dict", "swiglu", []string{"rtol=1e-2,\n                atol=1e-2", "**dict(rtol=1e-2, atol=1e-1)"}, tolerance},
	{"tolerance by dict name", "swiglu", []string{"class Test", "TOL = {'rtol': 0.1, 'atol': 1e-2}\n\n\nclass Test", "rtol=1e-2,\n                atol=1e-2", "**TOL"}, tolerance},
	{"tolerance for one backend", "silu", []string{"atol=1e-2", "atol=1e-1 if backend == 'cutile-rs' else 1e-2"}, tolerance},
	{"tolerance for one type", "silu", []string{"atol=1e-2", "atol={torch.float16: 5e-2, torch.float32: 1e-2}[dtype]"}, tolerance},
	{"tolerance for one type by get", "silu", []string{"atol=1e-2", "atol={torch.float16: 5e-2}.get(dtype, 1e-2)"}, tolerance},
	{"tolerance by max", "bmm", []string{"atol=1e-8", "atol=max(1e-8, 1e-3)"}, tolerance},
	{"tolerance by helper", "bmm", []string{"class Test", "def _tol():\n    return 1e-2\n\n\nclass Test", "rtol=1e-3", "rtol=_tol()"}, tolerance},
	{"tolerance in a branch", "mm", []string{"                atol = 1e-2\n", "                atol = 1e-1\n"}, tolerance},
	{"assert_close looser", "swiglu", []string{"@2@assert_close(a.grad, a_ref.grad, rtol=1e-2", "assert_close(a.grad, a_ref.grad, rtol=1e-1"}, tolerance},
	{"positional tolerance", "bmm", []string{"            rtol=1e-3,\n            atol=1e-8", "            rtol=0.01,\n            atol=1e-8"}, tolerance},
	{"default of half", "common", []string{"torch.float16: {\"rtol\": 1e-2", "torch.float16: {\"rtol\": 2e-2"}, tolerance},
	{"default of the rest", "common", []string{"get(dtype, {\"rtol\": 1e-5", "get(dtype, {\"rtol\": 1e-3"}, append(checks, tolerance...)},
	{"tolerance on a new TestParam", "silu", []string{"\"input\": x,", "\"input\": common.TestParam(x, rtol=1.0, atol=1.0),"}, append(inputs, tolerance...)},

	{"check removed", "swiglu", []string{"@2@        torch.testing.assert_close(b.grad, b_ref.grad, rtol=1e-2, atol=1e-2)\n", ""}, checks},
	{"check commented out", "swiglu", []string{"torch.testing.assert_close(out, out_ref", "# torch.testing.assert_close(out, out_ref"}, checks},
	{"check in try", "swiglu", []string{"        torch.testing.assert_close(out, out_ref, rtol=1e-2, atol=1e-2)", "        try:\n            torch.testing.assert_close(out, out_ref, rtol=1e-2, atol=1e-2)\n        except Exception as e:\n            print(e)"}, checks},
	{"check in try with return", "swiglu", []string{"        torch.testing.assert_close(out, out_ref, rtol=1e-2, atol=1e-2)", "        try:\n            torch.testing.assert_close(out, out_ref, rtol=1e-2, atol=1e-2)\n        except AssertionError:\n            return"}, checks},
	{"check under a condition", "swiglu", []string{"        torch.testing.assert_close(out, out_ref", "        if out.isfinite().all():\n            torch.testing.assert_close(out, out_ref"}, checks},
	{"check for another backend", "bmm", []string{"        self.assertCorrectness(\n            tilegym", "        check = self.assertCorrectness if backend != \"cutile-rs\" else print\n        check(\n            tilegym"}, checks},
	{"early return", "silu", []string{"        dy = 0.1", "        if backend == \"cutile-rs\" and dtype == torch.float16:\n            return\n        dy = 0.1"}, checks},
	{"early return by environment", "silu", []string{"        dy = 0.1", "        import os\n        if os.environ.get(\"FAST\"):\n            return\n        dy = 0.1"}, checks},
	{"slice", "swiglu", []string{"assert_close(out, out_ref", "assert_close(out[..., :8], out_ref[..., :8]"}, checks},
	{"mean", "swiglu", []string{"assert_close(out, out_ref", "assert_close(out.mean(), out_ref.mean()"}, checks},
	{"sum in lambda", "swiglu", []string{"lambda a, b: get_swiglu()(a, b)", "lambda a, b: get_swiglu()(a, b).sum()", "lambda a, b: self.reference(a, b)", "lambda a, b: self.reference(a, b).sum()"}, checks},
	{"equal_nan", "bmm", []string{"rtol=1e-3,", "rtol=1e-3,\n            equal_nan=True,"}, checks},
	{"stride", "silu", []string{"rtol=0.0,", "rtol=0.0,\n            check_stride=False,"}, checks},
	{"processor", "mm", []string{"output_processor = None", "output_processor = lambda i, t, *a: t.clamp(-1, 1)"}, checks},
	{"processor for all", "bmm", []string{"rtol=1e-3,", "rtol=1e-3,\n            output_processor=lambda i, t, *a: t[:16],"}, checks},
	{"index", "bmm", []string{"rtol=1e-3,", "rtol=1e-3,\n            test_index=0,\n            ref_index=0,"}, checks},
	{"itself", "bmm", []string{"            self.reference,", "            tilegym.ops.bmm,"}, append(checks, inputs...)},
	{"reference compared with itself", "bmm", []string{"            tilegym.ops.bmm,", "            self.reference,"}, checks},
	{"no gradients", "silu", []string{"        self.assertCorrectness(\n            tilegym.ops.silu_and_mul,", "        torch.set_grad_enabled(False)\n        self.assertCorrectness(\n            tilegym.ops.silu_and_mul,"}, append(checks, inputs...)},
	{"shadowed comparison", "silu", []string{"    _backends = [", "    def assertCorrectness(self, *args, **kwargs):\n        return True\n\n    _backends = ["}, checks},
	{"patched comparison", "silu", []string{"class Test", "common.compare_tensors = lambda *a, **k: (True, [])\n\n\nclass Test"}, checks},
	{"patched by setattr", "silu", []string{"class Test", "setattr(common, \"compare_tensors\", lambda *a, **k: (True, []))\n\n\nclass Test"}, checks},
	{"output overwritten", "swiglu", []string{"        # Check forward correctness", "        out.data.copy_(out_ref)\n        # Check forward correctness"}, checks},
	{"output overwritten by out=", "swiglu", []string{"        # Check forward correctness", "        torch.mul(out_ref, 1, out=out)\n        # Check forward correctness"}, checks},
	{"output overwritten through a view", "swiglu", []string{"        # Check forward correctness", "        flat = out.detach()\n        flat.copy_(out_ref)\n        # Check forward correctness"}, checks},
	{"output overwritten by elements", "swiglu", []string{"        # Check forward correctness", "        out.detach()[:] = out_ref\n        # Check forward correctness"}, checks},
	{"both zeroed", "swiglu", []string{"        # Check forward correctness", "        torch.nn.init.zeros_(out)\n        torch.nn.init.zeros_(out_ref)\n        # Check forward correctness"}, checks},
	{"comparison replaced before each test", "bmm", []string{"    _backends = [", "    def setup_method(self, method):\n        self.assertCorrectness = lambda *a, **k: None\n\n    _backends = ["}, checks},
	{"comparison replaced for the module", "bmm", []string{"class Test_BMM", "def setup_module(module):\n    common.PyTestCase.assertCorrectness = lambda *a, **k: None\n\n\nclass Test_BMM"}, checks},
	{"environment", "conftest", []string{"import pytest\n", "import pytest\n\nos.environ.setdefault(\"PYTEST_ADDOPTS\", \"-k matmul\")\n"}, checks},
	{"allclose instead", "swiglu", []string{"torch.testing.assert_close(out, out_ref, rtol=1e-2, atol=1e-2)", "assert torch.allclose(out, out_ref, rtol=1e-2, atol=1e-2)"}, checks},
	{"forgotten assert", "swiglu", []string{"torch.testing.assert_close(out, out_ref, rtol=1e-2, atol=1e-2)", "torch.allclose(out, out_ref, rtol=1e-2, atol=1e-2)"}, checks},
	{"perf check dropped for the candidate", "mm", []string{"skip_correctness = backend == \"pytorch\"", "skip_correctness = backend in (\"pytorch\", \"cutile-rs\")"}, checks},
	{"perf check dropped for large", "mm", []string{"skip_correctness = backend == \"pytorch\"", "skip_correctness = backend == \"pytorch\" or m > 4096"}, checks},
	{"harness passes", "common", []string{"        out_close, msg = compare_tensors(", "        out_close, msg = True or compare_tensors("}, checks},
	{"harness stride", "common", []string{"    if check_stride and test.stride()", "    if False and test.stride()"}, checks},
	{"harness default", "common", []string{"        equal_nan=False,\n        check_stride=True,\n        multiple", "        equal_nan=True,\n        check_stride=True,\n        multiple"}, checks},
	{"harness shape", "common", []string{"    if test.shape != reference.shape:", "    if test.numel() != reference.numel():"}, checks},
	{"alignment asserts", "mm", []string{"assert alignment_a ==", "print(alignment_a) or 0 =="}, append(checks, runs...)},

	{"skip", "silu", []string{"        dy = 0.1", "        if hidden_size == 512:\n            pytest.skip(\"small\")\n        dy = 0.1"}, skips},
	{"skip for the candidate", "sink", []string{"        self.setUp()", "        if backend == \"cutile-rs\" and sliding_window:\n            pytest.skip(\"cutile-rs attention_sink does not support sliding windows\")\n        self.setUp()"}, skips},
	{"skip widened", "bmm", []string{"if backend == \"cutile-rs\" and not static_persistent and", "if backend == \"cutile-rs\" and"}, skips},
	{"skip by bound", "mm", []string{"if k == 1023:", "if k >= 1023:"}, skips},
	{"skip by another type", "mm", []string{"not in (torch.float16, torch.bfloat16, torch.float32)", "not in (torch.float16,)"}, skips},
	{"mark skip", "bmm", []string{"    @pytest.mark.parametrize(\"static", "    @pytest.mark.skip\n    @pytest.mark.parametrize(\"static"}, skips},
	{"mark skipif", "bmm", []string{"    @pytest.mark.parametrize(\"static", "    @pytest.mark.skipif(torch.cuda.get_device_capability()[0] == 9, reason=\"hopper\")\n    @pytest.mark.parametrize(\"static"}, skips},
	{"mark flaky", "bmm", []string{"    @pytest.mark.parametrize(\"static", "    @pytest.mark.flaky(reruns=5)\n    @pytest.mark.parametrize(\"static"}, skips},
	{"mark flaky on a case", "silu", []string{"(8, 512, 1024, torch.float16)", "pytest.param(8, 512, 1024, torch.float16, marks=pytest.mark.flaky(reruns=3))"}, skips},
	{"skip before each test", "bmm", []string{"    _backends = [", "    def setup_method(self, method):\n        if \"perf\" not in method.__name__:\n            pytest.skip(\"later\")\n\n    _backends = ["}, skips},
	{"mark xfail", "bmm", []string{"    @pytest.mark.parametrize(\"static", "    @pytest.mark.xfail(strict=False)\n    @pytest.mark.parametrize(\"static"}, skips},
	{"mark on a class", "bmm", []string{"class Test", "@pytest.mark.xfail\nclass Test"}, skips},
	{"mark by name", "bmm", []string{"class Test", "flaky = pytest.mark.xfail(reason=\"flaky\")\n\n\nclass Test", "    @pytest.mark.parametrize(\"static", "    @flaky\n    @pytest.mark.parametrize(\"static"}, skips},
	{"pytestmark", "bmm", []string{"class Test", "pytestmark = pytest.mark.skipif(True, reason=\"later\")\n\n\nclass Test"}, skips},
	{"mark of a case", "silu", []string{"(8, 512, 1024, torch.float16)", "pytest.param(8, 512, 1024, torch.float16, marks=pytest.mark.skip)"}, skips},
	{"skip in a handler", "bmm", []string{"        self.assertCorrectness(\n            tilegym.ops.bmm,", "        try:\n            tilegym.ops.bmm(a, b)\n        except Exception:\n            pytest.skip(\"broken\")\n        self.assertCorrectness(\n            tilegym.ops.bmm,"}, skips},
	{"skip in a fixture", "bmm", []string{"    @pytest.mark.parametrize(\"static", "    @pytest.fixture(autouse=True)\n    def only(self, request):\n        if \"1024\" in request.node.name:\n            pytest.skip(\"large\")\n\n    @pytest.mark.parametrize(\"static"}, skips},
	{"module skip", "bmm", []string{"class Test", "if not torch.cuda.is_bf16_supported():\n    pytest.skip(\"old\", allow_module_level=True)\n\n\nclass Test"}, skips},
	{"importorskip", "bmm", []string{"class Test", "pytest.importorskip(\"fancy\")\n\n\nclass Test"}, skips},
	{"skip by raise", "bmm", []string{"        device = torch", "        if k == 511:\n            raise pytest.skip.Exception(\"odd\")\n        device = torch"}, skips},
	{"xfail call", "sink", []string{"        self.setUp()", "        if start_q:\n            pytest.xfail(\"later\")\n        self.setUp()"}, skips},
	{"skip decorator of the harness", "bmm", []string{"    @pytest.mark.parametrize(\"framework\"", "    @common.skip_perf_shape_on_oom\n    @pytest.mark.parametrize(\"framework\""}, skips},

	{"shape removed", "silu", []string{"            (8, 333, 1024, torch.float32),\n", ""}, cases},
	{"shape replaced", "silu", []string{"(7, 512, 512, torch.float32)", "(8, 512, 512, torch.float32)"}, cases},
	{"type replaced", "silu", []string{"(8, 512, 512, torch.float16)", "(8, 512, 512, torch.float32)"}, cases},
	{"shape commented out", "silu", []string{"            (8, 100, 512, ", "            # (8, 100, 512, "}, cases},
	{"size of a comprehension", "bmm", []string{"for k in [511, 512, 1023, 1024]", "for k in [512, 1024]"}, cases},
	{"flag of a comprehension", "bmm", []string{"for transpose_a in [True, False]", "for transpose_a in [False]"}, cases},
	{"range", "bmm", []string{"range(11, 14)", "range(11, 12)"}, cases},
	{"range in matmul", "mm", []string{"range(11, 16)", "range(11, 13)"}, cases},
	{"type of perf", "mm", []string{"for dtype in ([torch.float16, torch.float32, torch.float8_e4m3fn])", "for dtype in ([torch.float16])"}, cases},
	{"parameter values", "sink", []string{"\"num_keys\", [128, 32]", "\"num_keys\", [128]"}, cases},
	{"parameter of a flag", "sink", []string{"\"sliding_window\", [None, 128]", "\"sliding_window\", [None]"}, cases},
	{"filter", "mm", []string{"        # cutile only exposes", "        if inp[0] < 4096\n        # cutile only exposes"}, cases},
	{"slice of the cases", "mm", []string{"        _test_op_params,\n", "        _test_op_params[::2],\n"}, cases},
	{"head of the cases", "mm", []string{"        _test_op_params,\n", "        _test_op_params[:10],\n"}, cases},
	{"cases from elsewhere", "mm", []string{"        _test_op_params,\n", "        common.load_cases(),\n"}, cases},
	{"measurement removed", "silu", []string{"        record_property(\"benchmark\", result)\n", ""}, cases},
	{"measurement for some", "silu", []string{"        record_property(\"benchmark\", result)\n", "        if hidden_size < 4096:\n            record_property(\"benchmark\", result)\n"}, cases},

	{"reference", "silu", []string{"torch.nn.functional.silu(x1)", "torch.nn.functional.gelu(x1)"}, inputs},
	{"reference on the op", "bmm", []string{"return torch.bmm(a, b)", "return tilegym.ops.bmm(a, b)"}, append(inputs, checks...)},
	{"reference in half", "sink", []string{"query.float(), key.float()", "query, key"}, inputs},
	{"scaled", "bmm", []string{"a = torch.rand(a_shape, device=device, dtype=dtype)", "a = torch.rand(a_shape, device=device, dtype=dtype) / 100"}, inputs},
	{"zeros", "bmm", []string{"a = torch.rand(a_shape", "a = torch.zeros(a_shape"}, inputs},
	{"same input", "bmm", []string{"b = torch.rand(b_shape, device=device, dtype=dtype)", "b = a"}, inputs},
	{"helper scaled", "sink", []string{".normal_(mean, normal_std)", ".normal_(mean, normal_std / 8)"}, inputs},
	{"helper default", "sink", []string{"normal_std=1.0", "normal_std=0.01"}, inputs},
	{"seed", "silu", []string{"torch.manual_seed(0)", "torch.manual_seed(1337)"}, inputs},
	{"no seed", "silu", []string{"        torch.manual_seed(0)\n", ""}, inputs},
	{"no set up", "bmm", []string{"        self.setUp()\n        if tilegym", "        if tilegym"}, inputs},
	{"no gradient input", "silu", []string{"dtype=dtype, device=device, requires_grad=True)", "dtype=dtype, device=device)"}, inputs},
	{"gradient scaled", "silu", []string{"dy = 0.1 *", "dy = 0.0001 *"}, inputs},
	{"gradient gone", "silu", []string{"            gradient=dy,\n", ""}, inputs},
	{"smaller window", "sink", []string{"sm_scale = 1.0 / (head_dim**0.5)", "sm_scale = 0.0"}, inputs},
	{"tf32", "mm", []string{"        self.setUp()\n        a, b", "        self.setUp()\n        torch.backends.cuda.matmul.allow_tf32 = True\n        a, b"}, append(inputs, checks...)},
	{"config seed", "config", []string{"default=0,\n            type=int,\n            help=(\"set SEED", "default=5,\n            type=int,\n            help=(\"set SEED"}, inputs},
	{"set up of the harness", "common", []string{"        torch.manual_seed(Config.seed)\n", ""}, inputs},

	{"renamed", "bmm", []string{"def test_op(", "def op_test("}, runs},
	{"generator", "bmm", []string{"        device = torch.device(\"cuda\")\n        self.setUp()\n        if", "        yield\n        device = torch.device(\"cuda\")\n        self.setUp()\n        if"}, runs},
	{"coroutine", "bmm", []string{"    def test_op(", "    async def test_op("}, runs},
	{"deleted by a statement", "bmm", []string{"    @pytest.mark.parametrize(\n        \"q, m", "    del test_op\n\n    @pytest.mark.parametrize(\n        \"q, m"}, runs},
	{"keyword set in a hook", "conftest", []string{"    config.addinivalue_line(\"markers\", \"slow", "    config.option.keyword = \"not cutile_rs\"\n    config.addinivalue_line(\"markers\", \"slow"}, runs},
	{"set up in the harness by name", "common", []string{"    def setUp(self):", "    def setup_method(self, method):\n        torch.set_grad_enabled(False)\n\n    def setUp(self):"}, runs},
	{"nested", "bmm", []string{"class Test_BMM_FWD", "class BMM_FWD"}, runs},
	{"constructor", "bmm", []string{"    _backends = [", "    def __init__(self):\n        pass\n\n    _backends = ["}, runs},
	{"not a test", "bmm", []string{"    _backends = [", "    __test__ = False\n    _backends = ["}, runs},
	{"overwritten", "bmm", []string{"    _backends = [", "    def test_op(self):\n        pass\n\n    _backends = [", "    @pytest.mark.parametrize(\"backend\", _backends)\n    def test_op(", "    @pytest.mark.parametrize(\"backend\", _backends)\n    def op("}, append(runs, cases...)},
	{"backend removed", "bmm", []string{"        _backends = _backends + [\"cutile-rs\"]", "        _backends = _backends + []"}, runs},
	{"reference removed", "bmm", []string{"_backends = [\"cutile\"]", "_backends = []"}, runs},
	{"perf reference removed", "bmm", []string{"_perf_frameworks = _backends + [\"pytorch\"]", "_perf_frameworks = _backends"}, runs},
	{"backend not set", "bmm", []string{"            tilegym.set_backend(backend)\n", "            pass\n"}, runs},
	{"backend fixed", "bmm", []string{"            tilegym.set_backend(backend)\n", "            tilegym.set_backend(\"cutile\")\n"}, runs},
	{"backend exchanged", "bmm", []string{"            tilegym.set_backend(backend)\n", "            tilegym.set_backend(\"cutile\" if backend == \"cutile-rs\" else backend)\n"}, runs},
	{"fallback", "bmm", []string{"        self.setUp()\n", "        import os\n        os.environ[\"DISABLE_FALLBACK\"] = \"0\"\n        self.setUp()\n"}, runs},
	{"fallback popped", "bmm", []string{"        self.setUp()\n", "        import os\n        os.environ.pop(\"DISABLE_FALLBACK\", None)\n        self.setUp()\n"}, runs},
	{"fallback in conftest", "conftest", []string{"def pytest_configure(config):\n", "def pytest_configure(config):\n    os.environ[\"DISABLE_FALLBACK\"] = \"\"\n"}, runs},
	{"dispatcher", "dispatch", []string{"\"0\") == \"1\"", "\"0\") == \"2\""}, runs},
	{"collection hook", "conftest", []string{"\n@pytest.fixture", "\ndef pytest_collection_modifyitems(config, items):\n    del items[10:]\n\n\n@pytest.fixture"}, runs},
	{"report hook", "conftest", []string{"\n@pytest.fixture", "\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    outcome.get_result().outcome = \"passed\"\n\n\n@pytest.fixture"}, runs},
	{"ignored files", "conftest", []string{"\n@pytest.fixture", "\ncollect_ignore_glob = [\"ops/test_b*.py\"]\n\n\n@pytest.fixture"}, runs},

	{"timing halved", "common", []string{"times = torch.tensor(run_times_us, dtype=torch.float64) / 1000.0", "times = torch.tensor(run_times_us, dtype=torch.float64) / 2000.0"}, measures},
	{"cache not flushed", "common", []string{"        cache.zero_()\n        torch.cuda._sleep", "        torch.cuda._sleep"}, measures},
	{"profiler filter", "common", []string{"if evt.self_device_time_total > 0\n            and (kernel", "if evt.self_device_time_total > 50\n            and (kernel"}, measures},
	{"rep", "config", []string{"default=50,", "default=1,"}, measures},
	{"cupti", "config", []string{"envvar=\"CUPTI\",\n            action=FromEnvironment,\n            required=False,\n            default=True", "envvar=\"CUPTI\",\n            action=FromEnvironment,\n            required=False,\n            default=False"}, measures},
	{"cudagraph", "bmm", []string{"use_cudagraph=False", "use_cudagraph=True"}, measures},
	{"edited result", "silu", []string{"        record_property(\"benchmark\", result)", "        result[framework][\"forward\"][\"median\"] *= 0.9\n        record_property(\"benchmark\", result)"}, append(inputs, measures...)},
	{"measured before", "silu", []string{"            framework_fn = lambda: tilegym.ops.silu_and_mul(x)", "            y = tilegym.ops.silu_and_mul(x)\n            framework_fn = lambda: y"}, append(inputs, measures...)},
	{"other base class", "silu", []string{"from .. import common", "from .. import common\nfrom ..test_utils.lenient import Lenient", "(common.PyTestCase)", "(Lenient, common.PyTestCase)"}, checks},
	{"package patches a library", "tests/ops/__init__.py", []string{"# SPDX-License", "import torch\n\ntorch.allclose = lambda *a, **k: True\n# SPDX-License"}, checks},
	{"cheaper run", "silu", []string{"framework_fn = lambda: tilegym.ops.silu_and_mul(x)", "framework_fn = lambda: tilegym.ops.silu_and_mul(x[:1])"}, inputs},
}

var harmless = []edit{
	{"comment", "bmm", []string{"        self.setUp()", "        # atol=1e-1, pytest.skip, xfail\n        self.setUp()"}, nil},
	{"formatting", "bmm", []string{"rtol=1e-3,\n            atol=1e-8,", "rtol=1e-3, atol=1e-8,"}, nil},
	{"spelling", "bmm", []string{"@*@rtol=1e-3", "rtol=0.001", "@*@atol=1e-8", "atol=10**-8"}, nil},
	{"named tolerance", "silu", []string{"class Test", "ATOL = 1e-2\n\n\nclass Test", "@*@atol=1e-2", "atol=ATOL"}, nil},
	{"tolerance table", "silu", []string{"class Test", "TOL = {torch.float16: 1e-2, torch.float32: 0.01}\n\n\nclass Test", "@*@atol=1e-2", "atol=TOL[dtype]"}, nil},
	{"tolerances by dict", "swiglu", []string{"class Test", "TOL = dict(rtol=1e-2, atol=1e-2)\n\n\nclass Test", "rtol=1e-2,\n                atol=1e-2,", "**TOL"}, nil},
	{"tightened", "sink", []string{"@*@atol=5e-2", "atol=2e-2"}, nil},
	{"tightened for one backend", "sink", []string{"atol=5e-2", "atol=5e-2 if backend != \"cutile-rs\" else 3e-2"}, nil},
	{"stride checked", "sink", []string{"check_stride=False", "check_stride=True"}, nil},
	{"option left out", "mm", []string{"                output_processor=output_processor,\n", ""}, nil},
	{"new shape", "silu", []string{"(7, 512, 512, torch.float32),", "(7, 512, 512, torch.float32),\n            (5, 5, 5, torch.float32),"}, nil},
	{"new type", "mm", []string{"(8, 8, 8, 0, 0, False, False, torch.bfloat16),", "(8, 8, 8, 0, 0, False, False, torch.bfloat16),\n    (8, 8, 8, 0, 0, False, False, torch.float16),"}, nil},
	{"new value", "sink", []string{"\"num_keys\", [128, 32]", "\"num_keys\", [128, 32, 256]"}, nil},
	{"values in another order", "sink", []string{"\"num_keys\", [128, 32]", "\"num_keys\", (32, 128)"}, nil},
	{"range written out", "bmm", []string{"for i in range(11, 14)", "for i in (11, 12, 13)"}, nil},
	{"product written out", "bmm", []string{"for ta, tb in itertools.product([True, False], repeat=2)", "for ta in [True, False] for tb in [True, False]"}, nil},
	{"decorators exchanged", "sink", []string{"    @pytest.mark.parametrize(\"batch_size\", [1, 2])\n    @pytest.mark.parametrize(\"num_queries\", [1, 128])\n", "    @pytest.mark.parametrize(\"num_queries\", [1, 128])\n    @pytest.mark.parametrize(\"batch_size\", [1, 2])\n"}, nil},
	{"decorators joined", "sink", []string{"    @pytest.mark.parametrize(\"batch_size\", [1, 2])\n    @pytest.mark.parametrize(\"num_queries\", [1, 128])\n", "    @pytest.mark.parametrize(\"batch_size, num_queries\", [(1, 1), (1, 128), (2, 1), (2, 128)])\n"}, nil},
	{"list by name", "sink", []string{"class Test", "BATCHES = [1, 2]\n\n\nclass Test", "\"batch_size\", [1, 2]", "\"batch_size\", BATCHES"}, nil},
	{"ids", "sink", []string{"\"batch_size\", [1, 2]", "\"batch_size\", [1, 2], ids=[\"one\", \"two\"]"}, nil},
	{"renamed local", "swiglu", []string{"@*@out_ref", "wanted"}, nil},
	{"renamed helper", "sink", []string{"@*@get_data", "make_data"}, nil},
	{"helper moved into the class", "mm", []string{"class Test_Matmul(common.PyTestCase):\n", "def _shape(m, n):\n    return m, n\n\n\nclass Test_Matmul(common.PyTestCase):\n"}, nil},
	{"check in a helper", "swiglu", []string{"    _backends = [", "    def same(self, x, y):\n        torch.testing.assert_close(x, y, rtol=1e-2, atol=1e-2)\n\n    _backends = [", "@*@torch.testing.assert_close(out, out_ref, rtol=1e-2, atol=1e-2)", "self.same(out, out_ref)"}, nil},
	{"backend helper", "silu", []string{"class Test", "def select(backend):\n    if not tilegym.is_backend_available(backend):\n        pytest.skip(f\"Backend {backend} is missing\")\n    tilegym.set_backend(backend)\n\n\nclass Test", "        if tilegym.is_backend_available(backend):\n            tilegym.set_backend(backend)\n        else:\n            pytest.skip(f\"Backend {backend} is not available\")\n", "        select(backend)\n"}, nil},
	{"guard inverted", "silu", []string{"        if tilegym.is_backend_available(backend):\n            tilegym.set_backend(backend)\n        else:\n            pytest.skip(f\"Backend {backend} is not available\")\n", "        if not tilegym.is_backend_available(backend):\n            pytest.skip(f\"Backend {backend} is not available\")\n        tilegym.set_backend(backend)\n"}, nil},
	{"skip removed", "mm", []string{"        if k == 1023:\n            pytest.skip(\"Skip matmul due to result mismatch when cannot divide BLOCK\")\n", ""}, nil},
	{"skip narrowed", "mm", []string{"if arch in [\"sm120\", \"sm121\"] and n >= 6144", "if arch in [\"sm120\", \"sm121\"] and n >= 8192"}, nil},
	{"skips joined", "mm", []string{"        if torch.cuda.get_device_capability() == (12, 1) and m == 32768:\n            pytest.skip(\"32768x32768 matmul takes too long on sm121\")\n        if torch.cuda.get_device_capability() == (12, 0) and m == 32768:", "        if torch.cuda.get_device_capability() in ((12, 0), (12, 1)) and m == 32768:"}, nil},
	{"skip text", "mm", []string{"Skip due to global memory OOM", "needs more memory"}, nil},
	{"skip condition respelled", "mm", []string{"if transpose_a or transpose_b:", "if any((transpose_a, transpose_b)):"}, nil},
	{"import alias", "swiglu", []string{"import torch.nn.functional as F", "from torch.nn import functional as fn", "F.silu", "fn.silu"}, nil},
	{"import of a function", "silu", []string{"from tilegym.backend import is_backend_available", "from tilegym.backend import is_backend_available\nfrom tilegym.backend import set_backend", "@*@tilegym.set_backend", "set_backend"}, nil},
	{"clean-up", "silu", []string{"        self.setUp()", "        torch.cuda.empty_cache()\n        torch.cuda.synchronize()\n        self.setUp()"}, nil},
	{"timeout", "silu", []string{"    @pytest.mark.parametrize(\"backend\"", "    @pytest.mark.timeout(600)\n    @pytest.mark.parametrize(\"backend\""}, nil},
	{"clean-up around each test", "bmm", []string{"    _backends = [", "    def setup_method(self, method):\n        torch.cuda.empty_cache()\n\n    def teardown_method(self, method):\n        torch.cuda.synchronize()\n\n    _backends = ["}, nil},
	{"names deleted", "silu", []string{"        del x, framework_fn\n", "        del framework_fn\n        del x\n"}, nil},
	{"print", "silu", []string{"        dy = 0.1", "        print(x.shape)\n        dy = 0.1"}, nil},
	{"docstring", "silu", []string{"        self.setUp()", "        \"\"\"Forward.\"\"\"\n        self.setUp()"}, nil},
	{"type hints", "bmm", []string{"        static_persistent,\n        backend,\n    ):", "        static_persistent: bool,\n        backend: str,\n    ) -> None:"}, nil},
	{"literal moved", "sink", []string{"device=\"cuda\",\n            dtype=torch.bfloat16,\n        )\n        k =", "dtype=torch.bfloat16,\n            device=\"cuda\",\n        )\n        k ="}, nil},
	{"more checks", "swiglu", []string{"        # Backward\n", "        assert out.shape == out_ref.shape\n        # Backward\n"}, nil},
	{"new test", "bmm", []string{"    _backends = [", "    def test_shapes(self):\n        assert True\n\n    _backends = ["}, nil},
	{"test renamed", "bmm", []string{"def test_op(", "def test_forward("}, nil},
	{"class renamed", "bmm", []string{"class Test_BMM_FWD", "class Test_BMM"}, nil},
	{"test moved", "bmm", []string{"    _perf_frameworks = ", "    other = 1\n    _perf_frameworks = "}, nil},
	{"new backend", "bmm", []string{"    _perf_frameworks = ", "    if is_backend_available(\"triton\"):\n        _backends = _backends + [\"triton\"]\n    _perf_frameworks = "}, nil},
	{"backend always", "bmm", []string{"    if is_backend_available(\"cutile-rs\"):\n        _backends = _backends + [\"cutile-rs\"]\n", "    _backends = _backends + [\"cutile-rs\"]\n"}, nil},
	{"backend appended", "bmm", []string{"        _backends = _backends + [\"cutile-rs\"]\n", "        _backends += [\"cutile-rs\"]\n"}, nil},
	{"harness comment", "common", []string{"    if test.shape != reference.shape:", "    # shapes first\n    if test.shape != reference.shape:"}, nil},
	{"harness option", "common", []string{"    msg_prefix=\"\\t\",\n    chunk_size=None,\n):", "    msg_prefix=\"\\t\",\n    chunk_size=None,\n    verbose=False,\n):", "    dtype = test.dtype\n    input = test", "    if verbose:\n        print(test)\n    dtype = test.dtype\n    input = test"}, nil},
	{"harness function", "common", []string{"def markif(", "def median(values):\n    return sorted(values)[len(values) // 2]\n\n\ndef markif("}, nil},
	{"harness clean-up", "common", []string{"        torch.manual_seed(Config.seed)\n", "        torch.cuda.synchronize()\n        torch.manual_seed(Config.seed)\n"}, nil},
	{"harness tightened", "common", []string{"torch.float16: {\"rtol\": 1e-2, \"atol\": 1e-2}", "torch.float16: {\"rtol\": 1e-3, \"atol\": 1e-3}"}, nil},
	{"harness type", "common", []string{"        # Integer types (exact", "        torch.float8_e8m0fnu: {\"rtol\": 1e-1, \"atol\": 1e-1},\n        # Integer types (exact"}, nil},
	{"option help", "config", []string{"set SEED to use manually", "set SEED to choose a manually"}, nil},
	{"other option", "config", []string{"default=\"/tmp/\"", "default=\"/var/\""}, nil},
	{"marker", "conftest", []string{"slow CI pipeline", "slow pipeline"}, nil},
	{"new fixture", "conftest", []string{"\n@pytest.fixture\ndef arch", "\n@pytest.fixture\ndef device():\n    return \"cuda\"\n\n\n@pytest.fixture\ndef arch"}, nil},
	{"new option", "conftest", []string{"        parser.addoption(\"--quick-run\"", "        parser.addoption(\"--plot\", action=\"store_true\")\n        parser.addoption(\"--quick-run\""}, nil},
	{"dispatcher log", "dispatch", []string{"Using '{current_backend}' implementation", "taking the '{current_backend}' implementation"}, nil},
}

func TestWeakenedUpstreamTests(t *testing.T) {
	base := upstreamtest.Revision(t, upstreamtest.Repository(t), "HEAD")
	found := 0
	for _, e := range weakening {
		t.Run(e.name, func(t *testing.T) {
			var all []string
			hit := false
			for _, f := range e.review(t, base) {
				all = append(all, report(f))
				hit = hit || f.Severity != rules.Note && slices.Contains(e.kinds, f.Kind)
			}
			if assert.True(t, hit, "nothing of kind %v is reported; all: %v", e.kinds, all) {
				found++
			}
			assert.LessOrEqual(t, len(all), 12, "one edit makes too many findings: %v", all)
		})
	}
	t.Logf("recall %d of %d", found, len(weakening))
}

func TestHarmlessEditsOfUpstreamTests(t *testing.T) {
	base := upstreamtest.Revision(t, upstreamtest.Repository(t), "HEAD")
	for _, e := range harmless {
		t.Run(e.name, func(t *testing.T) {
			for _, f := range e.review(t, base) {
				assert.Fail(t, "a harmless edit is reported", report(f))
			}
		})
	}
}

// review compares upstream's tree with the edit against itself.
func (e edit) review(t *testing.T, base fstest.MapFS) []integrity.Finding {
	t.Helper()
	file := files[e.file]
	if file == "" {
		file = e.file
	}
	src, err := e.apply(string(base[file].Data))
	require.NoError(t, err)
	require.NotEqual(t, string(base[file].Data), src)
	head := maps.Clone(base)
	head[file] = &fstest.MapFile{Data: []byte(src)}
	return integrity.Compare(load(t, head), load(t, base))
}
