# SPDX-License-Identifier: Apache-2.0
"""Two programs side by side: every case once with each, in turn, so that both meet the same load on the host."""

import dataclasses

from benches.measure import measure


@dataclasses.dataclass(frozen=True)
class Pair:
    case: object
    base: object  # the quickest of the runs of each program
    own: object

    @property
    def ratio(self):
        return self.own.cpu / self.base.cpu


def pairs_of(base, own, cases, repeat):
    """Yields a Pair for each case."""
    for case in cases:
        runs = [(measure(base, case), measure(own, case)) for _ in range(repeat)]
        least = lambda index: min((run[index] for run in runs), key=lambda m: m.cpu)
        yield Pair(case, least(0), least(1))


HEADING = ("| case | base, CPU s | this, CPU s | ratio | base, s | this, s | peak, MiB | output | goal, CPU s |\n"
           "|---|---|---|---|---|---|---|---|---|")


def row(pair):
    case, base, own = pair.case, pair.base, pair.own
    number = lambda value: f"{value / case.parts:.3g}"
    output = "-" if not case.same else "same" if base.output == own.output else "differs"
    goal = f"{case.goal:g}" if case.goal else "-"
    return (f"| {case.what} | {number(base.cpu)} | {number(own.cpu)} | {pair.ratio:.2f} | {number(base.wall)} | {number(own.wall)} | "
            f"{own.peak:.0f} | {output} | {goal} |")
