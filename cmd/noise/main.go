// Command noise shows what the perf verdict says about real recordings: equal
// code compared with itself, and code that was made slower on purpose.
//
//	go run ./cmd/noise [-backend NAME] CARD...
//
// CARD is a folder of repetitions taken on one GPU in one sitting: a folder for
// each set, rNN.xml in it for each repetition. The set base is unmodified code;
// every other set is a change, measured beside base in the repetition of the same
// number. Comparisons never cross cards.
//
// Beside each verdict stands what a gate would say that fails when any single
// config is more than 5 % slower. Counts are printed with the number of
// repetitions that they rest on: pairs of repetitions are not independent.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	backend := flag.String("backend", "triton", "backend whose repetitions are compared")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./cmd/noise [-backend NAME] CARD...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*backend, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "noise:", err)
		os.Exit(1)
	}
}

func run(backend string, dirs []string) error {
	var cards []card
	for _, dir := range dirs {
		c, err := readCard(dir)
		if err != nil {
			return err
		}
		cards = append(cards, c)
	}
	equal, changes := judge(cards, backend)
	if len(equal) == 0 {
		return errors.New("no op of " + backend + " was measured in two repetitions of a set base: give folders of recordings, or another -backend")
	}
	fmt.Print(markdown(backend, equal, changes))
	return nil
}
