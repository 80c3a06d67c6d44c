// Command tilegate reviews cutile-rs kernels of TileGym, runs and judges their
// GPU jobs, and serves the GitHub App. Arguments are parsed here, one file a
// subcommand; no decision lives in this package.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"

	"github.com/tilegate/tilegate/checks/untrusted"
)

// exitCode is returned by a command whose outcome is not "fine" and has
// already been printed.
type exitCode int

// The exit statuses of every command.
const (
	exitNotFine   exitCode = 1 // the checked thing is not fine
	exitUsage     exitCode = 2 // wrong usage or unreadable input
	exitUndecided exitCode = 3 // could not decide
)

func (e exitCode) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// cli is the grammar of the command line. One field is one subcommand.
type cli struct {
	Version kong.VersionFlag `help:"Print the version and exit."`

	Review      reviewCmd      `cmd:"" help:"Review a TileGym checkout against the rulebook."`
	Fix         fixCmd         `cmd:"" help:"Apply the safe fixes of the review's findings."`
	Rules       rulesCmd       `cmd:"" help:"List the rules or explain one."`
	Plan        planCmd        `cmd:"" help:"Say which kernels and stages a change needs, and why."`
	Perf        perfCmd        `cmd:"" help:"Judge performance from raw records."`
	Correctness correctnessCmd `cmd:"" help:"Judge correctness from raw records."`
	Config      configCmd      `cmd:"" help:"Check a repository's configuration."`
	Analysis    analysisCmd    `cmd:"" help:"Check an analysis.json."`
	IR          irCmd          `cmd:"" name:"ir" help:"Check CUDA Tile IR and compare it with a reference."`
	Triage      triageCmd      `cmd:"" help:"Match logs against the known failure signatures."`
	Runner      runnerCmd      `cmd:"" help:"Run a stage on a GPU machine and leave evidence."`
	Action      actionCmd      `cmd:"" hidden:"" help:"Run as a GitHub Action."`
	Serve       serveCmd       `cmd:"" help:"Run the GitHub App."`
	Status      statusCmd      `cmd:"" help:"Show the gate tree of a pull request from the App's database."`
	Replay      replayCmd      `cmd:"" help:"Print the writes that a recorded webhook delivery would cause."`
	Demo        demoCmd        `cmd:"" help:"Run the whole flow on this machine."`
}

// streams are where a command reads and prints; bound into every Run method.
type streams struct {
	In       io.Reader
	Out, Err io.Writer
}

func main() { os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})) }

