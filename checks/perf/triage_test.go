package perf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// profiled is a record with a profile: name, microseconds and launches.
func profiled(params, backend string, median float64, kernels ...any) bench {
	var b strings.Builder
	for i := 0; i < len(kernels); i += 3 {
		fmt.Fprintf(&b, "{'name': '%v', 'self_time_us': %v, 'count': %v}, ", kernels[i], kernels[i+1], kernels[i+2])
	}
	return bench{params: params, backend: backend, raw: fmt.Sprintf("{'%s': {'forward': {'median': %v, 'nrep': 50, 'kernel_times': [%s]}}}", backend, median, b.String())}
}

func TestTriageNamesTheKernelsOfBothSides(t *testing.T) {
	for _, tc := range []struct {
		name      string
		candidate []any
		rules     []string
		says      []string
	}{
		{"a copy and a fill", []any{"x_entry", 99, 1, "Memcpy DtoD (Device -> Device)", 60, 1, "Memset (Device)", 41, 1}, []string{"R41", "P9"},
			[]string{"3 launches against 1: x_entry; Memcpy DtoD (Device -> Device); Memset (Device) against k", "the own kernel alone takes 0.99 of the reference's device time"}},
		{"the kernel twice", []any{"x_entry", 200, 2}, []string{"R38", "R41", "P5"}, []string{"2 launches against 1: x_entry 2 times against k"}},
		{"a helper", []any{"x_entry", 150, 1, "other_kernel", 50, 1}, []string{"R42", "R41"}, []string{"x_entry; other_kernel against k", "own kernel alone takes 1.50"}},
	} {
		var cases []bench
		for i := range 12 {
			p := fmt.Sprint(i)
			cases = append(cases, profiled(p, "cutile-rs", 0.2, tc.candidate...), profiled(p, "cutile", 0.1, "k", 100, 1))
		}
		v := Compare([]File{xmlFile("a", Both, cases...)}, nil, cutileOptions)
		first := v.Triage[0]
		require.Equal(t, tc.rules, first.Rules, tc.name)
		require.Len(t, first.Steps, 2, "equal combinations of kernels are one line")
		require.Contains(t, first.Steps[1], "test_perf[0]; test_perf[1]; test_perf[2]; and 9 more: ")
		for _, s := range tc.says {
			require.Contains(t, first.Steps[1], s, tc.name)
		}
		require.Len(t, v.Triage, 2, "then the band's steps")
		require.NotContains(t, strings.Join(v.Triage[1].Steps, "\n"), "same number of kernels")
	}
}

// Launches are free of noise: an extra one is said though the time passes.
func TestTriageOfAnExtraLaunchThatPasses(t *testing.T) {
	v := Compare([]File{xmlFile("a", Both, profiled("1", "cutile-rs", 1, "x_entry", 999, 1, "void at::native::fill", 1, 1), profiled("1", "cutile", 1, "k", 1000, 1))}, nil, cutileOptions)
	require.Equal(t, Done, v.Verdict)
	require.Len(t, v.Triage, 1)
	require.Equal(t, []string{"R41", "P9"}, v.Triage[0].Rules)
}

func TestTriageOfHostTime(t *testing.T) {
	v := Compare([]File{xmlFile("a", Both, profiled("1", "cutile-rs", 1.2, "x_entry", 250, 1), profiled("1", "cutile", 1, "k", 250, 1))}, nil, cutileOptions)
	require.Equal(t, Investigate, v.Verdict)
	require.Contains(t, strings.Join(v.Triage[0].Steps, "\n"), "The kernels make up 0.25 of the times")
}

func TestReferenceThatMayHaveFallenBack(t *testing.T) {
	files := []File{xmlFile("a", Both,
		profiled("1", "cutile-rs", 1, "x_entry", 1000, 1), profiled("1", "cutile", 1, "void at::native::softmax", 1000, 1),
		profiled("2", "cutile-rs", 1, "x_entry", 1000, 1), profiled("2", "cutile", 1, "k", 900, 1, "void at::native::fill", 100, 1))}
	v := Compare(files, nil, cutileOptions)
	require.Contains(t, strings.Join(v.Notes, "\n"), "only the framework's kernels for test_perf[1]: it may have fallen back")
}

func TestTriageListsAreBounded(t *testing.T) {
	var cases []bench
	for i := range 3000 {
		p := fmt.Sprint(i)
		cases = append(cases, profiled(p, "cutile-rs", 2, "x_entry", 1000, 1, fmt.Sprintf("helper_%d", i), 1000, 1), profiled(p, "cutile", 1, "k", 1000, 1))
	}
	v := Compare([]File{xmlFile("a", Both, cases...)}, nil, cutileOptions)
	require.Len(t, v.Triage[0].Steps, 7)
	require.Equal(t, "2995 more combinations of kernels", v.Triage[0].Steps[6])
}

func TestMarkdownHeadlineSaysEachWordOnce(t *testing.T) {
	for median, want := range map[float64]string{1: "**DONE**\n", 1.07: "**INVESTIGATE** (MILD_GAP)\n"} {
		var b bytes.Buffer
		require.NoError(t, WriteMarkdown(&b, Compare([]File{xmlFile("a", Both, rs("1", median), cutile("1", 1))}, nil, cutileOptions)))
		require.True(t, strings.HasPrefix(b.String(), want), b.String())
	}
}
