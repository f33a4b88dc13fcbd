# SPDX-License-Identifier: Apache-2.0
"""Random legal values of declared parameters, from the ranges that `tahoma params --format json` prints."""

import json
import math
import re
import subprocess

# Smallest units first; values are written in these.
UNITS = {
    "time": {"fs": 1, "ps": 1e3, "ns": 1e6, "us": 1e9, "ms": 1e12, "s": 1e15},
    "frequency": {"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "bandwidth": {"B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12},
    "size": {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40},
    "power": {"uW": 1, "mW": 1e3, "W": 1e6, "kW": 1e9},
    "energy": {"aJ": 1, "fJ": 1e3, "pJ": 1e6, "nJ": 1e9, "uJ": 1e12, "mJ": 1e15},
    "cycles": {"cyc": 1},
    "number": {"": 1},
    "count": {"": 1},
}
WHOLE = {"size", "cycles", "count", "time", "frequency", "bandwidth", "power", "energy"}


def declared(binary, path):
    """The parameters below a path, by path."""
    text = subprocess.run([binary, "params", path, "--format", "json"], capture_output=True, text=True, check=True).stdout
    return {row["path"]: row for row in json.loads(text)}


def amount(text, kind):
    """The number of a quantity in the smallest unit of its kind."""
    number, _, unit = text.strip().partition(" ")
    return float(number) * UNITS[kind][unit]


def written(number, kind):
    unit = next(iter(UNITS[kind]))
    if kind in WHOLE:
        return f"{round(number)} {unit}".strip()
    return f"{number:.6g} {unit}".strip() if "e" not in f"{number:.6g}" else f"{number:.0f} {unit}".strip()


def between(rng, low, high):
    """Log-uniform; often an end, or beside one."""
    if rng.random() < 0.15:
        return rng.choice([low, high])
    if low > 0:
        return math.exp(rng.uniform(math.log(low), math.log(high)))
    return 0 if rng.random() < 0.1 else high * math.exp(-rng.uniform(0, 12))


def value(rng, row, spread=None):
    """A legal value as text. With `spread`, a number within that factor of the default, if that is not 0. None for texts that can
    be anything."""
    kind = row["type"]
    if kind == "switch":
        return rng.choice(["true", "false"])
    if kind == "text":
        choices = re.match(r"one of: (.*)", row["range"])
        return rng.choice(choices.group(1).split(", ")) if choices else None
    if row.get("may_be_ideal") and rng.random() < 0.15:
        return "ideal"
    low, high = (amount(end, kind) for end in row["range"].split(" .. "))
    default = amount(row["default"], kind) if row["default"] != "ideal" else high
    if spread and default > 0:
        low, high = max(low, default / spread), min(high, default * spread)
    number = min(high, max(low, between(rng, low, high)))
    if kind in WHOLE:
        number = min(math.floor(high), max(math.ceil(low), round(number)))
    return written(number, kind)