// newParser makes the parser of the command line.
func newParser(s streams) (*kong.Kong, error) {
	return kong.New(&cli{},
		kong.Name("tilegate"),
		kong.Description("Reviews, runs and judges cutile-rs kernels of TileGym."),
		kong.Vars{"version": "tilegate " + version()},
		kong.Writers(s.Out, s.Err),
		kong.Exit(func(code int) { panic(exitCode(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Bind(s),
		kong.KindMapper(reflect.String, kong.MapperFunc(oneWord)),
		kong.KindMapper(reflect.Slice, afterFlag([]string{})),
		kong.KindMapper(reflect.Map, pairs(afterFlag(map[string]string{}))),
		kong.KindMapper(reflect.Int, numeric(strconv.Atoi, "a whole number")),
		kong.KindMapper(reflect.Float64, numeric(parseFloat, "a number")),
	)
}

// given says in plain words that a flag has no value.
func given(ctx *kong.DecodeContext) error {
	t := ctx.Scan.Peek()
	if ctx.Value.Flag == nil || t.IsValue() || t.String() == "-" {
		return nil
	}
	want := ctx.Value.Flag.PlaceHolder
	switch {
	case ctx.Value.Enum != "":
		want = "one of " + strings.ReplaceAll(ctx.Value.Enum, ",", ", ")
	case want == "":
		want = "a value"
	}
	if t.IsEOL() {
		return fmt.Errorf("expected %s, found nothing", want)
	}
	return fmt.Errorf("expected %s, found the flag %s; a value that begins with - follows an equals sign: --%s=%[2]s", want, t, ctx.Value.Name)
}

// oneWord reads a text.
func oneWord(ctx *kong.DecodeContext, target reflect.Value) error {
	if err := given(ctx); err != nil {
		return err
	}
	word, ok := ctx.Scan.Pop().Value.(string)
	if !ok {
		return errors.New("expected a word")
	}
	target.SetString(word)
	return nil
}

// afterFlag reads what the parser reads by itself for a type, if a value is there.
func afterFlag(of any) kong.MapperFunc {
	own := kong.NewRegistry().RegisterDefaults().ForType(reflect.TypeOf(of))
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		if err := given(ctx); err != nil {
			return err
		}
		return own.Decode(ctx, target)
	}
}

// pairs refuses what is no name with a value.
func pairs(read kong.MapperFunc) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		if t := ctx.Scan.Peek(); t.IsValue() && !strings.Contains(t.String(), "=") {
			return fmt.Errorf("expected %s, found %q", ctx.Value.Flag.PlaceHolder, t)
		}
		return read(ctx, target)
	}
}

// choice is how the parser says that a value is none of those that are known.
var choice = regexp.MustCompile(`^(\S+) must be one of (.+) but got (".*")$`)

// plainly puts what the parser says into the words of all other errors.
func plainly(err error) string {
	said := err.Error()
	if absent := missing(err); absent != "" {
		said = absent
	} else if m := choice.FindStringSubmatch(said); m != nil {
		said = fmt.Sprintf("%s: expected one of %s, found %s", m[1], strings.ReplaceAll(strings.ReplaceAll(m[2], `"`, ""), ",", ", "), m[3])
	}
	return untrusted.Text(said).String()
}

// missing says which arguments of a command are not there and what each of them is;
// "" when that is not what is wrong.
func missing(err error) string {
	failed := (*kong.ParseError)(nil)
	if !errors.As(err, &failed) || !lacks.MatchString(err.Error()) {
		return ""
	}
	given := map[*kong.Positional]bool{}
	for _, p := range failed.Context.Path {
		given[p.Positional] = true
	}
	var absent []string
	for _, arg := range failed.Context.Selected().Positional {
		if arg.Required && !given[arg] {
			absent = append(absent, fmt.Sprintf("%s (%s)", arg.Summary(), clause(arg.Help)))
		}
	}
	return "expected " + strings.Join(absent, " and ") + ", found nothing"
}

// lacks is how the parser says that arguments are not there.
var lacks = regexp.MustCompile(`^(?:expected "<|missing positional arguments )`)

// clause writes a sentence of help as a part of another one.
func clause(help string) string {
	help = strings.TrimSuffix(help, ".")
	if len(help) > 1 && unicode.IsLower(rune(help[1])) {
		return strings.ToLower(help[:1]) + help[1:]
	}
	return help
}

// asked turns the words that people try first into what they stand for.
func asked(args []string) []string {
	switch args[0] {
	case "help":
		return append(slices.Clone(args[1:]), "--help")
	case "version":
		return append([]string{"--version"}, args[1:]...)
	}
	return args
}

// numeric reads a number and says in plain words when there is none.
func numeric[T int | float64](parse func(string) (T, error), what string) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		if err := given(ctx); err != nil {
			return err
		}
		var word string
		if err := ctx.Scan.PopValueInto(what, &word); err != nil {
			return err
		}
		n, err := parse(word)
		if err != nil {
			return fmt.Errorf("expected %s, found %q", what, word)
		}
		target.Set(reflect.ValueOf(n))
		return nil
	}
}

func parseFloat(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

// run parses the arguments, runs the command and returns the exit status.
func run(args []string, s streams) (status int) {
	if len(args) == 0 {
		// Without a command the list of commands is the message.
		return max(run([]string{"--help"}, streams{s.In, s.Err, s.Err}), int(exitUsage))
	}
	parser, err := newParser(s)
	if err != nil {
		fmt.Fprintln(s.Err, "tilegate:", err)
		return int(exitUsage)
	}
	defer func() {
		if r := recover(); r != nil {
			code, ok := r.(exitCode)
			if !ok {
				panic(r)
			}
			status = int(code)
		}
	}()
	ctx, err := parser.Parse(asked(args))
	if err != nil {
		fmt.Fprintf(s.Err, "tilegate: %s (see %s --help)\n", plainly(err), commandOf(err))
		return int(exitUsage)
	}
	if err := ctx.Run(); err != nil {
		var code exitCode
		if errors.As(err, &code) {
			return int(code)
		}
		for _, err := range each(err) {
			// It quotes names and texts of files.
			fmt.Fprintln(s.Err, "tilegate:", untrusted.Text(err.Error()))
		}
		return int(exitUsage)
	}
	return 0
}

// each is an error, or those that errors.Join made one of.
func each(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(joined.Unwrap()...).Error() != err.Error() {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, each(e)...)
	}
	return all
}

// commandOf is the command whose arguments could not be parsed.
func commandOf(err error) string {
	name := "tilegate"
	if failed := (*kong.ParseError)(nil); errors.As(err, &failed) {
		for _, p := range failed.Context.Path {
			if p.Command != nil {
				name += " " + p.Command.Name
			}
		}
	}
	return name
}
