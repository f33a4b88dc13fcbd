# SPDX-License-Identifier: Apache-2.0
"""The formats of figures: `time` gives 182.7 us, `us` only the number, `percent` 88.8 %. A format may end in the number of
digits: significant ones of times, sizes and rates, decimals of the others (`us.2`, `percent.0`)."""

import re

from measured.problem import Problem

TIMES = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
SIZES = {"GB": 1e9, "MB": 1e6, "kB": 1e3, "B": 1.0, "MiB": 2.0**20, "KiB": 2.0**10}
FORMAT = re.compile(r"(?P<name>[a-zA-Z_]+)(?:\.(?P<digits>\d+))?")


def significant(value, digits):
    """At most `digits` significant digits, never an exponent."""
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e" in text else text


def scaled(value, units, digits):
    for unit, size in units:
        if abs(value) >= size:
            return f"{significant(value / size, digits)} {unit}"
    return f"{significant(value, digits)} {units[-1][0]}"


def _times(value, digits):
    return scaled(value, list(TIMES.items()), digits)


def _bytes(value, digits):
    return scaled(value, [(unit, SIZES[unit]) for unit in ("GB", "MB", "kB", "B")], digits)


def _rate(value, digits):
    return scaled(value, [("TB/s", 1e12), ("GB/s", 1e9), ("MB/s", 1e6), ("B/s", 1.0)], digits)


def _flops(value, digits):
    """From TFLOPS."""
    return scaled(value * 1e12, [("PFLOPS", 1e15), ("TFLOPS", 1e12), ("GFLOPS", 1e9), ("FLOPS", 1.0)], digits)


# Name: (default digits, writer).
WRITERS = {
    "time": (4, _times),
    "bytes": (4, _bytes),
    "rate": (4, _rate),
    "flops": (4, _flops),
    "percent": (1, lambda value, digits: f"{value:.{digits}f} %"),
    "signed_percent": (1, lambda value, digits: f"{value:+.{digits}f} %"),
    "share": (1, lambda value, digits: f"{value:.{digits}f}"),
    "number": (2, lambda value, digits: f"{value:.{digits}f}"),
    "count": (0, lambda value, digits: f"{value:,.{digits}f}"),
    "error": (2, lambda value, digits: f"{value:.{digits}g}"),
}
WRITERS |= {unit: (4, lambda value, digits, size=size: significant(value / size, digits)) for unit, size in (TIMES | SIZES).items()}


def is_format(text):
    match = FORMAT.fullmatch(text)
    return bool(match) and match["name"] in WRITERS


def default_format(path):
    """By the last word of a statistic's name, which ends in its unit."""
    if path.endswith("_ns"):
        return "time"
    if "percent" in path:
        return "percent"
    if path.endswith("bytes"):
        return "bytes"
    if path.endswith("bandwidth"):
        return "rate"
    if path.endswith("tflops"):
        return "flops"
    return "error" if "error" in path else ""


def written(value, how):
    """Returns a value as a document shows it; words and values without a format are unchanged."""
    if isinstance(value, bool) or isinstance(value, str):
        return str(value)
    if not how:
        return f"{value:,}" if isinstance(value, int) else significant(value, 4)
    match = FORMAT.fullmatch(how)
    if not match or match["name"] not in WRITERS:
        raise Problem(f"'{how}' is not a format; expected one of {', '.join(WRITERS)}, optionally followed by .DIGITS")
    digits, writer = WRITERS[match["name"]]
    return writer(value, int(match["digits"]) if match["digits"] else digits)
