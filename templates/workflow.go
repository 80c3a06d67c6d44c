package templates

import _ "embed"

// Workflow is the workflow that runs the jobs of a dispatch; a repository
// installs it on its default branch as .github/workflows/tilegym-gate.yml.
//
//go:embed tilegym-gate.yml
var Workflow []byte
