# SPDX-License-Identifier: Apache-2.0
"""Converts numbers in base units (bytes, seconds, hertz, bytes per second) to readable texts and back."""

import math

# The units of each kind with their size in base units, ascending. The unit of a text determines its kind.
BANDWIDTH = (("B/s", 1.0), ("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9), ("TB/s", 1e12))
SIZE = (("B", 1.0), ("KiB", 2.0**10), ("MiB", 2.0**20), ("GiB", 2.0**30), ("TiB", 2.0**40))
DECIMAL_SIZE = (("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12))
FREQUENCY = (("Hz", 1.0), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9))
TIME = (("ps", 1e-12), ("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0))
CYCLES = (("cyc", 1.0),)
KINDS = (BANDWIDTH, SIZE, DECIMAL_SIZE, FREQUENCY, TIME, CYCLES)
# Units of a metric by the suffix of its name in summary.json: the kind, and the size of the unit in base units.
METRIC_ENDS = (("_ns", TIME, 1e-9), ("bandwidth", BANDWIDTH, 1.0), ("bytes", SIZE, 1.0))
PLAIN_ENDS = (("_percent", "%"), ("tflops", "TFLOPS"), ("_mm2", "mm\u00b2"), ("watts", "W"), ("joules", "J"), ("dollars", "$"))
POWERS = tuple((f"\u00d710{power}", 10.0**int(digits)) for power, digits in
               (("\u2076", "6"), ("\u2079", "9"), ("\u00b9\u00b2", "12"), ("\u00b9\u2075", "15")))


def split(text):
    """Returns (number, unit) of a text such as '1.2 GHz'; (None, '') if it does not begin with a number."""
    number, _, unit = text.strip().partition(" ")
    try:
        return float(number), unit.strip()
    except ValueError:
        return None, ""


def kind_of(texts):
    """Returns the kind of unit that all of the texts share, () if there is none or several."""
    units = {split(text)[1] for text in texts}
    for kind in KINDS:
        if units and units <= {unit for unit, _ in kind}:
            return kind
    return ()


def base_value(text):
    """Returns a parameter's text in base units, None if it is not a number with a known unit."""
    number, unit = split(text)
    sizes = {name: size for kind in KINDS for name, size in kind}
    if number is None or (unit and unit not in sizes):
        return None
    return number * sizes.get(unit, 1.0)


class Scale:
    """Divides numbers in base units by one unit, the same for all of an axis."""

    def __init__(self, unit="", size=1.0):
        self.unit, self.size = unit, size

    def number(self, value):
        return value / self.size


def scale_for(kind, values):
    """Returns the largest unit in which the logarithmic middle of the values is at least one."""
    sizes = [math.log(abs(value)) for value in values if value]
    middle = math.exp(sum(sizes) / len(sizes)) * (1 + 1e-9) if sizes else 0
    return Scale(*next((unit for unit in reversed(kind) if middle >= unit[1]), kind[0] if kind else ("", 1.0)))


def scale_of_parameter(texts, values):
    return scale_for(kind_of(texts), values)


def scale_of_metric(name, values):
    """Returns the scale of a metric. Its unit is in its name; user-defined metrics have none."""
    for end, kind, size in METRIC_ENDS:
        if name.endswith(end):
            scale = scale_for(kind, [value * size for value in values])
            return Scale(scale.unit, scale.size / size)
    for end, unit in PLAIN_ENDS:
        if name.endswith(end):
            return Scale(unit)
    return scale_for((("", 1.0), *POWERS), values)


def with_unit(name, scale):
    return f"{name} [{scale.unit}]" if scale and scale.unit else name


def metric_label(name, scale):
    readable = name
    if scale.unit:  # the label names it already
        for end in ("_ns", "_percent", "_mm2"):
            readable = readable.removesuffix(end)
    return with_unit(readable.replace("_", " "), scale)
