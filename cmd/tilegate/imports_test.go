package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/tilegate/tilegate/"

// rooms says for each room which others it may import. Imports point one way:
// cmd -> bot, runner -> checks.
var rooms = map[string][]string{
	"cmd":       {"cmd", "bot", "runner", "checks", "templates", "testdata"},
	"bot":       {"bot", "checks", "templates"},
	"runner":    {"runner", "checks"},
	"templates": {"templates", "checks"},
	"checks":    {"checks"},
}

// impure are the packages that a check must not use: a verdict depends on the
// bytes it is given and on nothing else.
var impure = []string{"net", "net/http", "os", "os/exec", "database/sql", "github.com/google/go-github"}

// generators are programs and helpers of tests below checks; no verdict.
var generators = []string{"checks/rules/gen/", "checks/rules/ruletest/", "checks/upstreamtest/", "checks/hostile/"}

func TestImportsPointOneWay(t *testing.T) {
	root := "../.."
	files := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		room, _, _ := strings.Cut(rel, "/")
		allowed, known := rooms[room]
		if d.IsDir() {
			if d.Name() == "testdata" || rel != "." && !known {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		test := strings.HasSuffix(p, "_test.go")
		for _, g := range generators {
			test = test || strings.HasPrefix(rel, g)
		}
		for _, i := range f.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if own, ok := strings.CutPrefix(path, module); ok {
				to, _, _ := strings.Cut(own, "/")
				if own == "checks/hostile" && !test {
					t.Errorf("%s imports %s: it reads the machine's state and is for tests only", rel, own)
				}
				if !contains(allowed, to) && !(test && to == "testdata") {
					t.Errorf("%s imports %s: %s may import only %v", rel, own, room, allowed)
				}
			}
			if room == "checks" && !test {
				for _, bad := range impure {
					if path == bad || strings.HasPrefix(path, bad+"/v") {
						t.Errorf("%s imports %s: a check is pure", rel, path)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Fatalf("only %d Go files were looked at", files)
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
