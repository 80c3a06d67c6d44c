package rules_test

import "github.com/tilegate/tilegate/checks/rules"

// The plants of the rules about tests join the table; upstream's tree is their
// base.
func init() {
	test := func(rule, kernel string, e edit) change {
		return change{rule, rules.Warning, kernel, map[string]edit{"test.py": e}, "test.py", true}
	}
	changes = append(changes,
		test("T1", "bmm", replace("rtol=1e-3,", 1, "1e-3", "5e-2")),
		test("T1", "attention_sink", replace("atol=5e-2,", 2, "5e-2", "5e-2 * 10")),
		test("T2", "swiglu", replace("assert_close(out, out_ref", 1, "out, out_ref", "out[:1], out_ref[:1]")),
		test("T2", "matmul", replace("rtol=1e-2,", 1, "rtol=1e-2,", "rtol=1e-2, equal_nan=True,")),
		test("T3", "silu_and_mul", replace("self.setUp()", 1, "self.setUp()", "pytest.skip('planted') if hidden_size > 512 else self.setUp()")),
		test("T4", "matmul", replace("(8, 8, 8, 0, 0,", 1, "(8, 8, 8,", "(16, 16, 16,")),
		test("T5", "attention_sink", replace("normal_(mean, normal_std)", 1, "normal_std)", "normal_std * 0.1)")),
		test("T6", "bmm", replace("def test_perf(", 1, "test_perf", "run_perf")),
		change{"T7", rules.Warning, "swiglu", map[string]edit{"wrapper.py": replace("import torch", 1, "import torch", "import torch; import pytest")}, "wrapper.py", true},
	)
}
