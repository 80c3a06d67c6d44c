// Package demo runs the whole flow in one process: a simulated GitHub with two
// pull requests, the App, and a runner that really builds, tests and measures
// the sample repository. It shows the result as GitHub would; it must not reach
// anything but loopback.
package demo
