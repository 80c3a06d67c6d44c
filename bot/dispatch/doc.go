// Package dispatch answers "what is asked of the GPU runners, and what did
// they show?". It makes requests, tells how jobs of a run ended, checks that
// evidence belongs to its dispatch and has it judged by `checks`.
// It must not talk to GitHub or keep state.
package dispatch
