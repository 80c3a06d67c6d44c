// Command fuzztargets lists the fuzz targets of the module, a line each: the
// package's folder and the function.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	var out []string
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, p, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && isTarget(fn) {
				out = append(out, filepath.ToSlash(filepath.Dir(p))+" "+fn.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzztargets:", err)
		os.Exit(1)
	}
	slices.Sort(out)
	fmt.Println(strings.Join(out, "\n"))
}

// isTarget reports whether a function has a fuzz target's name and its one
// parameter *testing.F.
func isTarget(fn *ast.FuncDecl) bool {
	params := fn.Type.Params.List
	if !strings.HasPrefix(fn.Name.Name, "Fuzz") || len(params) != 1 {
		return false
	}
	star, ok := params[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "F"
}
