# SPDX-License-Identifier: Apache-2.0
"""The common style of all figures, and their output as files."""

import pathlib

import matplotlib
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

matplotlib.use("Agg")  # no screen
matplotlib.rcParams.update({
    "font.size": 9, "font.family": "DejaVu Sans", "axes.spines.top": False, "axes.spines.right": False,
    "svg.hashsalt": "tahoma",  # equal figures give equal bytes
})

# Colours that colour-blind readers can distinguish (Okabe and Ito), with a marker each.
STYLES = (("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"),
          ("#56B4E9", "P"), ("#000000", "X"), ("#8C6D31", "<"))
FORMATS = {".svg": {"metadata": {"Date": None}}, ".png": {"dpi": 150, "metadata": {"Software": None}},
           ".pdf": {"metadata": {"CreationDate": None}}}
BOTH = (".svg", ".png")
CHARACTER = 0.066  # average width at size 8, inches


def save(chart, out):
    """Writes `out` if it ends in .svg, .png or .pdf, otherwise SVG and PNG, and returns the written files."""
    out = pathlib.Path(out)
    files = [out] if out.suffix in FORMATS else [out.with_name(out.name + suffix) for suffix in BOTH]
    out.parent.mkdir(parents=True, exist_ok=True)
    for file in files:
        chart.savefig(file, **FORMATS[file.suffix])
    return files


def write_heading(chart, title, below):
    """Draws `title` in bold with a line of text below it, both at fixed distances from the top."""
    width, height = chart.get_size_inches()
    chart.text(0.2 / width, 1 - 0.28 / height, title, fontsize=12, weight="bold", va="center")
    chart.text(0.2 / width, 1 - 0.54 / height, below, fontsize=9, va="center", color="#404040")


def area(chart, left, top, wide, high):
    """Converts a rectangle in inches from the left and the top to matplotlib's coordinates."""
    width, height = chart.get_size_inches()
    return left / width, 1 - (top + high) / height, wide / width, high / height


def space_axes(axes, *directions):
    """Makes those axes logarithmic whose data spans more than a factor of 8."""
    for direction in directions:
        low, high = axes.dataLim.intervalx if direction == "x" else axes.dataLim.intervaly
        if low > 0 and high / low > 8:
            getattr(axes, f"set_{direction}scale")("log")
            line = getattr(axes, f"{direction}axis")
            line.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 1000 else (1,)))
            line.set_major_formatter(FuncFormatter(lambda value, _position: f"{value:g}"))
            line.set_minor_formatter(NullFormatter())
