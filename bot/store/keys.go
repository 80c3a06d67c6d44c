package store

import (
	"context"
	"crypto/rand"
)

// Key reads a random key of 32 bytes, which the first call makes. Replicas on
// one database share it.
func (q queries) Key(ctx context.Context, name string) ([]byte, error) {
	fresh := make([]byte, 32)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	if err := q.exec(ctx, "INSERT INTO keys (name, value) VALUES (?1, ?2) ON CONFLICT DO NOTHING", name, fresh); err != nil {
		return nil, err
	}
	return one(ctx, q, func(scan func(...any) error) ([]byte, error) {
		var key []byte
		err := scan(&key)
		return key, err
	}, "SELECT value FROM keys WHERE name = ?1", name)
}
