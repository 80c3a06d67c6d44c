package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/checks/config"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// policy is what the base branch wants of the gate.
type policy struct {
	config.Config
	present bool   // the repository has a configuration file
	digest  string // of the file's content
	// judging names what a verdict depends on: results that were judged by
	// something else do not count.
	judging string
}

// patience is how many looks in a row may fail to read the configuration
// before the gate says so.
const patience = 3

// readPolicy reads the configuration of the base branch. A repository that is
// not known to take part is told nothing about a fetch that fails.
func (l *look) readPolicy(ctx context.Context) (gate.Config, error) {
	data, err := l.snap.BaseFile(ctx, config.Path)
	switch {
	case errors.Is(err, pull.ErrNotFound):
		l.policy = policy{Config: config.Default(), digest: "default"}
		l.policy.judging = judging(l.policy.Config)
		return gate.Config{State: gate.ConfigOK}, nil
	case err != nil:
		failure := fmt.Errorf("read %s of the base branch: %w", config.Path, err)
		known, storeErr := l.Store.OptedIn(ctx, l.t.Repo)
		if storeErr != nil {
			return gate.Config{}, storeErr
		}
		if !known || l.t.Failures < patience {
			return gate.Config{}, failure
		}
		l.next = l.Now().Add(l.ReconcileInterval)
		return gate.Config{State: gate.ConfigUnreachable, Why: untrusted.Text(fmt.Sprintf(
			"GitHub did not give `%s` of the base branch in %d attempts; this change is not at fault.", config.Path, l.t.Failures+1))}, nil
	}
	if err := l.Store.SetOptedIn(ctx, l.t.Repo); err != nil {
		return gate.Config{}, err
	}
	sum := sha256.Sum256(data)
	l.policy = policy{present: true, digest: hex.EncodeToString(sum[:8])}
	if l.policy.Config, err = config.Parse(config.Path, data); err != nil {
		return gate.Config{State: gate.ConfigInvalid, Why: untrusted.Text(err.Error())}, nil
	}
	l.policy.judging = judging(l.policy.Config)
	return gate.Config{State: gate.ConfigOK}, nil
}

// judging names the part of a configuration that a verdict depends on.
func judging(c config.Config) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %v %v", c.Reference, c.AllowedSkips == nil, c.Perf.Rounds.Min)
	for _, s := range c.AllowedSkips {
		fmt.Fprintf(h, " %q", s)
	}
	fmt.Fprintf(h, " %v %v", c.Perf.Threshold, c.Perf.MaxMissing)
	for _, from := range slices.Sorted(maps.Keys(c.Perf.Renames)) {
		fmt.Fprintf(h, " %q %q", from, c.Perf.Renames[from])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// gpus are the names of the classes that the gate needs.
func (p policy) gpus() []string {
	var names []string
	for _, g := range p.GPUs {
		if g.Required {
			names = append(names, g.Name)
		}
	}
	return names
}

// labels are the runner labels of a class.
func (p policy) labels(gpu string) []string {
	for _, g := range p.GPUs {
		if g.Name == gpu {
			return g.Labels
		}
	}
	return nil
}
