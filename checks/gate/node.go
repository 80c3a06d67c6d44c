package gate

import (
	"github.com/tilegate/tilegate/checks/untrusted"
)

// Status is what a node, and the check run made from it, shows. There is no
// neutral and no skipped: GitHub lets both through a required check.
type Status string

// The statuses. Pending is an unfinished check run, the others are conclusions.
const (
	Success        Status = "success"
	Pending        Status = "pending"
	ActionRequired Status = "action_required"
	TimedOut       Status = "timed_out"
	Failure        Status = "failure"
)

// rank orders statuses; the highest of the children is the parent's. Failure is
// shown at once: nothing that is still running can make the commit mergeable.
var rank = map[Status]int{Success: 0, Pending: 1, ActionRequired: 2, TimedOut: 3, Failure: 4}

// Node is one decision. Name, Reason and Unblock may quote untrusted text;
// Reason and Unblock are prose with code spans.
type Node struct {
	Name    untrusted.Text `json:"name"`
	Status  Status         `json:"status"`
	Reason  untrusted.Text `json:"reason"`            // one sentence
	Unblock untrusted.Text `json:"unblock,omitempty"` // the command or event that would change it; empty when green
	Waived  bool           `json:"waived,omitempty"`  // green only because of a waiver
	Waits   bool           `json:"waits,omitempty"`   // open only because another node is
	URL     string         `json:"url,omitempty"`
	// SHA is the commit that was judged; only the root of a tree has it.
	SHA string `json:"sha,omitempty"`
	// Children are the decisions that this one follows from.
	Children []Node `json:"children,omitempty"`
}

// Conclusion is the status of the whole tree.
func (n Node) Conclusion() Status { return n.Status }

// Leaves lists the nodes without children in order.
func (n Node) Leaves() []Node {
	if len(n.Children) == 0 {
		return []Node{n}
	}
	var all []Node
	for _, c := range n.Children {
		all = append(all, c.Leaves()...)
	}
	return all
}

// Fold makes a node of the worst child, or of the reason that holds when all
// children are green. Its reason and unblock are those of the leaf that decided,
// with the number of further leaves that are open by themselves.
func Fold(name untrusted.Text, green untrusted.Text, children []Node) Node {
	n := Node{Name: name, Status: Success, Reason: green, Children: children}
	for _, c := range children {
		n.Waived = n.Waived || c.Waived
	}
	worst := n.worst()
	if worst == nil {
		return n
	}
	n.Status, n.Waits, n.Unblock = worst.Status, worst.Waits, worst.Unblock
	n.Reason = n.lead()
	open := 0
	for _, l := range n.Leaves() {
		if l.Status != Success && !l.Waits {
			open++
		}
	}
	if !worst.Waits {
		open--
	}
	if open > 0 {
		n.Reason = text("%s (and %d more)", n.Reason, open)
	}
	return n
}

// worst is the first of the worst children; nil when all are green.
func (n Node) worst() *Node {
	var worst *Node
	for i, c := range n.Children {
		if rank[c.Status] > rank[Success] && (worst == nil || rank[c.Status] > rank[worst.Status]) {
			worst = &n.Children[i]
		}
	}
	return worst
}

// lead is the reason of the leaf that decided, after the names of the nodes
// between.
func (n Node) lead() untrusted.Text {
	worst := n.worst()
	if worst == nil {
		return n.Reason
	}
	return worst.Name + ": " + worst.lead()
}
