package review

import (
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/tree"
)

// leaveOut takes away what belongs to kernels that were not asked for: findings and
// comments in their own files. What kernels share is everybody's.
func (o *outcome) leaveOut(t *tree.Tree, kernels []*tree.Kernel) {
	if len(kernels) == len(t.Kernels) {
		return
	}
	own := func(k *tree.Kernel, p string) bool {
		return strings.HasPrefix(p, k.Dir+"/") || p != "" && slices.Contains([]string{k.Wrapper, k.TestPath(), k.Reference}, p)
	}
	others := func(p string) bool {
		asked, other := false, false
		for _, k := range t.Kernels {
			if own(k, p) {
				asked = asked || slices.Contains(kernels, k)
				other = true
			}
		}
		return other && !asked
	}
	of := func(h hit) bool { return others(h.File.Path) }
	o.open, o.accepted = slices.DeleteFunc(o.open, of), slices.DeleteFunc(o.accepted, of)
	o.comments = slices.DeleteFunc(o.comments, func(s *Suppression) bool { return others(s.Path) })
}
