package replay

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
)

// FuzzDelivery: any file is a delivery or is refused with a reason; a scene that it
// makes is whole, and its payload can be made to speak of the simulation.
func FuzzDelivery(f *testing.F) {
	for _, s := range []string{
		`{"event":"pull_request","delivery":"g","payload":{"action":"opened","installation":{"id":1},"repository":{"full_name":"o/r"},"pull_request":{"number":3,"head":{"ref":"a","sha":"1","repo":{"full_name":"f/r"}},"base":{"ref":"main","sha":"2","repo":{"full_name":"o/r"}}}}}`,
		`{"event":"issue_comment","guid":"g","request":{"payload":{"installation":{"id":1},"repository":{"full_name":"o/r"},"issue":{"number":3,"pull_request":{}},"comment":{"id":4,"body":"/tilegym x","created_at":"2026-01-01T00:00:00Z"}}}}`,
		`{"event":"check_run","payload":{"installation":{"id":1},"repository":{"full_name":"o/r"},"check_run":{"head_sha":"x","pull_requests":[{"number":-1}]}}}`,
		`{"event":"push","payload":null}`, `{"event":"push","payload": 1}`, `{"event":"","payload":{}}`, `[]`, `{`,
	} {
		f.Add([]byte(s), "")
		f.Add([]byte(s), "merge_group")
	}
	f.Fuzz(func(t *testing.T, data []byte, event string) {
		hostile.Ends(t, len(data), func() {
			d, err := ParseDelivery(data, event)
			if err != nil {
				require.NotEmpty(t, err.Error())
				return
			}
			require.NotEmpty(t, d.Event)
			require.NotEmpty(t, d.GUID)
			d.Commits()
			s, err := newScene(d)
			if err != nil {
				return
			}
			require.NotEmpty(t, s.owner)
			require.NotEmpty(t, s.name)
			if s.pull != nil {
				require.Positive(t, s.pull.Number)
				s.fork()
				s.roles(map[string]string{"u": "admin"})
			}
			text, err := rewrite(d.Payload, 7, 0, map[string]string{"1111111111111111111111111111111111111111": "2222222222222222222222222222222222222222"})
			if err == nil {
				require.True(t, json.Valid(text))
			}
		})
	})
}
