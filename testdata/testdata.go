// Package testdata carries sample data inside the binary, so that the demo runs
// from any folder. It answers "what does the sample repository hold?" and must
// not write or change any of it.
package testdata

import "embed"

// TilegymMini is the sample repository, below the folder tilegym-mini.
//
//go:embed all:tilegym-mini
var TilegymMini embed.FS
