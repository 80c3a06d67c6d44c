package triage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
)

// What says only that something failed comes after what names a mechanism, whichever
// of them a log has first.
func TestGeneralComesAfterTheMechanism(t *testing.T) {
	const (
		linker  = "error: linking with `cc` failed: exit status: 1"
		script  = "error: failed to run custom build command for `syn v2.0.117`"
		rust    = "error[E0191]: the value of the associated type `Elem` must be specified\n  --> src/lib.rs:40:9"
		fetch   = "error: failed to download `half v2.4.1`"
		wheel   = "ERROR: Failed building wheel for cffi"
		step    = "ERROR: failed to solve: process \"/bin/sh -c make wheel\" did not complete successfully: exit code: 2"
		cargo   = "RuntimeError: cutile-rs: cargo build failed (exit 101) in cutile_kernels:"
		collect = "_____ ERROR collecting tests/ops/test_bmm.py _____"
		crash   = "worker 'gw0' crashed while running 'tests/ops/test_bmm.py::test_op[cutile-rs-1]'"
		panics  = "thread '<unnamed>' panicked at src/bmm_kernel/ffi.rs:40:9:\nno such thing\npanic in a function that cannot unwind"
		unwrap  = "thread 'main' panicked at src/bmm_kernel/ffi.rs:77:44:\ncalled `Result::unwrap()` on an `Err` value: Missing"
		aborts  = "Fatal Python error: Aborted\n\n  File \"src/tilegym/ops/cutile_rs/bmm.py\", line 80 in _run_ffi"
		rustT   = "test pipeline::bmm ... FAILED"
		noTime  = "RuntimeError: CUPTI returned 0 device time for config {'BM': 64}."
		slower  = "Performance regressions detected!"
		python  = "src/tilegym/ops/cutile_rs/softmax.py:61: TypeError"
		asserts = "tests/ops/test_dump.py:41: AssertionError"
		denied  = "PermissionError: [Errno 13] Permission denied: '/opt/cache/a'"
		tileC   = "cuda.tile.TileCompilerExecutionError: Return code -11"
		triton  = "torch._inductor.exc.InductorError: it did not work"
		absent  = "cp: cannot stat 'target/release/libcutile_kernels.so': No such file or directory"
		noFile  = "##[error]No files were found with the provided path: results/*.xml. No artifacts will be uploaded."
		library = "FileNotFoundError: libcutile_kernels.so not found at target/release/libcutile_kernels.so. Build it first."
		skipped = "==================== 164 skipped in 8.27s ===================="
		none    = "===== 40 deselected in 1.20s ====="
		tuned   = "RuntimeError: cutile-rs autotune [bmm]: all 12 configs failed"
		stopped = "##[error]The operation was canceled."
		timeout = "Failed: Timeout >60.0s"
		device  = "RuntimeError: cutile_bmm failed (rc=-4): device init failed"
		jit     = "cutile_bmm launch failed: Anyhow(\"it did not work\")"
		report  = "xml.etree.ElementTree.ParseError: no element found: line 1, column 0"
		docker  = "##[error]Docker start fail with exit code 1"
		differ  = "AssertionError: Tensor-likes are not close!"
	)
	const (
		killed    = "collect2: fatal error: ld terminated with signal 9 [Killed]"
		twice     = "rust-lld: error: duplicate symbol: cutile_rms_norm"
		noLib     = "/usr/bin/ld: cannot find -lcuda: No such file or directory"
		versions  = "note: there are multiple different versions of crate `cudarc` in the dependency graph"
		foreign   = "error[E0514]: found crate `half` compiled by an incompatible version of rustc"
		full      = "OSError: [Errno 28] No space left on device"
		cert      = "SSL certificate problem: unable to get local issuer certificate"
		locked    = "error: the lock file /src/Cargo.lock needs to be updated but --locked was passed to prevent this"
		header    = "fatal error: 'stddef.h' file not found"
		glibc     = "OSError: libm.so.6: version `GLIBC_2.39' not found (required by libcutile_kernels.so)"
		circle    = "ImportError: cannot import name 'a' from 'tilegym' (most likely due to a circular import)"
		freed     = "free(): double free detected in tcache 2"
		illegal   = "RuntimeError: CUDA error: an illegal memory access was encountered"
		crashed   = "tileiras failed (exit signal: 11 (SIGSEGV) (core dumped)) for gpu sm_100:"
		ptx       = "ptxas fatal   : Unsupported .version 9.1; current version is '8.8'"
		throttled = "HW Thermal Slowdown : Active"
		busy      = "RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable"
		mount     = "could not execute process `/b/build/syn-1/build-script-build` (never executed)\nPermission denied (os error 13)"
		rooted    = "##[error]File was unable to be removed Error: EACCES: permission denied, rmdir '/opt/runner/_work/o/reports'"
		fallback  = "Current backend 'cutile-rs' has no implementation for 'bmm'. Falling back to 'pytorch'"
		grid      = "cutile_bmm launch failed: Anyhow(\"Specified launch grid does not match inferred tensor partition grid\")"
		oneKey    = "the autotune key lacks the variant"
		artifact  = "no valid artifacts found to download"
		mismatch  = "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown"
		race      = "run 0 vs run 3: 188 of 262144 elements differ"
	)
	for _, c := range []struct{ want, general, specific string }{
		{"S-B27", linker, killed}, {"S-B39", linker, twice}, {"S-B59", linker, noLib}, {"S-R30", linker, full}, {"S-B27", script, killed},
		{"S-B53", script, mount}, {"S-B18", script, header}, {"S-B45", script, cert}, {"S-R30", script, full}, {"S-B14", rust, versions},
		{"S-B47", rust, foreign}, {"S-B27", rust, killed}, {"S-B45", fetch, cert}, {"S-R30", fetch, full}, {"S-B54", fetch, locked},
		{"S-B45", wheel, cert}, {"S-B27", wheel, killed}, {"S-B54", step, locked}, {"S-B45", step, cert}, {"S-B39", cargo, twice},
		{"S-B59", cargo, noLib}, {"S-I18", collect, circle}, {"S-I32", collect, glibc}, {"S-R04", crash, freed}, {"S-R06", crash, illegal},
		{"S-J29", panics, crashed}, {"S-R05", panics, grid}, {"S-R04", panics, freed}, {"S-B18", unwrap, header}, {"S-J29", unwrap, crashed},
		{"S-R04", aborts, freed}, {"S-R06", rustT, illegal}, {"S-J29", rustT, crashed}, {"S-I09", noTime, fallback}, {"S-P09", slower, throttled},
		{"S-I18", python, circle}, {"S-R51", python, oneKey}, {"S-R06", asserts, illegal}, {"S-X23", denied, rooted}, {"S-B53", denied, mount},
		{"S-J29", tileC, crashed}, {"S-J32", tileC, ptx}, {"S-R32", triton, denied}, {"S-J32", triton, ptx}, {"S-B39", absent, twice},
		{"S-B27", absent, killed}, {"S-B39", noFile, twice}, {"S-B39", library, twice}, {"S-I32", library, glibc}, {"S-R28", skipped, busy},
		{"S-X07", none, artifact}, {"S-R06", tuned, illegal}, {"S-R28", tuned, busy}, {"S-R30", stopped, full}, {"S-R06", timeout, illegal},
		{"S-R28", device, busy}, {"S-R05", jit, grid}, {"S-R06", report, illegal}, {"S-R30", report, full}, {"S-R20", docker, mismatch},
		{"S-C24", differ, race}, {"S-R06", differ, illegal}, {"S-B39", linker + "\n" + absent + "\n" + noFile, twice}, {"S-B14", script + "\n" + rust, versions},
	} {
		for _, log := range []string{c.general + "\n" + c.specific, c.specific + "\n" + c.general} {
			log = strings.ReplaceAll(log, "##[error]", "Error: ")
			got := ids(Text("job.log", log))
			require.NotEmpty(t, got, log)
			assert.Equal(t, c.want, got[0], "%s\nfound %v", log, got)
		}
	}
}

