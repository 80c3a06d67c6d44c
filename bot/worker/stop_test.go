package worker_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// Who stops the server while it starts is told of no fault.
func TestStopWhileStartingIsNoError(t *testing.T) {
	w := newWorld(t)
	w.stop()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, w.app.Run(ctx))
}
