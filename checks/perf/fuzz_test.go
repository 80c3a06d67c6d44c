package perf

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/records"
)

func seedJUnit(f *testing.F, add func(text []byte)) {
	for _, name := range []string{"rms_norm_ref.xml", "nan_std.xml", "interrupted.xml", "rope_ref.xml"} {
		text, err := os.ReadFile(filepath.Join("../../testdata/junit", name))
		require.NoError(f, err)
		add(text)
	}
	add(junit(bench{params: "1", backend: "cutile-rs", median: 1}, bench{params: "1", backend: "cutile", median: 1.1}))
	add(junit(bench{params: "1", backend: "cutile-rs", raw: "{'cutile-rs': {'forward': {'median': nan}}}"}, bench{params: "1", backend: "cutile", raw: "[]"}, bench{params: "2", backend: "cutile", skip: "no"}))
	add(junit(bench{params: "1", backend: "cutile-rs", median: 1e308}, bench{params: "1", backend: "cutile", median: 5e-324}, bench{params: "1", backend: "cutile", median: -1}))
}

// FuzzCompare: any two files make a verdict that can be written, and DONE only when
// something was measured on both sides and no file is damaged or half a run.
func FuzzCompare(f *testing.F) {
	var texts [][]byte
	seedJUnit(f, func(text []byte) { texts = append(texts, text) })
	for _, a := range texts {
		f.Add(a, a, uint8(2), "cutile-rs", "cutile")
		f.Add(a, texts[0][:len(texts[0])/2], uint8(0), "triton", "pytorch")
	}
	f.Fuzz(func(t *testing.T, a, b []byte, rounds uint8, candidate, reference string) {
		var files []File
		for i := range 1 + int(rounds)%4 {
			text := a
			if i%2 == 1 {
				text = b
			}
			files = append(files, File{records.ReadJUnit("x.xml", bytes.NewReader(text)), Side(int(rounds) / 4 % 3)})
		}
		hostile.Ends(t, (len(a)+len(b))*len(files), func() {
			v := Compare(files, nil, Options{Candidate: candidate, Reference: reference, MaxMissing: float64(rounds%2) / 2})
			checkVerdict(t, v, files)
		})
	})
}

func checkVerdict(t *testing.T, v Verdict, files []File) {
	t.Helper()
	require.Contains(t, []string{"DONE", "INVESTIGATE", "BLOCKED"}, v.Verdict)
	require.NotEmpty(t, v.Sentence)
	text, err := json.Marshal(v)
	require.NoError(t, err, "the verdict is no JSON")
	require.True(t, utf8.Valid(text))
	require.NoError(t, WriteText(io.Discard, v))
	require.NoError(t, WriteMarkdown(io.Discard, v))
	if v.GeomeanRatio != nil {
		require.True(t, *v.GeomeanRatio > 0 && !math.IsInf(*v.GeomeanRatio, 0), "%v", *v.GeomeanRatio)
	}
	if c := v.Confidence; c != nil {
		require.True(t, c.Low > 0 && c.Low <= c.High && c.Level > 0 && c.Level < 1, "%+v", c)
	}
	if v.Verdict != "DONE" {
		return
	}
	require.NotNil(t, v.GeomeanRatio)
	require.LessOrEqual(t, *v.GeomeanRatio, DefaultThreshold+1e-8)
	require.NotEmpty(t, v.Configs)
	for _, f := range files {
		require.NoError(t, f.Damage, "DONE from a damaged file")
		require.Empty(t, f.Interrupted(), "DONE from half a run")
	}
}

// FuzzDamage: a file of measurements that was damaged anywhere is not judged as if
// it were whole: either it still holds every case, or it is not DONE.
func FuzzDamage(f *testing.F) {
	whole := junit(bench{params: "1", backend: "cutile-rs", median: 1}, bench{params: "1", backend: "cutile", median: 1}, bench{params: "2", backend: "cutile-rs", median: 1}, bench{params: "2", backend: "cutile", median: 1})
	for _, at := range []int{0, 1, 30, 100, 200, 300, len(whole) - 1} {
		f.Add(at, at+10, []byte(nil))
		f.Add(at, len(whole), []byte("</testsuite>"))
		f.Add(at, at, []byte("\x00<!--"))
	}
	f.Fuzz(func(t *testing.T, from, to int, instead []byte) {
		from = min(max(from, 0), len(whole))
		to = min(max(to, from), len(whole))
		text := append(append(append([]byte{}, whole[:from]...), instead...), whole[to:]...)
		file := xmlOf(text)
		v := Compare([]File{file}, nil, Options{Candidate: "cutile-rs", Reference: "cutile"})
		checkVerdict(t, v, []File{file})
		if v.Verdict == "DONE" && len(instead) == 0 && from < to {
			// What was cut out took none of the configs with it on one side only.
			require.Empty(t, v.Missing)
			require.Len(t, file.Cases, 2*len(v.Configs), "%d cases and %d configs from %q", len(file.Cases), len(v.Configs), text)
		}
	})
}

func xmlOf(text []byte) File { return File{records.ReadJUnit("x.xml", bytes.NewReader(text)), Both} }

// FuzzVariants: an analysis.json names variants or says what is wrong with it.
func FuzzVariants(f *testing.F) {
	f.Add([]byte(`{"kernel_variants":[{"name":"tma","reference_ir":"x"}],"config_to_variant":{"1-2":"tma"},"reference_backend":{"tma":"triton"}}`))
	f.Add([]byte(`{"config_to_variant":{"a":1,"b":null,"c":{}}}`))
	f.Add([]byte(`[1`))
	file := xmlFile("x", Both, bench{params: "1-2", backend: "cutile-rs", median: 1}, bench{params: "1-2", backend: "cutile", median: 1}, bench{params: "1-2", backend: "triton", median: 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		hostile.Ends(t, len(data), func() {
			v, err := ParseVariants(data)
			if err != nil {
				require.NotEmpty(t, err.Error())
				return
			}
			checkVerdict(t, Compare([]File{file}, nil, Options{Candidate: "cutile-rs", Reference: "cutile", Variants: v}), []File{file})
		})
	})
}

// FuzzEvidence: whatever both sides say about where they ran, DONE needs that they
// are comparable.
func FuzzEvidence(f *testing.F) {
	f.Add([]byte(`{"gpu_identity":{"name":"H200","driver":"1"},"timing":"cupti"}`), []byte(`{"gpu_identity":{"name":"H100","driver":"1"},"timing":"cupti"}`))
	f.Add([]byte(`{}`), []byte(`{"interrupted":true}`))
	file := xmlFile("x", Both, bench{params: "1", backend: "cutile-rs", median: 1}, bench{params: "1", backend: "cutile", median: 1})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var all []job.Evidence
		for _, data := range [][]byte{a, b} {
			var e job.Evidence
			if json.Unmarshal(data, &e) == nil {
				all = append(all, e)
			}
		}
		v := Compare([]File{file}, all, Options{Candidate: "cutile-rs", Reference: "cutile"})
		checkVerdict(t, v, []File{file})
		require.Contains(t, []string{"yes", "no", "unknown"}, v.Comparable)
		if len(all) == 2 && (all[0].GPUIdentity.Name != all[1].GPUIdentity.Name || all[0].GPUIdentity.Driver != all[1].GPUIdentity.Driver || all[0].Timing != all[1].Timing) {
			require.NotEqual(t, "DONE", v.Verdict, "%+v against %+v", all[0], all[1])
		}
	})
}
