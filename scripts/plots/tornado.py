# SPDX-License-Identifier: Apache-2.0
"""Plots the change of a metric when a single axis moves from a base point, with the longest bar on top."""

from matplotlib import pyplot

from optimise.names import BadRequest
from optimise.style import CHARACTER, STYLES, area, save, write_heading
from optimise.units import metric_label

from .selection import Selection

ROW, TOP, WIDE = 0.5, 0.85, 4.6  # inches


class Bar:
    """An axis and the base point's neighbours along it, including the base."""

    def __init__(self, axis, points, metric):
        self.axis = axis
        self.low = min(points, key=lambda point: point.metrics[metric])
        self.high = max(points, key=lambda point: point.metrics[metric])
        self.span = self.high.metrics[metric] - self.low.metrics[metric]


def middle_point(selection):
    """Returns the point at the middle value of every axis, or the existing point nearest to it."""
    def place(point):
        return sum(abs(columns[at].index(selection.axis_text(axis, point)) - (len(columns[at]) - 1) / 2)
                   / len(columns[at]) for at, axis in enumerate(selection.axes))

    columns = [ordered(selection, axis) for axis in selection.axes]
    return min(selection.points, key=lambda point: (place(point), point.number))


def ordered(selection, axis):
    if len(axis) == 1:
        return selection.categories(axis[0])
    return list(dict.fromkeys(selection.axis_text(axis, point) for point in selection.points))


def base_of(selection, number):
    if number is None:
        return middle_point(selection)
    found = [point for point in selection.points if point.number == number]
    if not found:
        numbers = sorted((point.number for point in selection.points), key=lambda other: abs(other - number))
        raise BadRequest(f"--base {number}: this point does not exist or is not done; the nearest is {numbers[0]}")
    return found[0]


def bars_of(selection, base, metric):
    bars = []
    for axis in selection.axes:
        rest = [path for other in selection.axes if other != axis for path in other]
        line = [point for point in selection.points if all(point.texts[path] == base.texts[path] for path in rest)]
        if len(line) > 1:
            bars.append(Bar(axis, line, metric))
    if not bars:
        raise BadRequest(f"{selection.sweep.folder}: no point differs from point {base.number} on one axis alone; "
                         "expected a sweep of a grid")
    return sorted(bars, key=lambda bar: -bar.span)


def plot(arguments):
    metric = arguments.metric
    selection = Selection(arguments, (metric,))
    base = base_of(selection, arguments.base)
    bars = bars_of(selection, base, metric)
    scale = selection.metric_scale(metric)
    centre = scale.number(base.metrics[metric])
    texts = [[selection.shown_text(bar.axis, point) for point in (bar.low, bar.high)] for bar in bars]
    names = [f"{selection.axis_name(bar.axis)}\n(base {selection.shown_text(bar.axis, base)})" for bar in bars]
    left = 0.3 + CHARACTER * max(len(line) for name in names for line in name.split("\n"))
    room = 0.25 + CHARACTER * max(len(text) for pair in texts for text in pair)
    below = selection.note(f"base: point {base.number}, {centre:.4g} {scale.unit}".strip(),
                           "one axis moves at a time; ends: the value there")
    chart = pyplot.figure(figsize=(max(left + WIDE + 2 * room, 0.4 + 0.072 * max(len(below), len(selection.sweep.title))),
                                   TOP + ROW * len(bars) + 0.75))
    axes = chart.add_axes(area(chart, left + room, TOP, WIDE, ROW * len(bars)))
    for row, (bar, ends) in enumerate(zip(bars, texts)):
        low, high = (scale.number(point.metrics[metric]) for point in (bar.low, bar.high))
        for end, other, colour in ((low, min(centre, high), STYLES[0][0]), (high, max(centre, low), STYLES[1][0])):
            axes.barh(row, end - other, left=other, height=0.55, color=colour, zorder=2)
        for end, text, side in ((low, ends[0], -1), (high, ends[1], 1)):
            if low != high or side == 1:
                axes.annotate(text if low != high else "no difference", (end, row), xytext=(5 * side, 0),
                              textcoords="offset points", va="center", ha="left" if side > 0 else "right", fontsize=8)
    axes.axvline(centre, color="#202020", linewidth=0.8, zorder=3)
    axes.set_yticks(range(len(bars)), [""] * len(bars))
    for row, name in enumerate(names):
        axes.annotate(name, (0, row), xycoords=("axes fraction", "data"), xytext=(-72 * room, 0),
                      textcoords="offset points", ha="right", va="center", fontsize=8)
    axes.set(ylim=(len(bars) - 0.5, -0.5), xlabel=metric_label(metric, scale))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color="#ececec", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.margins(x=0.02)
    write_heading(chart, selection.sweep.title or "Sweep", below)
    return save(chart, arguments.out)
