package pull

import (
	"context"
	"slices"
	"time"

	"github.com/google/go-github/v62/github"
)

// Delivery is a webhook delivery that did not get through, with its payload.
type Delivery struct {
	GUID    string
	Event   string
	Action  string
	Payload []byte
}

// deliveryPages bounds how far back one call looks, in pages of 100.
const deliveryPages = 20

// MissedDeliveries lists the App's webhook deliveries since a time that got no
// 2xx answer and whose GUID is not known, oldest first. GitHub never repeats
// them by itself, but keeps them for some days.
func (g *GitHub) MissedDeliveries(ctx context.Context, since time.Time, known func(guid string) (bool, error)) ([]Delivery, error) {
	apps := g.clients.App().Apps
	options := &github.ListCursorOptions{PerPage: 100}
	delivered := map[string]bool{} // GUIDs that got through in another attempt
	var failed []*github.HookDelivery
	for range deliveryPages {
		page, response, err := apps.ListHookDeliveries(ctx, options)
		if err != nil {
			return nil, err
		}
		old := false
		for _, d := range page {
			switch code := d.GetStatusCode(); {
			case d.GetDeliveredAt().Before(since):
				old = true
			case code >= 200 && code < 300:
				delivered[d.GetGUID()] = true
			default:
				failed = append(failed, d)
			}
		}
		if old || response.Cursor == "" {
			break
		}
		options.Cursor = response.Cursor
	}
	var missed []Delivery
	seen := map[string]bool{}
	for _, d := range slices.Backward(failed) {
		guid := d.GetGUID()
		if delivered[guid] || seen[guid] {
			continue
		}
		seen[guid] = true
		if k, err := known(guid); err != nil || k {
			if err != nil {
				return nil, err
			}
			continue
		}
		full, _, err := apps.GetHookDelivery(ctx, d.GetID())
		if err != nil {
			return nil, err
		}
		missed = append(missed, Delivery{GUID: guid, Event: d.GetEvent(), Action: d.GetAction(), Payload: full.GetRequest().GetRawPayload()})
	}
	return missed, nil
}
