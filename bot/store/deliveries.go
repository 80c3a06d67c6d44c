package store

import (
	"context"
	"time"
)

// Delivery is one webhook delivery. GUID identifies it: a redelivery by GitHub
// carries the same one.
type Delivery struct {
	GUID     string
	Event    string
	Action   string
	Payload  []byte
	Received time.Time
	Handled  time.Time // zero until a worker has acted on it
	Outcome  string    // one word or sentence about what came of it
}

// AddDelivery records a delivery and reports whether it is new.
func (q queries) AddDelivery(ctx context.Context, d Delivery) (bool, error) {
	return q.changed(ctx, `INSERT INTO deliveries (guid, event, action, payload, received) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (guid) DO NOTHING`, d.GUID, d.Event, d.Action, d.Payload, q.stamp())
}

// Delivery reads one delivery.
func (q queries) Delivery(ctx context.Context, guid string) (Delivery, error) {
	return one(ctx, q, func(scan func(...any) error) (Delivery, error) {
		d := Delivery{GUID: guid}
		var received, handled int64
		err := scan(&d.Event, &d.Action, &d.Payload, &received, &handled, &d.Outcome)
		d.Received, d.Handled = fromMillis(received), fromMillis(handled)
		return d, err
	}, "SELECT event, action, payload, received, handled, outcome FROM deliveries WHERE guid = ?1", guid)
}

// FinishDelivery records what came of a delivery.
func (q queries) FinishDelivery(ctx context.Context, guid, outcome string) error {
	return q.exec(ctx, "UPDATE deliveries SET handled = ?2, outcome = ?3 WHERE guid = ?1", guid, q.stamp(), outcome)
}

// OpenDeliveries lists the deliveries that no worker has finished, oldest first.
func (q queries) OpenDeliveries(ctx context.Context) ([]string, error) {
	return collect(ctx, q, scanString, "SELECT guid FROM deliveries WHERE handled = 0 ORDER BY received, guid")
}

// Prune drops what was only needed for a while: payloads of handled deliveries,
// and the finished writes and reviews of closed targets, from before a time.
// The GUIDs of deliveries stay, since GitHub may redeliver.
func (q queries) Prune(ctx context.Context, before time.Time) error {
	for _, statement := range []string{
		"UPDATE deliveries SET payload = x'' WHERE handled > 0 AND handled < ?1 AND length(payload) > 0",
		`DELETE FROM outbox WHERE finished > 0 AND finished < ?1 AND lane IN (SELECT key FROM targets WHERE open = 0 AND updated < ?1)`,
		`DELETE FROM reviews WHERE recorded < ?1 AND NOT EXISTS
			(SELECT 1 FROM targets t WHERE t.repo = reviews.repo AND t.head_sha = reviews.head_sha AND t.open = 1)`,
	} {
		if err := q.exec(ctx, statement, millis(before)); err != nil {
			return err
		}
	}
	return nil
}

func scanString(scan func(...any) error) (string, error) {
	var s string
	err := scan(&s)
	return s, err
}
