// Package store answers "what does the App know, durably?": deliveries, the
// pull requests they concern, dispatches with their results, approvals,
// waivers, commands, and the writes that GitHub still has to be told.
// It must not talk to GitHub, decide a verdict or keep state outside the database.
package store
