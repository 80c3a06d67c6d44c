package githubsim

// Patterns are the endpoints that a Sim serves.
func (s *Sim) Patterns() []string { return s.patterns }
