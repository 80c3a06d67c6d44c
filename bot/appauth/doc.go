// Package appauth answers "through which client does the App talk to GitHub?".
// It makes go-github clients that sign in as the App or as an installation,
// with as few rights as the task needs, and that turn GitHub's requests to wait
// into errors. It must not call GitHub by itself, decide what to call, or sleep.
package appauth
