package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/job"
)

// late reads the runs that completed by themselves although their dispatch had
// been replaced. A failure is told on the commit that was tested, and nowhere
// else; anything else leaves that commit's check runs cancelled.
func (l *look) late(ctx context.Context) error {
	all, err := l.Store.LateDispatches(ctx, l.t.Key)
	if err != nil {
		return err
	}
	for _, d := range all {
		if d.HeadSHA != l.info.HeadSHA {
			if err := l.readLate(ctx, d); err != nil {
				return err
			}
		}
		if err := l.Store.SetLate(ctx, d.ID, false); err != nil {
			return err
		}
	}
	return nil
}

func (l *look) readLate(ctx context.Context, d store.Dispatch) error {
	run, err := l.Reader.Run(ctx, l.repo, d.RunID)
	if errors.Is(err, pull.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read run %d: %w", d.RunID, err)
	}
	if run.Status != "completed" || run.Conclusion == "cancelled" || run.Name != job.RunName(d.ID) {
		return nil
	}
	request, err := job.ParseRequest(d.Request)
	if err != nil {
		return fmt.Errorf("dispatch %s: %w", d.ID, err)
	}
	for _, stage := range request.Stages {
		for _, kernel := range request.Kernels {
			if _, err := l.followJob(ctx, &d, request, run, stage, kernel); err != nil {
				return err
			}
		}
	}
	return l.Store.Update(ctx, func(tx *store.Tx) error {
		for _, r := range l.results[d.ID] {
			if r.Outcome != "FAIL" && r.Outcome != "INVESTIGATE" {
				continue
			}
			for _, c := range report.FailedLate(r, d.HeadSHA, l.info.HeadSHA) {
				c.ExternalID = d.ID
				if _, err := outbox.PutCheck(ctx, tx, l.to, c); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
