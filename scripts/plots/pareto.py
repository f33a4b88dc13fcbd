# SPDX-License-Identifier: Apache-2.0
"""Plots all points of a sweep over two metrics; numbers the Pareto front and tabulates its parameters."""

from matplotlib import pyplot

from optimise.style import CHARACTER, STYLES, area, save, space_axes, write_heading

from .selection import Selection, metric_label

MOST_ROWS = 24  # table rows; a longer front is numbered at evenly spaced points
ROW = 0.19  # inches
LEFT, TOP, WIDE, HIGH = 0.85, 0.85, 5.2, 4.4  # inches of the plot
OFFSETS = ((7, 7), (-7, -8), (7, -8), (-7, 8), (0, 13), (0, -14), (14, 0), (-14, 0), (16, 14), (-16, -15))  # points


def front_of(points, x, y):
    """Returns the Pareto front: the points that no other equals or beats in both metrics, sorted by x."""
    front = []
    for point in sorted(points, key=lambda point: (point.metrics[x], point.metrics[y], point.number)):
        if not front or point.metrics[y] < front[-1].metrics[y]:
            front.append(point)
    return front


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
    columns = table_of(selection, shown, x, y)
    widths = [0.24 + CHARACTER * max(len(line) for text in column for line in text.split("\n")) for column in columns]
    table_left = LEFT + WIDE + 0.4
    chart = pyplot.figure(figsize=(table_left + sum(widths) + 0.2,
                                   max(TOP + HIGH + 0.7, TOP + 0.5 + ROW * (len(shown) + 1))))
    axes = chart.add_axes(area(chart, LEFT, TOP, WIDE, HIGH))
    scales = [selection.metric_scale(name) for name in (x, y)]

    def places(points):
        return [tuple(scale.number(point.metrics[name]) for scale, name in zip(scales, (x, y))) for point in points]

    axes.scatter(*zip(*places(selection.points)), s=14, color="#b4b4b4", linewidths=0, zorder=2)
    colour, marker = STYLES[0]
    axes.plot(*zip(*places(front)), drawstyle="steps-post", color=colour, linewidth=1, zorder=3)
    axes.scatter(*zip(*places(front)), s=34, color=colour, marker=marker, zorder=4)
    space_axes(axes, "x", "y")
    axes.set(xlabel=metric_label(x, scales[0]), ylabel=metric_label(y, scales[1]))
    axes.grid(color="#ececec", linewidth=0.6)
    axes.set_axisbelow(True)
    write_numbers(axes, places(shown))
    write_table(chart, columns, widths, table_left)
    some = "" if shown == front else f", {len(shown)} of them numbered"
    write_heading(chart, selection.sweep.title or "Sweep", selection.note(
        f"{len(front)} of {len(selection.points)} points are Pareto-optimal{some}"))
    return save(chart, arguments.out)


def write_table(chart, columns, widths, left):
    width, height = chart.get_size_inches()
    for column, wide in zip(columns, widths):
        left += wide
        for row, text in enumerate(column):
            chart.text((left - 0.12) / width, 1 - (TOP + 0.1 + ROW * row + (0.14 if row else 0)) / height, text,
                       fontsize=8, ha="right", va="center", weight="bold" if row == 0 else "normal",
                       color="#404040" if row == 0 else "#000000")
