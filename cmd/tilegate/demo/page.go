package demo

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/tilegate/tilegate/bot/githubsim"
)

//go:embed pages
var pages embed.FS

var views = template.Must(template.New("").Funcs(template.FuncMap{
	"markdown": markdown,
	"icon":     icon,
	"short":    func(sha string) string { return sha[:min(7, len(sha))] },
}).ParseFS(pages, "pages/*.html"))

// icon is the state of a check run as GitHub draws it.
func icon(status, conclusion string) template.HTML {
	class, sign := "pending", "●"
	if status == "completed" {
		switch conclusion {
		case "success":
			class, sign = "good", "✓"
		case "failure", "timed_out":
			class, sign = "bad", "✗"
		case "action_required":
			class, sign = "warn", "!"
		default:
			class, sign = "grey", "–"
		}
	}
	return template.HTML(fmt.Sprintf(`<span class="icon %s">%s</span>`, class, sign))
}

// page shows the simulated GitHub's pull requests as GitHub would.
type page struct {
	repo *githubsim.Repo
	done func() bool // stops the page from reloading itself
}

// handler serves the list at / and each pull request at /pull/N.
func (p *page) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.list)
	mux.HandleFunc("GET /pull/{number}", p.pull)
	return mux
}

func (p *page) list(w http.ResponseWriter, r *http.Request) {
	type row struct {
		githubsim.PullState
		Gate githubsim.CheckState
	}
	var rows []row
	for _, n := range p.repo.Pulls() {
		pr, err := p.repo.Pull(n)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		rows = append(rows, row{pr, gateOf(pr)})
	}
	p.render(w, "list.html", map[string]any{"Repo": p.repo.FullName(), "Pulls": rows})
}

func (p *page) pull(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	pr, err := p.repo.Pull(n)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	var files []fileView
	for _, f := range pr.Files {
		files = append(files, viewFile(f, pr))
	}
	slices.SortStableFunc(pr.Checks, func(a, b githubsim.CheckState) int { return checkOrder(a.Name) - checkOrder(b.Name) })
	p.render(w, "pull.html", map[string]any{"Repo": p.repo.FullName(), "Pull": pr, "Files": files})
}

func (p *page) render(w http.ResponseWriter, name string, data map[string]any) {
	data["Refresh"] = !p.done()
	var b bytes.Buffer
	if err := views.ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(b.Bytes())
}

// gateName is the check to require.
const gateName = "tilegym / gate"

// checkNames are the App's check runs in the order in which they are shown.
var checkNames = []string{gateName, "tilegym / rules", "tilegym / build", "tilegym / correctness", "tilegym / perf"}

func checkOrder(name string) int { return slices.Index(checkNames, name) }

func gateOf(pr githubsim.PullState) githubsim.CheckState { return checkOf(pr, gateName) }

func checkOf(pr githubsim.PullState, name string) githubsim.CheckState {
	for _, c := range pr.Checks {
		if c.Name == name {
			return c
		}
	}
	return githubsim.CheckState{Name: name, Status: "queued", Title: "Expected, not reported yet"}
}

type fileView struct {
	githubsim.FileState
	Lines []lineView
	// Whole are the comments on the file rather than on a line.
	Whole []githubsim.ReviewCommentState
}

type lineView struct {
	Old, New    string
	Class, Text string
	Annotations []githubsim.AnnotationState
	Comments    []githubsim.ReviewCommentState
}

// viewFile lays comments and annotations below the diff lines they belong to.
func viewFile(f githubsim.FileState, pr githubsim.PullState) fileView {
	v := fileView{FileState: f}
	at := map[int]*lineView{}
	for _, c := range pr.ReviewComments {
		if c.Path == f.Path && c.WholeFile {
			v.Whole = append(v.Whole, c)
		}
	}
	files, _, err := gitdiff.Parse(strings.NewReader("--- a/x\n+++ b/x\n" + f.Patch + "\n"))
	if err != nil || len(files) != 1 {
		return v
	}
	for _, frag := range files[0].TextFragments {
		v.Lines = append(v.Lines, lineView{Class: "hunk", Text: frag.Header()})
		old, now := frag.OldPosition, frag.NewPosition
		for _, l := range frag.Lines {
			line := lineView{Text: strings.TrimRight(l.Line, "\r\n")}
			switch l.Op {
			case gitdiff.OpAdd:
				line.Class, line.New = "add", fmt.Sprint(now)
				now++
			case gitdiff.OpDelete:
				line.Class, line.Old = "del", fmt.Sprint(old)
				old++
			default:
				line.Old, line.New = fmt.Sprint(old), fmt.Sprint(now)
				old++
				now++
			}
			v.Lines = append(v.Lines, line)
		}
	}
	for i := range v.Lines {
		if n, err := strconv.Atoi(v.Lines[i].New); err == nil {
			at[n] = &v.Lines[i]
		}
	}
	for _, c := range pr.ReviewComments {
		if line := at[c.Line]; c.Path == f.Path && c.Side != "LEFT" && line != nil {
			line.Comments = append(line.Comments, c)
		}
	}
	for _, check := range pr.Checks {
		for _, a := range check.Annotations {
			if line := at[a.EndLine]; a.Path == f.Path && line != nil {
				line.Annotations = append(line.Annotations, a)
			}
		}
	}
	return v
}
