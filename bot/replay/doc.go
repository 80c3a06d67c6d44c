// Package replay answers "what would the App write to GitHub because of this
// delivery?". It runs the App in the caller's goroutine against a simulated
// GitHub that is made from the delivery and two source trees. It must not reach
// anything but that simulation, and it runs nothing on a GPU.
package replay
