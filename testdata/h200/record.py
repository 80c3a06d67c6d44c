"""Record repetitions of TileGym's own perf tests as JUnit files.

    record.py --out DIR --seconds N [--repetitions N] SET...

A SET is NAME=CHECKOUT:FILE. CHECKOUT is a TileGym checkout, FILE lists pytest
node ids, one a line. Each repetition runs every set once, each in a process of
its own, and writes DIR/NAME/rNN.xml; the order of the sets turns by one from
repetition to repetition. No repetition is started that would not end in time.

The processes are forked from one that has imported torch and triton but has
not touched the GPU, which saves most of a start. CUPTI, WARMUP, REP and MIN_REP
are TileGym's own environment variables.
"""

import argparse
import os
import pathlib
import sys
import time

import pytest
import torch  # noqa: F401  imported once for all children
import torch._inductor.config  # noqa: F401
import torch.profiler  # noqa: F401
import triton  # noqa: F401


def measure(checkout, ids, xml):
    """Run the tests in a child; the exit status is pytest's."""
    child = os.fork()
    if child == 0:
        os.chdir(checkout)
        sys.path.insert(0, os.path.join(checkout, "src"))
        log = os.open(str(xml.with_suffix(".log")), os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        status = pytest.main(["-q", "-p", "no:cacheprovider", f"--junitxml={xml}", *ids])
        sys.stdout.flush()
        os._exit(int(status))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1, help="number of the first repetition")
    parser.add_argument("sets", nargs="+", metavar="SET")
    args = parser.parse_args()

    sets = []
    for text in args.sets:
        name, _, where = text.partition("=")
        checkout, _, listing = where.rpartition(":")
        ids = [line for line in pathlib.Path(listing).read_text().splitlines() if line]
        (args.out / name).mkdir(parents=True, exist_ok=True)
        sets.append((name, checkout, ids))

    start, longest = time.monotonic(), 0.0
    for repetition in range(args.first, args.first + args.repetitions):
        began = time.monotonic()
        if began - start + longest > args.seconds:
            break
        turn = repetition % len(sets)
        for name, checkout, ids in sets[turn:] + sets[:turn]:
            before = time.monotonic()
            status = measure(checkout, ids, args.out / name / f"r{repetition:02d}.xml")
            print(f"r{repetition:02d} {name}: exit {status}, {time.monotonic() - before:.1f} s", flush=True)
        longest = max(longest, time.monotonic() - began) if repetition > args.first else time.monotonic() - began


if __name__ == "__main__":
    main()
