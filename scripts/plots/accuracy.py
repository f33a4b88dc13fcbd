# SPDX-License-Identifier: Apache-2.0
"""The page of `tahoma check`: model over silicon, and the error of every figure."""

import itertools
import json
import pathlib

from matplotlib import pyplot
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from optimise.names import BadRequest
from optimise.style import STYLES, save


BANDS = ((10, "#ececec"), (2, "#d2d2d2"))  # percent around the ideal
ROW_HEIGHT = 0.165  # inches per figure
CHARACTER = 0.055  # average width in a label, inches
ONE_COLUMN = 45  # figures; more are drawn in two columns
MOST_SHOWN = 12  # percent; larger errors are drawn at the edge with their value
LEFT, SQUARE, DOTS = 0.85, 4.6, 2.9  # inches: margin, side of the first plot, width of the second
NANOSECONDS = {"ns": 1.0, "us": 1e3}


class Figure:
    """A figure of the page that has a value."""

    def __init__(self, style, entry):
        self.style = style
        self.what, self.unit = entry["what"], entry["unit"]
        self.held_out = entry["use"] == "check"
        self.silicon, self.model, self.error = entry["silicon"], entry["model"], entry["error_percent"]
        self.spread = self.relative(entry["silicon_spread"])
        self.phases = self.relative(entry["model_over_phases"])

    def relative(self, spread):
        """Returns (low, high) in percent of silicon's value."""
        return spread and tuple(100 * (spread[end] / self.silicon - 1) for end in ("low", "high"))

    def marker(self):
        colour, marker = self.style
        return {"marker": marker, "markeredgecolor": colour, "markerfacecolor": colour if self.held_out else "white",
                "markeredgewidth": 1.1, "linestyle": "none"}


class Page:
    """The drawn content of an accuracy.json."""

    def __init__(self, content):
        if content["schema_version"] != 1:
            raise BadRequest(f"expected schema_version 1, got {content['schema_version']}")
        self.title, self.headline = content["title"], content["headline"]
        self.figures, self.families = [], []
        for family, style in zip(content["families"], itertools.cycle(STYLES)):
            figures = [Figure(style, entry) for entry in family["figures"]
                       if entry["model"] is not None and "traffic" not in entry]  # not silicon's
            self.figures += figures
            if figures:
                self.families.append((style, summary_of(family["name"], family["statistics"]["all"])))
        if not self.figures:
            raise BadRequest("no figure of silicon on this page has a value")
        self.figures.sort(key=lambda figure: -figure.error)


def summary_of(name, tally):
    return (f"{name.replace('_', ' ')}: mean {tally['mean_absolute_error_percent']:.1f} %, "
            f"worst {tally['worst_absolute_error_percent']:.1f} % of {tally['figures']}")


