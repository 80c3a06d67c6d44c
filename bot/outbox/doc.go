// Package outbox answers "what must still be written to GitHub, and was it?".
// It is the only door for writing: durable, ordered, paced, and idempotent
// also over a crash between a request and its answer. It must not decide what
// to say; it only makes GitHub agree with the state that it was given.
package outbox
