package server

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"

	"github.com/tilegate/tilegate/bot/store"
)

// Limits of a webhook request. GitHub sends no payload above 25 MB.
const (
	bodyLimit  = 25 << 20
	chunkSize  = 256 << 10
	freeChunks = 4 // chunks that every request may hold
	bigBodies  = 4 // requests that may hold more than freeChunks at a time
)

// Results of requests from whom does not hold the secret, and the event of a request
// that has shown none.
const (
	unsigned     = "unsigned" // without a signature of the right form
	forged       = "forged"   // with one that no secret made
	unknownEvent = "unknown"
)

// Inbox stores a delivery durably together with the job that will act on it,
// and reports whether it was new.
type Inbox interface {
	Accept(ctx context.Context, d store.Delivery) (bool, error)
}

// webhook is the handler of POST /webhook.
type webhook struct {
	secrets []Secret
	inbox   Inbox
	log     *slog.Logger
	count   func(event, result string)
	big     chan struct{}
}

func newWebhook(secrets []Secret, inbox Inbox, log *slog.Logger, count func(event, result string)) *webhook {
	return &webhook{secrets: secrets, inbox: inbox, log: log, count: count, big: make(chan struct{}, bigBodies)}
}

func (h *webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	event, guid := r.Header.Get("X-GitHub-Event"), r.Header.Get("X-GitHub-Delivery")
	signature, ok := signatureOf(r.Header.Get("X-Hub-Signature-256"))
	if !ok || len(h.secrets) == 0 {
		h.refuse(w, unknownEvent, unsigned, http.StatusUnauthorized, "a valid X-Hub-Signature-256 is required")
		return
	}
	body, genuine, err := h.read(w, r, signature)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		h.refuse(w, unknownEvent, "too large", http.StatusRequestEntityTooLarge, "the body is over 25 MiB")
		return
	case err != nil:
		h.refuse(w, unknownEvent, "broken off", http.StatusBadRequest, "the body could not be read")
		return
	case !genuine:
		h.refuse(w, unknownEvent, forged, http.StatusUnauthorized, "a valid X-Hub-Signature-256 is required")
		return
	}
	// From here on the sender holds the secret.
	if event == "" || guid == "" || len(event) > 100 || len(guid) > 100 {
		h.refuse(w, unknownEvent, "without headers", http.StatusBadRequest, "expected the headers X-GitHub-Event and X-GitHub-Delivery")
		return
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "application/x-www-form-urlencoded" {
		h.refuse(w, event, "form", http.StatusUnsupportedMediaType, "set the webhook's content type to application/json")
		return
	}
	fresh, err := h.inbox.Accept(r.Context(), store.Delivery{GUID: guid, Event: event, Action: actionOf(body), Payload: body})
	if err != nil {
		h.log.Error("webhook: the delivery was not stored", "guid", guid, "event", event, "error", err)
		h.refuse(w, event, "not stored", http.StatusServiceUnavailable, "the delivery could not be stored, send it again")
		return
	}
	result := "stored"
	if !fresh {
		result = "repeated"
	}
	h.count(event, result)
	h.log.Info("webhook: "+result, "guid", guid, "event", event, "bytes", len(body))
	w.WriteHeader(http.StatusAccepted)
}

// refuse answers without detail about what was wrong with a signature.
func (h *webhook) refuse(w http.ResponseWriter, event, result string, code int, sentence string) {
	h.count(event, result)
	w.Header().Set("Connection", "close")
	http.Error(w, sentence, code)
}

// read takes the body piece by piece, signs it on the way and reports whether
// one of the secrets made the signature. Nothing is parsed before that, and a
// sender without the secret cannot make many requests hold much memory.
func (h *webhook) read(w http.ResponseWriter, r *http.Request, signature []byte) (body []byte, genuine bool, err error) {
	limited := http.MaxBytesReader(w, r.Body, bodyLimit)
	macs := make([]hash.Hash, len(h.secrets))
	writers := make([]io.Writer, len(h.secrets))
	for i, s := range h.secrets {
		macs[i] = hmac.New(sha256.New, []byte(s.Reveal()))
		writers[i] = macs[i]
	}
	signed := io.TeeReader(limited, io.MultiWriter(writers...))
	var chunks [][]byte
	for {
		if len(chunks) == freeChunks {
			select {
			case h.big <- struct{}{}:
				defer func() { <-h.big }()
			case <-r.Context().Done():
				return nil, false, r.Context().Err()
			}
		}
		chunk := make([]byte, chunkSize)
		n, err := io.ReadFull(signed, chunk)
		chunks = append(chunks, chunk[:n])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return nil, false, err
		}
	}
	// Every secret is compared, so that the time does not tell which one fits.
	for _, mac := range macs {
		if hmac.Equal(mac.Sum(nil), signature) {
			genuine = true
		}
	}
	if !genuine {
		return nil, false, nil
	}
	return bytes.Join(chunks, nil), true, nil
}

// signatureOf decodes "sha256=" and 64 hex digits.
func signatureOf(header string) ([]byte, bool) {
	digits, ok := strings.CutPrefix(header, "sha256=")
	if !ok || len(digits) != 2*sha256.Size {
		return nil, false
	}
	sum, err := hex.DecodeString(digits)
	return sum, err == nil
}

// actionOf is the payload's action, empty when it has none or is not JSON.
func actionOf(body []byte) string {
	var payload struct {
		Action string `json:"action"`
	}
	if json.Unmarshal(body, &payload) != nil || len(payload.Action) > 100 {
		return ""
	}
	return payload.Action
}
