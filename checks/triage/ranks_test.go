package triage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// late is the watchdog's word of a rank on the collective that it waited in.
func late(rank, number, op, size string) string {
	return "[rank" + rank + "]:[E1005 ProcessGroupNCCL.cpp:685] [Rank " + rank + "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" + number + ", OpType=" + op + ", NumelIn=" + size + ", NumelOut=" + size + ", Timeout(ms)=600000) ran for 600041 milliseconds before timing out."
}

func TestUnlikeCollectives(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		want string
	}{
		"two operations":   {late("0", "12", "ALLREDUCE", "64"), late("1", "12", "BROADCAST", "64"), "S-R75"},
		"two sizes":        {late("0", "12", "ALLREDUCE", "64"), late("1", "12", "ALLREDUCE", "128"), "S-R75"},
		"the same":         {late("0", "12", "ALLREDUCE", "64"), late("1", "12", "ALLREDUCE", "64"), "S-R86"},
		"sizes may differ": {late("0", "12", "ALLTOALL_BASE", "64"), late("1", "12", "ALLTOALL_BASE", "128"), "S-R86"},
		"two processes":    {late("0", "12", "SEND", "64"), late("1", "12", "RECV", "64"), "S-R86"},
		"two numbers":      {late("0", "12", "ALLREDUCE", "64"), late("1", "13", "BROADCAST", "64"), "S-R86"},
	} {
		got := Text("job.log", c.a+"\n"+c.b)
		require.NotEmpty(t, got.Matches, name)
		assert.Equal(t, c.want, got.Matches[0].Signature, name)
	}
}

// The time-out of a collective shows what the rank was at that did not come to it, in
// every launcher's form.
func TestSilentRankIsQuoted(t *testing.T) {
	for _, form := range []string{"[rank1]: ", "[default1]:", "[1,1]<stderr>: ", "1: "} {
		log := "[rank0]: step 4\n" + form + "ValueError: chunk 7 is empty\n" + form + "waiting for peers\n" + late("0", "3", "ALLREDUCE", "8")
		got := Text("job.log", log)
		i := 0
		for i < len(got.Matches) && got.Matches[i].Signature != "S-R86" {
			i++
		}
		if i < len(got.Matches) {
			assert.Contains(t, got.Matches[i].Excerpt.Plain(), "rank 1: ValueError: chunk 7 is empty", form)
			continue
		}
		assert.Contains(t, got.Matches[0].Excerpt.Plain(), "chunk 7 is empty", form)
	}
	got := Text("job.log", "[rank0]: step 4\n[rank1]: step 3, loading weights\n"+late("0", "3", "ALLREDUCE", "8"))
	assert.Contains(t, got.Matches[0].Excerpt.Plain(), "rank 1: step 3, loading weights")
}

// The excerpt of an aborting panic is the first panic of its thread and what it says; a
// destructor's panic after it names no cause.
func TestFirstPanicIsQuoted(t *testing.T) {
	log := strings.Join([]string{
		"thread 'pages' panicked at src/paged/launch.rs:9:9:",
		"assertion `left == right` failed: pages and table disagree",
		"  left: 12",
		" right: 16",
		"stack backtrace:",
		"   0: core::panicking::panic_fmt",
		"thread 'pages' panicked at cudarc/src/driver/safe/core.rs:252:76:",
		"called `Result::unwrap()` on an `Err` value: DriverError(CUDA_ERROR_CONTEXT_IS_DESTROYED, \"context is destroyed\")",
		"   3: <cudarc::driver::safe::core::CudaStream as core::ops::drop::Drop>::drop",
		"thread 'pages' panicked at library/core/src/panicking.rs:233:5:",
		"panic in a destructor during cleanup",
		"thread caused non-unwinding panic. aborting.",
	}, "\n")
	got := Text("job.log", log).Matches[0]
	assert.Equal(t, "S-R03", got.Signature)
	assert.Equal(t, 1, got.Line)
	assert.Equal(t, "thread 'pages' panicked at src/paged/launch.rs:9:9:\nassertion `left == right` failed: pages and table disagree\nleft: 12\nright: 16", got.Excerpt.Plain())

	// The destructor alone is a cause, and so is a panic of another test.
	lines := strings.Split(log, "\n")
	assert.Equal(t, "S-R89", Text("job.log", strings.Join(lines[6:], "\n")).Matches[0].Signature)
	between := append(append(append([]string{}, lines[:6]...), "test pages ... FAILED"), lines[6:]...)
	assert.Equal(t, "S-R89", Text("job.log", strings.Join(between, "\n")).Matches[0].Signature)
}

