package dispatch

import (
	"encoding/json"

	"github.com/tilegate/tilegate/checks/job"
)

// requestLimit is GitHub's limit for a workflow input in bytes.
const requestLimit = 65535

// NewRequest completes and encodes a request. The error names every field that
// is malformed.
func NewRequest(r job.Request) ([]byte, error) {
	r.Schema = job.RequestSchema
	if err := r.Validate(); err != nil {
		return nil, err
	}
	data, err := json.Marshal(r)
	if err == nil && len(data) > requestLimit {
		err = errTooManyKernels
	}
	return data, err
}
