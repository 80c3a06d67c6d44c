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

// What is missing says why and what to do about it.
func TestMissingData(t *testing.T) {
	v := Compare([]File{
		xmlFile("1", Both, rs("a", 1), cutile("a", 1), cutile("b", 1), bench{params: "c", backend: "cutile-rs", fail: "AssertionError: &#10;&#9;*** DID NOT MATCH"}, cutile("c", 1)),
		xmlFile("2", Both, rs("a", 1), cutile("a", 1), cutile("b", 1), rs("c", 1), cutile("c", 1)),
		xmlFile("3", Both, rs("a", 1), cutile("a", 1), cutile("b", 1), bench{params: "c", backend: "cutile-rs", fail: "AssertionError: &#10;&#9;*** DID NOT MATCH"}, cutile("c", 1)),
	}, nil, cutileOptions)
	require.Equal(t, MissingData, v.Severity)
	require.Equal(t, []Missing{
		{"test_perf[b]", "candidate", "all 3 rounds: not in the records"},
		{"test_perf[c]", "candidate", "rounds 1, 3: failed: AssertionError: *** DID NOT MATCH"},
	}, v.Missing)
	require.Equal(t, "Configs without a time", v.Triage[0].heading())
	require.Len(t, v.Triage[0].Steps, 2)
	require.Contains(t, v.Triage[0].Steps[0], "test_perf[c] (candidate): Make these cases pass first")
	require.Contains(t, v.Triage[0].Steps[1], "test_perf[b] (candidate): Measure the same cases on both sides")
}

// Each step says what it is about before the rules' numbers.
func TestHeadings(t *testing.T) {
	v := Compare([]File{xmlFile("1", Both, rs("a", 1.2), cutile("a", 1))}, nil, cutileOptions)
	var b strings.Builder
	require.NoError(t, WriteText(&b, v))
	require.Contains(t, b.String(), "1. The kernel itself is slower (R42, P11, P10, R20, R8)\n")
	for _, a := range launchAdvice {
		require.NotEmpty(t, a.title)
	}
}

// Which of the two signs of noise it is, and where, is told.
func TestWhyEveryConfigIsNoisy(t *testing.T) {
	v := Compare([]File{recorded(t, "rope_ref.xml", Both)}, nil, Options{Candidate: "triton", Reference: "pytorch"})
	require.Contains(t, strings.Join(v.Notes, "\n"), "every config is noisy: fewer than 3 repetitions in all of them")
	require.Contains(t, v.Configs[0].Note, "only 2 repetitions (reference)")
}

// A backend that the records do not have is answered with those that they have.
func TestWrongBackend(t *testing.T) {
	v := Compare([]File{xmlFile("1", Both, rs("a", 1), cutile("a", 1))}, nil, Options{Candidate: "foo", Reference: "cutile"})
	require.Equal(t, "BLOCKED: no measurement: no perf case of foo in the records; they have cutile, cutile-rs. 1 of 1 config missing.", v.Sentence)
	v = Compare([]File{xmlFile("1", Both, rs("a", 1), cutile("a", 1))}, nil, Options{Candidate: "foo", Reference: "bar"})
	require.Equal(t, "BLOCKED: no measurement: the records hold no perf case of foo or bar; they have cutile, cutile-rs.", v.Sentence)
	v = Compare([]File{xmlFile("1", Both, bench{params: "a", backend: "cutile-rs", median: 1, kernel: "aten"}, cutile("a", 1))}, nil, cutileOptions)
	require.Contains(t, v.Sentence, "1 of the records of cutile-rs is void")
}