// A pointer that one side shows whole and the other as its lower half is cut, also on
// the next lines, with its sign spread, or as a number.
func TestCutPointerAcrossLines(t *testing.T) {
	crash := "\nFatal Python error: Segmentation fault"
	for log, cut := range map[string]bool{
		"call(x=0x7f2b5c6013a0)\nenter x=0x5c6013a0":                   true,
		"create -> 0x7f3ca85e9c00\nhandle = -1470194688":               true,
		"create -> 0x7f3ca85e9c00\nuse(handle=0xffffffffa85e9c00)":     true,
		"enter x=0x5c6013a0\ncall(x=0x7f2b5c6013a0)":                   true,
		"create -> 0x7f3ca85e9c00\nhandle = 0x7f3ca85e9c00":            false,
		"create -> 0x7f3ca85e9c00\nhandle = 0x00007f3ca85e9c00":        false,
		"create -> 0x7f3c00000400\nbytes = 1024":                       false,
		"create -> 0x7f3ca85e9c00\n\n\n\n\n\n\n\nhandle = -1470194688": false,
		"create -> 0x7f3ca85e9c00 and 0x7f3da85e9c00":                  false,
	} {
		has := false
		for _, m := range Text("job.log", log+crash).Matches {
			has = has || m.Signature == narrowPointer
		}
		assert.Equal(t, cut, has, log)
	}
}

func TestGridThatDoesNotFit(t *testing.T) {
	wait := "\n+++++++++ Timeout +++++++++\n  File \"/src/tests/test_sum.py\", line 31, in test_sum\n    torch.cuda.synchronize()"
	for log, want := range map[string]string{
		"launch grid=(264,) max resident blocks 132, spins on a flag":                            "S-R61",
		"launch grid=(66,) max resident blocks 132\nlaunch grid=(264,) max resident blocks 132":  "S-R61",
		"launch grid=(264,) max resident blocks 132":                                             "S-R34",
		"launch grid=(264,) max resident blocks 132\nlaunch grid=(66,) max resident blocks 132":  "S-R34",
		"launch grid=(264,) max resident blocks 132\nlaunch grid=(300,) max resident blocks 132": "S-R34",
		"launch grid=(64,) max resident blocks 132, spins on a flag":                             "S-R34",
	} {
		assert.Equal(t, want, Text("job.log", log+wait).Matches[0].Signature, log)
	}
}

// A thread that waited for another one passes its panic on: the first one is shown.
func TestPanicOfAnotherThreadIsQuoted(t *testing.T) {
	first := "thread '<unnamed>' panicked at src/streams/worker.rs:64:13:\nassertion failed: rows % streams == 0\n\n"
	for _, after := range []string{"Any { .. }", "PoisonError { .. }", "RecvError"} {
		got := Text("job.log", first+"thread 'four' panicked at tests/streams.rs:31:18:\ncalled `Result::unwrap()` on an `Err` value: "+after).Matches[0]
		assert.Equal(t, "S-R46", got.Signature, after)
		assert.Contains(t, got.Excerpt.Plain(), "rows % streams == 0", after)
	}
	got := Text("job.log", first+"thread 'four' panicked at tests/streams.rs:31:18:\ncalled `Result::unwrap()` on an `Err` value: Missing").Matches[0]
	assert.NotContains(t, got.Excerpt.Plain(), "rows % streams == 0")
}

func TestCrashQuotesWhatWasThrown(t *testing.T) {
	got := Text("job.log", "terminate called after throwing an instance of 'std::invalid_argument'\n  what():  filter 7x7 needs padding 3\nAborted (core dumped)").Matches[0]
	assert.Equal(t, "S-R24", got.Signature)
	assert.Contains(t, got.Excerpt.Plain(), "filter 7x7 needs padding 3")
}
