package worker

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/bot/commands"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/checks/hostile"
)

// events are the events that the App acts on, and one that it does not.
var events = []string{
	"pull_request", "issue_comment", "check_run", "check_suite", "workflow_run", "workflow_job", "merge_group", "push",
	"installation", "installation_repositories", "star",
}

// FuzzDeliver: whatever a delivery holds, it is handled once and for good, and
// nothing in it makes a name or a command that is not what it claims to be.
func FuzzDeliver(f *testing.F) {
	for i, payload := range []string{
		`{"action":"opened","installation":{"id":1},"repository":{"full_name":"o/r","default_branch":"main"},"sender":{"login":"u"},"pull_request":{"number":7,"state":"open","user":{"login":"u"},"head":{"ref":"b","sha":"1111111111111111111111111111111111111111"},"base":{"ref":"main","sha":"2222222222222222222222222222222222222222"}}}`,
		`{"action":"created","installation":{"id":1},"repository":{"full_name":"o/r"},"sender":{"login":"u"},"issue":{"number":7,"pull_request":{}},"comment":{"id":3,"body":"/tilegym run a\r\n/tilegym status\n> /tilegym x","user":{"login":"u"}}}`,
		`{"action":"requested_action","installation":{"id":1},"repository":{"full_name":"o/r"},"check_run":{"id":1,"name":"tilegym/gate","head_sha":"1111111111111111111111111111111111111111","app":{"id":5}},"requested_action":{"identifier":"rerun"}}`,
		`{"action":"rerequested","installation":{"id":1},"repository":{"full_name":"o/r"},"check_suite":{"id":1,"head_sha":"x","app":{"id":5}}}`,
		`{"action":"completed","installation":{"id":1},"repository":{"full_name":"o/r"},"workflow_run":{"id":1,"head_sha":"x","display_title":"tilegate 01J","conclusion":"success"}}`,
		`{"action":"completed","installation":{"id":1},"repository":{"full_name":"o/r"},"workflow_job":{"run_id":1}}`,
		`{"action":"checks_requested","installation":{"id":1},"repository":{"full_name":"o/r"},"merge_group":{"head_sha":"1111111111111111111111111111111111111111","head_ref":"refs/heads/gh-readonly-queue/main/pr-7-1111111111111111111111111111111111111111","base_sha":"x","base_ref":"refs/heads/main"}}`,
		`{"installation":{"id":1},"repository":{"full_name":"o/r"},"ref":"refs/heads/main"}`,
		`{"action":"deleted","installation":{"id":1}}`, `{"action":"added","installation":{"id":-1}}`, `null`,
	} {
		f.Add(uint8(i), []byte(payload))
		f.Add(uint8(i+1), []byte(payload[:len(payload)/2]))
	}
	f.Add(uint8(0), []byte(`{"pull_request":null,"repository":{"full_name":"\u0000/../x"},"installation":{"id":9223372036854775807}}`))
	ctx := context.Background()
	now := func() time.Time { return time.Unix(1_800_000_000, 0).UTC() }
	st, err := store.Open(ctx, "sqlite:"+filepath.Join(f.TempDir(), "app.db"), now)
	require.NoError(f, err)
	f.Cleanup(func() { st.Close() })
	app, err := NewInline(ctx, Options{Store: st, AppID: 5, Now: now})
	require.NoError(f, err)
	serial := 0
	f.Fuzz(func(t *testing.T, which uint8, payload []byte) {
		serial++
		guid, event := fmt.Sprintf("guid-%d", serial), events[int(which)%len(events)]
		hostile.Ends(t, len(payload), func() {
			fresh, err := app.Accept(ctx, store.Delivery{GUID: guid, Event: event, Payload: payload})
			require.NoError(t, err)
			require.True(t, fresh)
			require.NoError(t, app.deliver(ctx, guid))
			d, err := st.Delivery(ctx, guid)
			require.NoError(t, err)
			require.False(t, d.Handled.IsZero(), "the delivery stays open")
			require.NoError(t, app.deliver(ctx, guid), "a second time does no harm")
		})
		e, err := parseEvent(payload)
		if err != nil {
			return
		}
		require.False(t, strings.HasPrefix(e.branch(), "refs/"+"heads/") && !strings.HasPrefix(e.Ref, "refs/heads/refs/heads/"))
		if e.MergeGroup != nil {
			require.GreaterOrEqual(t, pullOfQueue(e.MergeGroup.HeadRef), 0)
		}
		if e.CheckRun != nil {
			all := commands.Parse(rerunOf(e.CheckRun.Name))
			require.Len(t, all, 1)
			require.NoError(t, all[0].Err)
		}
		app.work.deliveries, app.work.looks = nil, nil
	})
}
