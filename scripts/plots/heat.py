# SPDX-License-Identifier: Apache-2.0
"""Plots a metric over two parameters: one cell with its value for every pair of parameter values."""

from matplotlib import pyplot

from optimise.names import BadRequest
from optimise.style import area, save, write_heading
from optimise.units import metric_label

from .selection import Selection, middle

CELL_WIDE, CELL_HIGH = 0.78, 0.46  # inches
LEFT, TOP = 1.1, 0.85
MOST = 40  # cells per direction


def plot(arguments):
    x, y, metric = arguments.x, arguments.y, arguments.metric
    selection = Selection(arguments, (metric,))
    across, down = (selection.categories(selection.sweep.path(path)) for path in (x, y))
    if max(len(across), len(down)) > MOST:
        raise BadRequest(f"{selection.sweep.folder}: {len(across)} by {len(down)} values are too many cells to "
                         f"read; the limit is {MOST} by {MOST}; expected parameters of a grid, or --fix")
    scale = selection.metric_scale(metric)
    groups = selection.groups(metric, x, y)
    cells = [[scale.number(middle(groups[text, other])) if (text, other) in groups else float("nan")
              for text in across] for other in down]
    wide, high = max(CELL_WIDE * len(across), 2.4), max(CELL_HIGH * len(down), 1.2)
    chart = pyplot.figure(figsize=(max(LEFT + wide + 1.4, 6.6), TOP + high + 0.75))
    axes = chart.add_axes(area(chart, LEFT, TOP, wide, high))
    axes.set_facecolor("#f0f0f0")
    # The brightness increases evenly, which also suits colour-blind readers and print.
    image = axes.imshow(cells, cmap="cividis", aspect="auto", origin="lower")
    low, high_end = image.get_clim()
    for row, line in enumerate(cells):
        for column, value in enumerate(line):
            known = value == value
            dark = known and value < low + 0.5 * (high_end - low)
            axes.text(column, row, f"{value:.4g}" if known else "none", ha="center", va="center", fontsize=8,
                      color="white" if dark else "black")
    axes.set_xticks(range(len(across)), selection.category_texts(x))
    axes.set_yticks(range(len(down)), selection.category_texts(y))
    axes.tick_params(length=0)
    axes.set(xlabel=selection.parameter_label(x), ylabel=selection.parameter_label(y))
    bar = chart.colorbar(image, cax=chart.add_axes(area(chart, LEFT + wide + 0.2, TOP, 0.16, high)))
    bar.set_label(metric_label(metric, scale))
    bar.outline.set_visible(False)
    spread = any(len(values) > 1 for values in groups.values())
    write_heading(chart, selection.sweep.title or "Sweep", selection.note(
        f"median over {', '.join(selection.others(x, y))}" if spread else ""))
    return save(chart, arguments.out)
