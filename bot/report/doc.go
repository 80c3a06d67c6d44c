// Package report answers "how is the state of a pull request told on GitHub?":
// it projects the gate's tree, the review and the results onto check runs, one
// review and one summary comment. It must not decide a verdict or write to GitHub.
package report
