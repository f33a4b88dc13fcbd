# SPDX-License-Identifier: Apache-2.0
"""A metric over one parameter, a line for every value of another; what else varies is a band."""

from matplotlib import pyplot

from sweeps.names import BadRequest

from .selection import Selection, metric_label, middle
from .style import CHARACTER, STYLES, area, save, space_axes, write_heading

LEFT, TOP, WIDE, HIGH = 0.9, 0.85, 5.6, 3.8  # inches of the plot


def plot(arguments):
    x, metric, by = arguments.x, arguments.metric, arguments.by
    selection = Selection(arguments, (metric,))
    selection.sweep.path(x)
    series = selection.categories(selection.sweep.path(by)) if by else [None]
    if len(series) > len(STYLES):
        raise BadRequest(f"--by {by}: has {len(series)} values, which no one tells apart; expected at most "
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
    for name, (colour, marker) in zip(series, STYLES):
        cells = [(where[text], [scale.number(value) for value in groups[(text, name) if by else (text,)]])
                 for text in categories if ((text, name) if by else (text,)) in groups]
        at = [place for place, _ in cells]
        if spread:
            axes.fill_between(at, [min(values) for _, values in cells], [max(values) for _, values in cells],
                              color=colour, alpha=0.13, linewidth=0)
        axes.plot(at, [middle(values) for _, values in cells], color=colour, marker=marker, markersize=5.5,
                  linewidth=1.4, label=name)
    space_axes(axes, *("xy" if number else "y"))
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
    others = selection.others(x, *([by] if by else []))
    write_heading(chart, selection.sweep.title or "Sweep", selection.note(
        f"line: median, band: least to greatest over {', '.join(others)}" if spread else ""))
    return save(chart, arguments.out)
