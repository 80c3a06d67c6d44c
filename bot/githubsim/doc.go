// Package githubsim answers "what would GitHub answer, and what would it send?"
// for the part of GitHub that tilegate uses: a stateful GitHub over HTTP, in
// memory, that enforces GitHub's limits and refuses what GitHub refuses. It
// must not know tilegate's rules, verdicts or texts, and never leaves loopback.
//
// A Sim is an http.Handler. Tests, the demo and the replay command change its
// state through Go methods (CreateRepo, OpenPull, Commit, Comment, ...); the
// App changes it through the API. Every change that GitHub would announce
// becomes a delivery, which DeliverTo sends signed, or DeliverAutomatically
// sends as it arises. Git object ids are those that git computes.
package githubsim
