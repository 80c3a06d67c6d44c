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

// PruneDeliveries empties the payloads of deliveries handled before a time.
// The GUIDs stay, since GitHub may redeliver.
func (q queries) PruneDeliveries(ctx context.Context, before time.Time) error {
	return q.exec(ctx, "UPDATE deliveries SET payload = x'' WHERE handled > 0 AND handled < ?1 AND length(payload) > 0", millis(before))
}

func scanString(scan func(...any) error) (string, error) {
	var s string
	err := scan(&s)
	return s, err
}