// No general match leads while one that says more is of the step that failed, and one
// of a later step does not lead.
func TestNoGeneralMatchLeads(t *testing.T) {
	const step = "##[group]Run it\n##[endgroup]\n"
	const end = "##[error]Process completed with exit code 1.\n"
	var general, specific []Row
	for i := range ready() {
		r := ready()[i].Row
		if r.Example == "" || len(r.Expect) > 0 {
			continue
		}
		s := NewScanner()
		require.NoError(t, s.Scan(nameFor(*r), strings.NewReader(r.Example)))
		if len(s.hits) == 0 {
			continue
		}
		switch first := slices.MinFunc(s.hits, func(a, b *hit) int { return cmp.Compare(a.rank, b.rank) }); first.rank {
		case General:
			general = append(general, *r)
		case Root, Specific:
			specific = append(specific, *r)
		}
	}
	require.Greater(t, len(general), 20)
	require.Greater(t, len(specific), 150)
	part := 7
	if hostile.Race {
		part *= raceStep
	}
	for i, g := range general {
		// Every general row meets a part of the others.
		for j := i % part; j < len(specific); j += part {
			s := specific[j]
			if slices.Contains(s.Over, g.ID) || slices.Contains(g.Over, s.ID) {
				continue
			}
			for _, log := range []string{step + g.Example + "\n\n" + s.Example + "\n" + end, step + s.Example + "\n\n" + g.Example + "\n" + end} {
				got := Text("job.log", log)
				require.NotEmpty(t, got.Matches)
				assert.NotEqual(t, g.ID, got.Matches[0].Signature, "%s beside %s: %v", g.ID, s.ID, ids(got))
			}
		}
	}
	later := fmt.Sprintf("%serror: failed to run custom build command for `syn v2.0.117`\n%s%sRun it too: an artifact with this name already exists on the workflow run\n%s", step, end, step, end)
	assert.Equal(t, []string{"S-B28", "S-X18"}, ids(Text("job.log", later)))
}
