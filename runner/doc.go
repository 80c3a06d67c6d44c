// Package runner answers "what happened on the GPU machine?": it runs the stages
// build, correctness and perf of a kernel at one commit and collects raw
// evidence. It must not decide a verdict, talk to GitHub, or touch the user's
// work tree when a commit is named.
package runner
