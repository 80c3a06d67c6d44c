package outbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tilegate/tilegate/bot/store"
)

// digestOf identifies a state by its content.
func digestOf(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12]), nil
}

// uniqueKey makes the idempotency key of one change of an object. A state that
// returns after another one is a change of its own.
func uniqueKey(ctx context.Context, tx *store.Tx, object, digest string) (string, error) {
	for n := 1; ; n++ {
		key := fmt.Sprintf("%s/%s/%d", object, digest, n)
		_, err := tx.Write(ctx, key)
		if errors.Is(err, store.ErrNotFound) {
			return key, nil
		}
		if err != nil {
			return "", err
		}
	}
}
