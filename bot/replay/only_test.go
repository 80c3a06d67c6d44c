package replay

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A replay cannot reach GitHub, whatever address the App takes from a payload.
func TestOnlyTo(t *testing.T) {
	for _, address := range []string{"https://api.github.com/app", "http://127.0.0.1:2/app", "https://127.0.0.1:1/app"} {
		r, err := http.NewRequest(http.MethodGet, address, nil)
		require.NoError(t, err)
		_, err = onlyTo("http://127.0.0.1:1").RoundTrip(r)
		assert.ErrorContains(t, err, "a replay asks the simulated GitHub only", address)
	}
}
