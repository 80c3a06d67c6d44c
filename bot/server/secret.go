package server

import "log/slog"

// redacted stands for a secret wherever one would be printed.
const redacted = "[redacted]"

// Secret is text that must not reach a log, a page or an error. Reveal is its
// only way out.
type Secret string

// Reveal returns the text itself.
func (s Secret) Reveal() string { return string(s) }

// String, GoString, LogValue, MarshalText and MarshalJSON hide the text.
func (s Secret) String() string { return redacted }

// GoString hides the text in %#v.
func (s Secret) GoString() string { return redacted }

// LogValue hides the text in structured logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the text in encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON hides the text in JSON.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }
