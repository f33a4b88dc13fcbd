# SPDX-License-Identifier: Apache-2.0
"""Draws points over two values with their Pareto front, numbered, beside a table of the numbered points. Needs matplotlib."""

import dataclasses

from matplotlib import pyplot

from .style import CHARACTER, STYLES, area, save, space_axes, write_heading

MOST_ROWS = 24  # table rows; a longer front is numbered at evenly spaced points
ROW = 0.19  # inches
LEFT, TOP, WIDE, HIGH = 0.85, 0.85, 5.2, 4.4  # inches of the plot
OFFSETS = ((7, 7), (-7, -8), (7, -8), (-7, 8), (0, 13), (0, -14), (14, 0), (-14, 0), (16, 14), (-16, -15))  # points


@dataclasses.dataclass
class FrontFigure:
    """Places are pairs of numbers in the units of `labels`."""

    title: str
    note: str
    labels: tuple  # of x and y, with units
    places: list  # of all points
    front: list  # of those on the front
    shown: list  # of those that are numbered and in the table
    columns: list  # of the table: texts, each column with its heading first
    line: list = dataclasses.field(default_factory=list)  # of the front's line, sorted by x
    illegal: list = dataclasses.field(default_factory=list)  # of points that break a constraint
    bands: list = dataclasses.field(default_factory=list)  # of `front`: ((x low, x high), (y low, y high))
    step: str = "steps-post"


def shown_of(front):
    if len(front) <= MOST_ROWS:
        return front
    return [front[round(at * (len(front) - 1) / (MOST_ROWS - 1))] for at in range(MOST_ROWS)]


def write_numbers(axes, places):
    """Numbers each place at an offset where the number covers no other number and no other place."""
    pixels = [tuple(axes.transData.transform(place)) for place in places]
    scale = axes.figure.dpi / 72
    taken = list(pixels)
    for number, (place, (x, y)) in enumerate(zip(places, pixels), 1):
        def room(offset, here=(x, y)):
            spot = (here[0] + offset[0] * scale, here[1] + offset[1] * scale)
            return min((abs(spot[0] - a) + abs(spot[1] - b) for a, b in taken if (a, b) != here), default=1e9)
        # Take the first offset without a collision, or else the least crowded one.
        offset = next((offset for offset in OFFSETS if room(offset) > 11 * scale), max(OFFSETS, key=room))
        taken.append((x + offset[0] * scale, y + offset[1] * scale))
        axes.annotate(str(number), place, xytext=offset, textcoords="offset points", ha="center", va="center",
                      fontsize=7.5, weight="bold", color="#202020", zorder=5)


def write_table(chart, columns, widths, left):
    width, height = chart.get_size_inches()
    for column, wide in zip(columns, widths):
        left += wide
        for row, text in enumerate(column):
            chart.text((left - 0.12) / width, 1 - (TOP + 0.1 + ROW * row + (0.14 if row else 0)) / height, text,
                       fontsize=8, ha="right", va="center", weight="bold" if row == 0 else "normal",
                       color="#404040" if row == 0 else "#000000")


def draw_bands(axes, figure):
    for (x, y), ((x_low, x_high), (y_low, y_high)) in zip(figure.front, figure.bands):
        axes.errorbar([x], [y], xerr=[[x - x_low], [x_high - x]], yerr=[[y - y_low], [y_high - y]], fmt="none",
                      ecolor="#606060", elinewidth=0.9, capsize=2, zorder=3)


def draw(figure, *outs):
    """Writes the figure to each of `outs` (style.save) and returns the written files."""
    columns = figure.columns
    widths = [0.24 + CHARACTER * max(len(line) for text in column for line in text.split("\n")) for column in columns]
    table_left = LEFT + WIDE + 0.4
    chart = pyplot.figure(figsize=(table_left + sum(widths) + 0.2,
                                   max(TOP + HIGH + 0.7, TOP + 0.5 + ROW * (len(figure.shown) + 1))))
    axes = chart.add_axes(area(chart, LEFT, TOP, WIDE, HIGH))
    # Shapes and sizes differ, so that the figure can be read in grey.
    for places, style in ((figure.places, {"s": 14, "color": "#b4b4b4", "linewidths": 0}),
                          (figure.illegal, {"s": 16, "color": "#909090", "linewidths": 0.8, "marker": "x"})):
        if places:
            axes.scatter(*zip(*places), zorder=2, **style)
    colour, marker = STYLES[0]
    axes.plot(*zip(*(figure.line or figure.front)), drawstyle=figure.step if figure.line else None, color=colour,
              linewidth=1 if figure.line else 0, zorder=3)
    axes.scatter(*zip(*figure.front), s=34, color=colour, marker=marker, zorder=4)
    draw_bands(axes, figure)
    space_axes(axes, "x", "y")
    axes.set(xlabel=figure.labels[0], ylabel=figure.labels[1])
    axes.grid(color="#ececec", linewidth=0.6)
    axes.set_axisbelow(True)
    write_numbers(axes, figure.shown)
    write_table(chart, columns, widths, table_left)
    write_heading(chart, figure.title, figure.note)
    written = [file for out in outs for file in save(chart, out)]
    pyplot.close(chart)
    return written
