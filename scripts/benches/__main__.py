# SPDX-License-Identifier: Apache-2.0
"""The part of `scripts/bench` that runs whole commands."""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from benches import beside, history, instructions  # noqa: E402
from benches.cases import BY_NAME, CASES  # noqa: E402
from benches.measure import ROOT  # noqa: E402

SKIPPED = 77  # the status of a test that cannot say anything here


def side_by_side(options, parser):
    unknown = [name for name in options.only if name not in BY_NAME]
    if unknown:
        parser.error(f"--only {','.join(unknown)}: expected {', '.join(BY_NAME)}")
    base = options.beside.resolve()
    if not base.is_file():
        parser.error(f"--beside {options.beside}: expected the program of another commit")
    print(beside.HEADING)
    pairs = []
    for pair in beside.pairs_of(base, options.tahoma.resolve(), [BY_NAME[name] for name in options.only], options.repeat):
        print(beside.row(pair), flush=True)
        pairs.append(pair)
    if options.history:
        rows = history.append(options.history, pairs, base)
        print("wrote", options.history, *history.draw(rows, base, options.history.with_suffix("")))
    return 0


def count_instructions(options):
    try:
        if options.record:
            instructions.record(options.tahoma)
            print("wrote", instructions.FILE.relative_to(ROOT))
            return 0
        lines, grown = instructions.verdict(instructions.read(), instructions.count(options.tahoma), instructions.toolchain(options.tahoma))
    except instructions.Unavailable as why:
        print(f"not counted: {why}")
        return SKIPPED
    print("\n".join(lines))
    if grown:
        print("If this is meant, scripts/bench --instructions --record replaces the counts.")
    return int(grown)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--tahoma", type=pathlib.Path, default=ROOT / "build/tahoma", help="this program (default: %(default)s)")
    parser.add_argument("--beside", type=pathlib.Path, metavar="PROGRAM", help="print a table of commands beside the program of another commit")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[case.name for case in CASES], metavar="NAME,...",
                        help=f"of {', '.join(BY_NAME)} (default: all, which takes half an hour)")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each, of which the quickest counts (default: %(default)s)")
    parser.add_argument("--history", type=pathlib.Path, metavar="FILE.csv", help="with --beside: add the ratios of this commit to the table, and draw it")
    parser.add_argument("--instructions", action="store_true",
                        help=f"count the host's instructions of fixed cases; status 1 if one has grown by more than {100 * instructions.GROWTH:.0f} %%, "
                             f"{SKIPPED} if nothing can be compared")
    parser.add_argument("--record", action="store_true", help="with --instructions: replace the counts of this toolchain")
    options = parser.parse_args()
    if options.instructions == bool(options.beside):
        parser.error("expected --beside or --instructions")
    sys.exit(count_instructions(options) if options.instructions else side_by_side(options, parser))


if __name__ == "__main__":
    main()
