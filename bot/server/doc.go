// Package server answers "what arrives over HTTP, and may it come in?": the
// webhook, health, run pages, and the administrator's listener.
// It stores and shows; it must not act on an event or talk to GitHub.
package server
