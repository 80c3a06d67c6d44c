package r02_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tilegate/tilegate/checks/rules/r02"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r02.Rule) }

func TestDecimal(t *testing.T) {
	for in, want := range map[string]string{
		"1e-6f32": "0.000001f32", "1.5e3": "1500.0", "2.5E+0_f32": "2.5f32", "1_0.25e1f16": "102.5f16",
		"12.5e-1": "1.25", "1e38f32": "100000000000000000000000000000000000000.0f32", "0e5": "0.0",
		"1e-400": "", "1.0f32": "", "3.e2": "300.0",
	} {
		got, ok := r02.Decimal(in)
		assert.Equal(t, want != "", ok, in)
		assert.Equal(t, want, got, in)
	}
}
