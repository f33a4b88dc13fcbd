# SPDX-License-Identifier: Apache-2.0
"""Plots a metric over one parameter, one line per value of another; other varying parameters form a band."""

from matplotlib import pyplot

from optimise.names import BadRequest
from optimise.style import CHARACTER, STYLES, area, save, space_axes, write_heading
from optimise.units import metric_label

from .selection import Selection, middle

LEFT, TOP, WIDE, HIGH = 0.9, 0.85, 5.6, 3.8  # inches of the plot


def plot(arguments):
    x, metric, by = arguments.x, arguments.metric, arguments.by
    selection = Selection(arguments, (metric,))
    selection.sweep.path(x)
    series = selection.categories(selection.sweep.path(by)) if by else [None]
    if len(series) > len(STYLES):
        raise BadRequest(f"--by {by}: has {len(series)} values, which are hard to tell apart; expected at most "
                         f"{len(STYLES)}: leave some out with --fix, or see scripts/plot heat")
    scale = selection.metric_scale(metric)
    labels = [text or "" for text in series]
    key = 0.7 + CHARACTER * max(len(text) for text in labels + [selection.short(by) if by else ""])
    chart = pyplot.figure(figsize=(LEFT + WIDE + (key + 0.2 if by else 0.4), TOP + HIGH + 0.7))
    axes = chart.add_axes(area(chart, LEFT, TOP, WIDE, HIGH))
    categories = selection.categories(x)
    number = selection.is_number(x)
    parameter = selection.parameter_scale(x) if number else None
    where = {point.texts[x]: parameter.number(point.values[x]) for point in selection.points} if number else {
        text: at for at, text in enumerate(categories)}
    groups = selection.groups(metric, x, *([by] if by else []))
    spread = any(len(values) > 1 for values in groups.values())
    others = ", ".join(selection.others(x, *([by] if by else [])))
    # A line would be meaningless between two words, and between points that also differ in hidden parameters.
    joined = number and (spread or not others)
    for at, (name, (colour, marker)) in enumerate(zip(series, STYLES)):
        beside = 0 if number else 0.08 * (at - (len(series) - 1) / 2)
        cells = [(where[text] + beside, [scale.number(value) for value in groups[(text, name) if by else (text,)]])
                 for text in categories if ((text, name) if by else (text,)) in groups]
        draw_series(axes, cells, joined, spread, color=colour, marker=marker, label=name)
    space_axes(axes, *("xy" if number else "y"))
    if not number:
        axes.set_xlim(-0.5, len(categories) - 0.5)
    if number and axes.get_xscale() == "linear":
        axes.set_xlim(auto=True)
        axes.margins(x=0.05)
    if not number or len(categories) <= 8:
        axes.set_xticks([where[text] for text in categories],
                        selection.category_texts(x) if number else categories)
        axes.set_xticks([], minor=True)
    axes.set(xlabel=selection.parameter_label(x), ylabel=metric_label(metric, scale))
    axes.grid(color="#ececec", linewidth=0.6)
    if by:
        axes.legend(title=selection.short(by), loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False,
                    borderaxespad=0, alignment="left")
    if spread:
        note = f"{'line' if joined else 'mark'}: median, {'band' if joined else 'bar'}: min. to max. over {others}"
    else:
        note = f"every mark is one point; {others} vary too" if others else ""
    write_heading(chart, selection.sweep.title or "Sweep", selection.note(note))
    return save(chart, arguments.out)


def draw_series(axes, cells, joined, spread, color, **style):
    at = [place for place, _ in cells]
    low, high = ([end(values) for _, values in cells] for end in (min, max))
    if spread and joined:
        axes.fill_between(at, low, high, color=color, alpha=0.13, linewidth=0)
    elif spread:
        axes.vlines(at, low, high, color=color, alpha=0.4, linewidth=3)
    axes.plot(at, [middle(values) for _, values in cells], color=color, markersize=5.5, linewidth=1.4,
              linestyle="-" if joined else "none", **style)