def load(path):
    try:
        return Page(json.loads(pathlib.Path(path).read_text(encoding="utf-8")))
    except OSError as error:
        raise BadRequest(f"{path}: cannot read the file: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise BadRequest(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
    except BadRequest as error:
        raise BadRequest(f"{path}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadRequest(f"{path}: not an accuracy.json of tahoma check: {error!r}") from error


def time_text(nanoseconds, _position=None):
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if nanoseconds >= scale:
            return f"{nanoseconds / scale:g} {unit}"
    return f"{nanoseconds:g} ns"


def draw_times(axes, figures):
    """Plots model over silicon, both in nanoseconds, with the ideal and its bands. A duration with the wrong sign in
    the model (events in the opposite order of silicon) has no logarithm: it is shown among the errors only."""
    timed = [figure for figure in figures if figure.unit in NANOSECONDS and figure.model > 0]
    if not timed:
        axes.set_axis_off()
        return
    times = [(figure.silicon * NANOSECONDS[figure.unit], figure.model * NANOSECONDS[figure.unit]) for figure in timed]
    ends = [min(min(pair) for pair in times) / 1.6, max(max(pair) for pair in times) * 1.6]
    axes.set_xscale("log")
    axes.set_yscale("log")
    for percent, colour in zip((10, 2), ("#d0d0d0", "#a0a0a0")):  # narrow here: darker
        low, high = ([end * (1 + side * percent / 100) for end in ends] for side in (-1, 1))
        axes.fill_between(ends, low, high, color=colour, linewidth=0, zorder=0)
    axes.plot(ends, ends, color="#606060", linewidth=0.5, zorder=1)
    for figure, (silicon, model) in zip(timed, times):
        if figure.spread:
            low, high = (silicon * (1 + end / 100) for end in figure.spread)
            axes.plot((low, high), (model, model), color=figure.style[0], linewidth=1, alpha=0.6, zorder=2)
        axes.plot(silicon, model, markersize=5.5, zorder=3, **figure.marker())
    axes.set(xlim=ends, ylim=ends, xlabel="silicon", ylabel="model")
    axes.set_aspect("equal")
    axes.xaxis.set_major_formatter(FuncFormatter(time_text))
    axes.yaxis.set_major_formatter(FuncFormatter(time_text))


def label_of(figure):
    return f"{figure.what}  ({figure.silicon:g} {figure.unit})"


def edge_of(figures):
    """Returns the end of the error axis in percent."""
    widest = max([2.5] + [abs(figure.error) for figure in figures] +
                 [abs(end) for figure in figures for end in figure.spread or ()])
    return min(1.1 * widest, MOST_SHOWN)


def draw_spreads(axes, row, figure, edge):
    for spread, width, alpha in ((figure.spread, 4.5, 0.28), (figure.phases, 1.2, 0.9)):
        if spread:
            low, high = (min(max(end, -edge), edge) for end in spread)
            axes.plot((low, high), (row, row), color=figure.style[0], linewidth=width, alpha=alpha,
                      solid_capstyle="butt", zorder=2)


def draw_errors(axes, figures, rows, edge):
    """Draws the error of every figure on its own line, `rows` lines high, with silicon's own spread as a bar."""
    for percent, colour in BANDS:
        axes.axvspan(max(-percent, -edge), min(percent, edge), color=colour, linewidth=0, zorder=0)
    axes.axvline(0, color="#606060", linewidth=0.5, zorder=1)
    for row, figure in enumerate(figures):
        axes.axhline(row, color="white", linewidth=0.5, zorder=0.5)
        draw_spreads(axes, row, figure, edge)
        shown = min(max(figure.error, -edge), edge)
        axes.plot(shown, row, markersize=4.5, zorder=3, clip_on=False, **figure.marker())
        if shown != figure.error:
            axes.annotate(f"{figure.error:+.0f} %", (shown, row), textcoords="offset points", va="center", fontsize=7,
                          xytext=(7 if shown < 0 else -7, 0), ha="left" if shown < 0 else "right")
    axes.yaxis.tick_right()
    axes.set_yticks(range(len(figures)))
    axes.set_yticklabels([label_of(figure) for figure in figures], fontsize=7)
    axes.tick_params(axis="y", length=0, pad=8)
    axes.spines["left"].set_visible(False)
    axes.set(xlim=(-edge, edge), ylim=(rows - 0.2, -0.8), xlabel="error of the model, percent of silicon")


def legend_entries(page):
    entries = [Line2D([], [], color=colour, marker=marker, linestyle="none", label=label)
               for (colour, marker), label in page.families]
    plain = {"color": "#505050", "linestyle": "none", "marker": "o"}
    entries += [Line2D([], [], label="filled: held out", **plain),
                Line2D([], [], label="hollow: calibrated on", markerfacecolor="white", **plain),
                Line2D([], [], color="#505050", alpha=0.28, linewidth=4.5, label="silicon's own spread")]
    if any(figure.phases for figure in page.figures):
        entries.append(Line2D([], [], color="#505050", linewidth=1.2, label="model over the throttle's phases"))
    return entries + [Line2D([], [], color=colour, linewidth=6, label=f"within {percent} %")
                      for percent, colour in reversed(BANDS)]


def plot_accuracy(path, out):
    page = load(path)
    figures = page.figures
    columns = 1 if len(figures) <= ONE_COLUMN else 2
    rows = -(-len(figures) // columns)
    label_width = 0.25 + CHARACTER * max(len(label_of(figure)) for figure in figures)
    # In inches from the left and the top, so that more figures only enlarge the page.
    width = LEFT + SQUARE + 0.6 + columns * (DOTS + label_width)
    height = max(9.2, 1.4 + ROW_HEIGHT * (rows + 1))
    chart = pyplot.figure(figsize=(width, height))

    def area(left, top, wide, high):
        return left / width, 1 - (top + high) / height, wide / width, high / height

    draw_times(chart.add_axes(area(LEFT, 0.85, SQUARE, SQUARE)), figures)
    for column in range(columns):
        left = LEFT + SQUARE + 0.6 + column * (DOTS + label_width)
        draw_errors(chart.add_axes(area(left, 0.85, DOTS, ROW_HEIGHT * (rows + 1))),
                    figures[column * rows:(column + 1) * rows], rows, edge_of(figures))
    chart.text(LEFT / width, 1 - 0.3 / height, page.title, fontsize=13, weight="bold", va="center")
    chart.text(LEFT / width, 1 - 0.58 / height, page.headline, fontsize=9.5, va="center")
    chart.legend(handles=legend_entries(page), loc="upper left", frameon=False, fontsize=8.5,
                 bbox_to_anchor=(LEFT / width, 1 - (0.85 + SQUARE + 0.6) / height), borderaxespad=0)
    folder = pathlib.Path(out)
    return save(chart, folder / "accuracy")
