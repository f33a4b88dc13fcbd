# SPDX-License-Identifier: Apache-2.0
"""Plots all points of a sweep over two metrics; numbers the Pareto front and tabulates its parameters."""

from optimise.figure import FrontFigure, draw, shown_of
from optimise.units import metric_label

from .selection import Selection


def front_of(points, x, y):
    """Returns the Pareto front: the points that no other equals or beats in both metrics, sorted by x."""
    front = []
    for point in sorted(points, key=lambda point: (point.metrics[x], point.metrics[y], point.number)):
        if not front or point.metrics[y] < front[-1].metrics[y]:
            front.append(point)
    return front


def table_of(selection, shown, x, y):
    """Returns columns of texts, each with its heading first."""
    scales = [selection.metric_scale(name) for name in (x, y)]
    columns = [[""] + [str(number) for number in range(1, len(shown) + 1)]]
    columns += [[selection.axis_name(axis)] + [selection.shown_text(axis, point) for point in shown]
                for axis in selection.axes]
    columns += [[metric_label(name, scale).replace(" [", "\n[")] +
                [f"{scale.number(point.metrics[name]):.4g}" for point in shown] for name, scale in zip((x, y), scales)]
    return columns


def plot(arguments):
    x, y = arguments.x, arguments.y
    selection = Selection(arguments, (x, y))
    front = front_of(selection.points, x, y)
    shown = shown_of(front)
    scales = [selection.metric_scale(name) for name in (x, y)]

    def places(points):
        return [tuple(scale.number(point.metrics[name]) for scale, name in zip(scales, (x, y))) for point in points]

    some = "" if shown == front else f", {len(shown)} of them numbered"
    note = selection.note(f"{len(front)} of {len(selection.points)} points are Pareto-optimal{some}")
    return draw(FrontFigure(selection.sweep.title or "Sweep", note, (metric_label(x, scales[0]), metric_label(y, scales[1])),
                            places(selection.points), places(front), places(shown), table_of(selection, shown, x, y),
                            line=places(front)), arguments.out)
