# SPDX-License-Identifier: Apache-2.0
"""Values with their bands over the start phases of a run (`repeat` of a sweep), and the Pareto front that respects them: the
rule of studies/sweep/results/pareto.h."""

import re
from typing import NamedTuple

TIME = "simulated_time_ns"
RATES = ("flops.achieved_tflops", "mfu_estimated_percent", "mbu_estimated_percent")  # inverse to the time
ENDS = {"low": "band.low_ns", "high": "band.high_ns"}
TOKEN = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*")


class Banded(NamedTuple):
    """A value with the ends of its band; without repetitions the band is the value."""

    value: float
    low: float
    high: float

    def holds(self, other):
        return self.low <= other <= self.high


def around(value, ends=()):
    return Banded(value, min(value, *ends), max(value, *ends)) if ends else Banded(value, value, value)


def at_end(expression, end):
    """Returns an expression with the end of the band for the time; None if the expression does not follow from the time."""
    names = {TIME: ENDS[end], **{rate: f"({rate} * {TIME} / {ENDS[end]})" for rate in RATES}}
    changed = TOKEN.sub(lambda token: names.get(token.group(), token.group()), expression)
    return changed if changed != expression else None


def banded_metric(name, numbers):
    """Returns a number of a run with its band, which only the time and its inverses have."""
    value, time = numbers[name], numbers.get(TIME)
    ends = [numbers[end] for end in ENDS.values() if numbers.get(end, 0) > 0]
    if name == TIME:
        return around(value, ends)
    if name in RATES and time is not None:
        return around(value, [value * time / end for end in ends])
    return around(value)


def lead(a, b, more):
    """Returns a number above zero if `a` is the better value."""
    return a - b if more else b - a


def clear_lead(a, b, more):
    """As lead() of two banded values, and 0 if one is in the band of the other."""
    return 0 if a.holds(b.value) or b.holds(a.value) else lead(a.value, b.value, more)


def beats(ours, theirs, mores):
    leads = [clear_lead(*each) for each in zip(ours, theirs, mores)]
    return min(leads) >= 0 and max(leads) > 0


def front_of(points, mores):
    """Returns those of `points`, lists of banded values, that no other beats: at least as good in every value and better in one.
    `mores` says of each value whether more is better. Equal points are all on the front. It starts with the best first value."""
    front = [at for at, point in enumerate(points) if not any(beats(other, point, mores) for other in points)]
    return sorted(front, key=lambda at: ([-b.value if more else b.value for b, more in zip(points[at], mores)], at))
