package runner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// gpu is the one device that a stage uses.
type gpu struct {
	smi      string
	index    string // what nvidia-smi and CUDA_VISIBLE_DEVICES call it; empty on a CPU host
	identity job.GPUIdentity
	timing   string
}

// smiFields are asked of nvidia-smi in this order.
const smiFields = "uuid,name,driver_version,compute_cap,clocks.sm,clocks.mem"

// findGPU chooses the first visible GPU. Without any sign of a GPU the device is
// the CPU and times are wall-clock times; with a device file but no nvidia-smi
// nothing is claimed. The error holds what nvidia-smi printed when it failed.
func findGPU(ctx context.Context, h Host) (gpu, error) {
	if h.SMI == "" {
		if h.GPUDevice {
			return gpu{}, nil
		}
		return gpu{identity: cpuIdentity(), timing: "wall"}, nil
	}
	args := []string{"--query-gpu=" + smiFields, "--format=csv,noheader,nounits"}
	visible, _, _ := strings.Cut(lookup(h.Environ, "CUDA_VISIBLE_DEVICES"), ",")
	if visible != "" {
		args = append(args, "--id="+visible)
	}
	row, err := querySMI(ctx, h.SMI, args...)
	if err != nil {
		return gpu{}, err
	}
	return gpu{smi: h.SMI, index: row.uuid, identity: row.identity, timing: "cupti"}, nil
}

// harnessTiming is how the harness of a tree says that it takes times, by a
// module-level TIMING = "wall", "events" or "cupti" in tests/common.py; empty when
// it does not say.
func harnessTiming(t *tree.Tree) string {
	for _, statement := range t.File("tests/common.py").Root().NamedChildren() {
		assignment := statement.ChildOf("assignment")
		if syntax.PyName(assignment.Field("left")) != "TIMING" {
			continue
		}
		if v := syntax.PyString(assignment.Field("right")); v == "wall" || v == "events" || v == "cupti" {
			return v
		}
	}
	return ""
}

type smiRow struct {
	uuid     string
	identity job.GPUIdentity
}

func querySMI(ctx context.Context, smi string, args ...string) (smiRow, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, smi, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return smiRow{}, fmt.Errorf("nvidia-smi: %w: %s", err, strings.TrimSpace(out.String()))
	}
	return parseSMI(out.String())
}

// parseSMI reads the first row of nvidia-smi's answer.
func parseSMI(answer string) (smiRow, error) {
	r := csv.NewReader(strings.NewReader(answer))
	r.TrimLeadingSpace = true
	fields, err := r.Read()
	if err != nil || len(fields) != strings.Count(smiFields, ",")+1 {
		return smiRow{}, fmt.Errorf("nvidia-smi: expected a row of %s, found %q", smiFields, answer)
	}
	mhz := func(s string) int {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			return 0
		}
		return n
	}
	return smiRow{
		uuid: fields[0],
		identity: job.GPUIdentity{
			UUID: hashed(fields[0]), Name: fields[1], Driver: fields[2], ComputeCapability: fields[3],
			Clocks: job.Clocks{SMMHz: mhz(fields[4]), MemoryMHz: mhz(fields[5])},
		},
	}, nil
}

// watchClocks samples the clocks until the returned function is called, which
// gives the highest seen: a GPU raises them under load.
func (g gpu) watchClocks(ctx context.Context, every time.Duration) func() job.Clocks {
	highest := g.identity.Clocks
	if g.smi == "" {
		return func() job.Clocks { return highest }
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				row, err := querySMI(ctx, g.smi, "--query-gpu="+smiFields, "--format=csv,noheader,nounits", "--id="+g.index)
				if err == nil {
					highest.SMMHz = max(highest.SMMHz, row.identity.Clocks.SMMHz)
					highest.MemoryMHz = max(highest.MemoryMHz, row.identity.Clocks.MemoryMHz)
				}
			}
		}
	})
	return func() job.Clocks {
		cancel()
		wg.Wait()
		return highest
	}
}

// cpuIdentity stands for a host without a GPU: the processor model is part of
// the hash, the operating system's kernel takes the driver's place.
func cpuIdentity() job.GPUIdentity {
	info, _ := os.ReadFile("/proc/cpuinfo")
	model := ""
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	host, _ := os.Hostname()
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return job.GPUIdentity{Name: "cpu", UUID: hashed(host + "\x00" + model), Driver: "kernel " + strings.TrimSpace(string(release))}
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
