// Package correctness answers "did every test case that the reference has pass
// on the candidate?" from raw test records, and must not take an absent, skipped
// or unread case for a passed one. ALL_PASS needs every expected case; FAIL needs
// a failure that is not the environment's; everything else is BLOCKED.
package correctness
