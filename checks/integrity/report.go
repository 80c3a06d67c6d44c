package integrity

import "github.com/tilegate/tilegate/checks/rules"

// Report reports the findings of a kind. The pass's rule declares Facts and is
// of scope PerChange.
func Report(p *rules.Pass, kind Kind) {
	for _, f := range Facts.Of(p).With(p.Base, kind) {
		p.Report(rules.Diagnostic{File: f.File, Span: f.Span, Severity: f.Severity, Construct: f.Construct, Message: f.Message})
	}
}
