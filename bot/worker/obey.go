package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/bot/commands"
	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/report"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/bot/trust"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// reply is what a command is answered with. An empty text is only a reaction.
type reply struct {
	ok   bool
	text string // Markdown
}

func done(text string) reply { return reply{ok: true, text: text} }

func refused(format string, args ...any) reply {
	return reply{text: untrusted.Text(fmt.Sprintf(format, args...)).Prose()}
}

// obey carries out the commands that wait, each once, before the state is
// evaluated. One whose writer's role cannot be read waits for another look only
// when nothing was decided; it is refused with a hint otherwise.
func (l *look) obey(ctx context.Context) error {
	where, number := l.t.Repo, l.t.Number
	if number == 0 {
		where = l.t.Key
	}
	waiting, err := l.Store.NewCommands(ctx, where, number)
	if err != nil {
		return err
	}
	for _, c := range waiting {
		answer, act, err := l.consider(ctx, c)
		if err != nil {
			return err
		}
		err = l.Store.Update(ctx, func(tx *store.Tx) error {
			if act != nil {
				if answer, err = act(tx); err != nil {
					return err
				}
			}
			if err := l.answer(ctx, tx, c, answer); err != nil {
				return err
			}
			return tx.FinishCommand(ctx, where, c.CommentID, c.Line, answer.text)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// action is the effect of a command, in the transaction that finishes it.
type action func(tx *store.Tx) (reply, error)

// consider decides whether a command may be carried out, and how.
func (l *look) consider(ctx context.Context, c store.Command) (reply, action, error) {
	parsed := commands.Parse(c.Text)
	if len(parsed) != 1 {
		return refused("`%s` is not a command.", c.Text), nil, nil
	}
	command := parsed[0]
	if command.Err != nil {
		return reply{text: command.Err.Error()}, nil, nil
	}
	who := trust.Person{Login: c.Actor}
	who.Role, who.Err = l.role(ctx, c.Actor)
	target := trust.Target{PullRequest: true, State: l.info.State, Merged: l.info.Merged, Author: l.info.Author}
	if l.t.Number == 0 {
		target.State = "open"
	}
	if d := trust.Decide(command.Verb, who, target); !d.Allowed {
		return refused("%s", d.Reason), nil, nil
	}
	act, err := l.action(ctx, c, command, who)
	return reply{}, act, err
}

// answer reacts to a command and replies where there is something to say. A
// button has no comment to react to.
func (l *look) answer(ctx context.Context, tx *store.Tx, c store.Command, r reply) error {
	if c.CommentID < 0 {
		return nil
	}
	content := "rocket"
	if !r.ok {
		content = "confused"
	}
	if err := outbox.AddReaction(ctx, tx, l.to, outbox.Reaction{CommentID: c.CommentID, Content: content}); err != nil {
		return err
	}
	if r.text == "" {
		return nil
	}
	name := fmt.Sprintf("reply %d %d", c.CommentID, c.Line)
	body := untrusted.Text(c.Text).Code() + "\n\n" + r.text
	_, err := outbox.PutComment(ctx, tx, l.to, name, outbox.Comment{
		Number: l.t.Number, Marker: "tilegate:" + name, Body: untrusted.Clip(body, untrusted.CommentLimit-200),
	})
	return err
}

// action makes the effect of an allowed command.
func (l *look) action(ctx context.Context, c store.Command, command commands.Command, who trust.Person) (action, error) {
	say := func(r reply) action { return func(*store.Tx) (reply, error) { return r, nil } }
	switch args := command.Args.(type) {
	case commands.Help:
		return say(done(commands.HelpText())), nil
	case commands.Explain:
		return say(l.explain(args)), nil
	case commands.Status:
		return say(l.status()), nil
	case commands.OkToTest:
		return l.approve(ctx, c, args, who), nil
	case commands.Cancel:
		return l.cancelAll(ctx), nil
	case commands.Rerun:
		return l.again(ctx, c, command, args)
	case commands.WaivePerf:
		return l.waivePerf(ctx, c, command, args)
	case commands.WaiveRule:
		return l.waiveRule(ctx, c, command, args)
	case commands.UnwaivePerf:
		return l.unwaive(ctx, "perf", args.Kernel, ""), nil
	case commands.UnwaiveRule:
		return l.unwaive(ctx, "rule", args.Rule, args.Path), nil
	}
	return say(refused("`%s` cannot be carried out.", command.Text)), nil
}

func (l *look) explain(args commands.Explain) reply {
	for _, r := range l.App.Rules {
		if r.ID == args.Rule {
			return done(rules.Page(r))
		}
	}
	return refused("There is no rule `%s` in this version.", args.Rule)
}

// status tells the tree of the last look.
func (l *look) status() reply {
	var tree gate.Node
	if len(l.t.Tree) == 0 || json.Unmarshal(l.t.Tree, &tree) != nil || tree.Name == "" {
		return done("Nothing is known yet.")
	}
	c, err := report.Sticky(report.Subject{Number: l.info.Number, HeadSHA: l.info.HeadSHA, Tree: tree})
	if err != nil {
		return refused("The state cannot be shown: %s", err)
	}
	return done(c.Body)
}

// approve lets exactly the named commit through, when it is the head that the
// writer could have seen.
func (l *look) approve(ctx context.Context, c store.Command, args commands.OkToTest, who trust.Person) action {
	return func(tx *store.Tx) (reply, error) {
		a, d := trust.Approve(args, l.info, who, c.CommentID, c.Received)
		if !d.Allowed {
			return refused("%s", d.Reason), nil
		}
		return done(""), tx.AddApproval(ctx, l.t.Repo, l.t.Number, store.Approval{SHA: a.SHA, Actor: a.By, Role: a.Role, CommentID: c.CommentID})
	}
}

// cancelAll ends the dispatches of the head.
func (l *look) cancelAll(ctx context.Context) action {
	return func(tx *store.Tx) (reply, error) {
		all, err := tx.DispatchesOf(ctx, l.t.Key)
		if err != nil {
			return reply{}, err
		}
		n := 0
		for _, d := range all {
			if d.State.Final() {
				continue
			}
			n++
			if err := l.cancel(ctx, tx, d, "Cancelled by a command."); err != nil {
				return reply{}, err
			}
		}
		if n == 0 {
			return done("Nothing was waiting or running."), nil
		}
		return done(""), nil
	}
}

// again asks for jobs again. The dispatches are recorded in the transaction
// that finishes the command, so that a crash neither loses nor repeats them.
func (l *look) again(ctx context.Context, c store.Command, command commands.Command, args commands.Rerun) (action, error) {
	say := func(r reply) (action, error) { return func(*store.Tx) (reply, error) { return r, nil }, nil }
	if c.HeadSHA != "" && c.HeadSHA != l.info.HeadSHA {
		return say(refused("The head has moved from `%.7s` to `%.7s` since; nothing was run again.", c.HeadSHA, l.info.HeadSHA))
	}
	known, err := l.known(ctx)
	if err != nil {
		return nil, err
	}
	if args.Stage == commands.StageRules || len(known.Kernels) == 0 {
		return func(tx *store.Tx) (reply, error) { return done(""), l.reviewAgain(ctx, tx) }, nil
	}
	if err := command.Check(known); err != nil {
		return say(reply{text: err.Error()})
	}
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	if err := l.readTrust(ctx, &gate.Input{}); err != nil {
		return nil, err
	}
	if !l.trust.Trusted {
		return say(refused("%s %s", l.trust.Reason, l.trust.Command))
	}
	var made []store.Dispatch
	for _, gpu := range l.policy.gpus() {
		if args.GPU != "" && args.GPU != gpu {
			continue
		}
		r := rerun{kernels: args.Kernels, stages: stagesUpTo(args.Stage), rounds: args.Rounds, attempt: 1, cause: fmt.Sprintf("command %d", c.CommentID)}
		if len(r.kernels) == 0 {
			if r.kernels, err = l.toRepeat(ctx, args.Stage, known.Kernels, gpu); err != nil {
				return nil, err
			}
		}
		if len(r.kernels) == 0 {
			continue
		}
		more, err := l.newDispatches(ctx, gpu, r)
		if err != nil {
			return nil, err
		}
		made = append(made, more...)
	}
	if len(made) == 0 {
		return say(done("Nothing has failed; what is still running was left alone."))
	}
	return func(tx *store.Tx) (reply, error) {
		if args.Stage == commands.StageAll {
			if err := l.reviewAgain(ctx, tx); err != nil {
				return reply{}, err
			}
		}
		for _, d := range made {
			if err := l.addDispatch(ctx, tx, d); err != nil {
				return reply{}, err
			}
		}
		return done(""), nil
	}, nil
}

// reviewAgain drops the kept static review and shows its outcome anew.
func (l *look) reviewAgain(ctx context.Context, tx *store.Tx) error {
	for _, name := range []string{report.CheckGate, report.CheckRules} {
		if err := outbox.RenewCheck(ctx, tx, l.to, name, l.info.HeadSHA); err != nil {
			return err
		}
	}
	return tx.AddRerun(ctx, l.t.Key)
}

// stagesUpTo are the stages that a rerun needs: a stage needs those before it.
func stagesUpTo(s commands.Stage) []job.Stage {
	switch s {
	case commands.StageBuild:
		return job.Stages[:1]
	case commands.StageCorrectness:
		return job.Stages[:2]
	}
	return job.Stages
}

// toRepeat are the kernels that a rerun without names means on a GPU class:
// those that failed when failed ones are asked for or exist, else all.
func (l *look) toRepeat(ctx context.Context, s commands.Stage, kernels []string, gpu string) ([]string, error) {
	if s != commands.StageDefault && s != commands.StageFailed {
		return kernels, nil
	}
	var failed []string
	open := false
	for _, kernel := range kernels {
		state, err := l.kernelState(ctx, kernel, gpu)
		if err != nil {
			return nil, err
		}
		switch state {
		case gate.Success:
		case gate.Pending:
			open = true
		default:
			failed = append(failed, kernel)
		}
	}
	if len(failed) == 0 && s == commands.StageDefault && !open {
		return kernels, nil
	}
	return failed, nil
}

// kernelState is how the gate sees one kernel on one GPU class.
func (l *look) kernelState(ctx context.Context, kernel, gpu string) (gate.Status, error) {
	in := gate.Input{
		HeadSHA: l.info.HeadSHA, Now: l.Now(), Config: gate.Config{State: gate.ConfigOK}, Rules: gate.Rules{State: gate.RulesDone},
		Integrity: gate.Integrity{State: gate.IntegrityDone}, Trust: gate.Trust{State: gate.Trusted},
		Plan: gate.Plan{State: gate.PlanGPU, Kernels: []string{kernel}, GPUs: []string{gpu}},
	}
	for _, stage := range job.Stages {
		j, err := l.jobState(ctx, stage, kernel, gpu)
		if err != nil {
			return "", err
		}
		in.Jobs = append(in.Jobs, j)
	}
	return gate.Evaluate(in).Status, nil
}

// known is what the names in a command are checked against.
func (l *look) known(ctx context.Context) (commands.Known, error) {
	if _, err := l.readPolicy(ctx); err != nil {
		return commands.Known{}, err
	}
	part, err := l.review(ctx)
	if err != nil || !part {
		return commands.Known{}, err
	}
	return commands.Known{Kernels: l.study.kernels(), GPUs: l.policy.gpus(), Rules: l.ruleIDs(), Now: l.Now()}, nil
}

func (l *look) ruleIDs() []string {
	var ids []string
	for _, r := range l.App.Rules {
		ids = append(ids, r.ID)
	}
	return ids
}

// moved refuses a waiver of something that its writer cannot have seen: what was
// pushed since may hold more of the same.
func (l *look) moved(c store.Command) action {
	if c.HeadSHA == l.info.HeadSHA {
		return nil
	}
	return func(*store.Tx) (reply, error) {
		if c.HeadSHA == "" {
			return refused("What the head was when this was written is not known. It is now `%.7s`: read it, then write the command again.", l.info.HeadSHA), nil
		}
		return refused("The head has moved from `%.7s` to `%.7s` since; nothing was waived. Read it, then write the command again.", c.HeadSHA, l.info.HeadSHA), nil
	}
}

// waivePerf accepts a gap up to a ratio, or up to what was measured.
func (l *look) waivePerf(ctx context.Context, c store.Command, command commands.Command, args commands.WaivePerf) (action, error) {
	if refusal := l.moved(c); refusal != nil {
		return refusal, nil
	}
	known, err := l.known(ctx)
	if err != nil {
		return nil, err
	}
	if err := command.Check(known); err != nil {
		return func(*store.Tx) (reply, error) { return reply{text: err.Error()}, nil }, nil
	}
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	measured := map[string]float64{}
	for _, gpu := range l.policy.gpus() {
		j, err := l.jobState(ctx, job.Perf, args.Kernel, gpu)
		if err != nil {
			return nil, err
		}
		if j.State == gate.Done && j.Ratio > 0 {
			measured[gpu] = j.Ratio
		} else if args.Ratio > 0 {
			measured[gpu] = 0
		}
	}
	if len(measured) == 0 {
		return func(*store.Tx) (reply, error) {
			return refused("Nothing was measured for `%s` at `%.7s`: write the ratio that you accept, as in `/tilegym waive perf %s <= 1.08 REASON`.", args.Kernel, l.info.HeadSHA, args.Kernel), nil
		}, nil
	}
	encoded, err := json.Marshal(measured)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) (reply, error) {
		if _, err := tx.EndWaivers(ctx, l.t.Repo, l.t.Number, "perf", args.Kernel, ""); err != nil {
			return reply{}, err
		}
		return done(""), tx.AddWaiver(ctx, l.t.Repo, l.t.Number, store.Waiver{
			Kind: "perf", Subject: args.Kernel, GPU: string(encoded), Ratio: args.Ratio, Until: args.Until, Reason: args.Reason, Actor: c.Actor, CommentID: c.CommentID,
		})
	}, nil
}

// waiveRule accepts the present findings of a rule in a file.
func (l *look) waiveRule(ctx context.Context, c store.Command, command commands.Command, args commands.WaiveRule) (action, error) {
	if refusal := l.moved(c); refusal != nil {
		return refusal, nil
	}
	known, err := l.known(ctx)
	if err != nil {
		return nil, err
	}
	if err := command.Check(known); err != nil {
		return func(*store.Tx) (reply, error) { return reply{text: err.Error()}, nil }, nil
	}
	var fingerprints []string
	var places []string
	if l.study != nil && l.study.Report != nil {
		for _, f := range l.study.Report.Findings {
			if f.New && f.Rule == args.Rule {
				places = append(places, f.Path)
				if f.Path == args.Path {
					fingerprints = append(fingerprints, f.Fingerprint)
				}
			}
		}
	}
	if len(fingerprints) == 0 {
		return func(*store.Tx) (reply, error) {
			if len(places) == 0 {
				return refused("`%s` has no new finding at `%.7s`.", args.Rule, l.info.HeadSHA), nil
			}
			slices.Sort(places)
			return refused("`%s` has no new finding in `%s`; it has in `%s`.", args.Rule, args.Path, strings.Join(slices.Compact(places), "`, `")), nil
		}, nil
	}
	return func(tx *store.Tx) (reply, error) {
		var failures []error
		for _, fingerprint := range fingerprints {
			failures = append(failures, tx.AddWaiver(ctx, l.t.Repo, l.t.Number, store.Waiver{
				Kind: "rule", Subject: args.Rule, Path: args.Path, Fingerprint: fingerprint, Until: args.Until, Reason: args.Reason, Actor: c.Actor, CommentID: c.CommentID,
			}))
		}
		return done(""), errors.Join(failures...)
	}, nil
}

func (l *look) unwaive(ctx context.Context, kind, subject, path string) action {
	return func(tx *store.Tx) (reply, error) {
		had, err := tx.EndWaivers(ctx, l.t.Repo, l.t.Number, kind, subject, path)
		if err != nil || had {
			return done(""), err
		}
		return refused("There is no such waiver."), nil
	}
}
