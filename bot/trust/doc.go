// Package trust answers "who may do what, and may this commit's code run on the
// GPU runners?". It decides from roles, approvals and states that the caller
// has read from GitHub; it must not read GitHub, keep state or run anything,
// and what it does not know it refuses.
package trust
