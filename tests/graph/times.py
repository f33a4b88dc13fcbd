#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A table of the architectures at their full sizes, in timing mode on one core: what each takes, and what bounds it.

    tests/graph/times.py [NAME[:BATCH] ...] [--write PAGE.md]

The program is build/tahoma, or that of TAHOMA_PROGRAM. Without names it runs all architectures, with a batch of 1. --write replaces the table between the page's markers. Needs python3-torch.
"""

import argparse
import datetime
import json
import pathlib
import re
import sys
import tempfile
import time

from architectures import ARCHITECTURES, export
from graph_run import command

COMMAND = "tests/graph/times.py"
HEAD = "| architecture | batch | entries | time | of the bounds | MFU | bound by | host |\n|---|---|---|---|---|---|---|---|\n"


def text_of(nanoseconds):
    return f"{nanoseconds / 1e6:.3g} ms" if nanoseconds >= 1e6 else f"{nanoseconds / 1e3:.3g} us"


def row(name, batch):
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.onnx"
        export(name, model, full=True, batch=batch)
        begin = time.monotonic()
        done = command(model, "--mode", "timing", "--floats", "bf16", "--out", f"{folder}/out", "--slim", "--format", "json")
        host = time.monotonic() - begin
    if done.returncode != 0:
        return f"| `{name}` | {batch} | {done.stderr.splitlines()[0]} |"
    run = json.loads(done.stdout)
    took, figures = run["simulated_time_ns"], run["figures"]
    return (f"| `{name}` | {batch} | {figures['graph_nodes']['value']:.0f} | {text_of(took)} | {100 * figures['graph_bound_ns']['value'] / took:.0f} % "
            f"| {run['mfu_estimated_percent']:.1f} % | {run['limits']['resource']} | {host:.1f} s |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME[:BATCH]")
    parser.add_argument("--write", metavar="PAGE.md")
    arguments = parser.parse_args()
    rows = []
    for word in arguments.names or sorted(ARCHITECTURES):
        name, _, batch = word.partition(":")
        if name not in ARCHITECTURES:
            parser.error(f"'{name}' is no architecture; expected one of {', '.join(sorted(ARCHITECTURES))}")
        rows.append(row(name, int(batch or 1)))
        print(rows[-1], flush=True)
    if arguments.write:
        page = pathlib.Path(arguments.write)
        table = f"<!--host {COMMAND}, {datetime.date.today()}-->\n{HEAD}" + "\n".join(rows) + "\n<!--/-->"
        text, found = re.subn(rf"<!--host {re.escape(COMMAND)}, [^>]*-->.*?<!--/-->", lambda _: table, page.read_text(), flags=re.DOTALL)
        if found != 1:
            sys.exit(f"{page}: expected one block that begins with <!--host {COMMAND}, DATE-->")
        page.write_text(text)


if __name__ == "__main__":
    main()
