# SPDX-License-Identifier: Apache-2.0
"""What a search prints and writes: the front, front.csv, front.svg and front.pdf."""

import csv
import shlex

from .bands import lead
from .goal import NAME
from .names import short_path, workload_names
from .study import banded_values, is_legal
from .units import metric_label, scale_of_metric

MOST_PRINTED = 20


def command_of(sweep, workload, parameters):
    """Returns the command that repeats a point at one workload, with derived parameters."""
    words = ["tahoma", "run", workload]
    words += [word for key in ("machine", "mode", "seed", "repeat") if key in sweep for word in (f"--{key}", str(sweep[key]))]
    overrides = {**sweep.get("set", {}), **parameters}
    return shlex.join(words + [f"--set={path}={value}" for path, value in overrides.items()])


def text_of(banded):
    if banded.low == banded.high:
        return f"{banded.value:.7g}"
    return f"{banded.value:.7g} ({banded.low:.7g} to {banded.high:.7g})"


def print_best(search, known):
    front, terms = search.best(), search.goal.objectives
    size = search.space.size()
    print(f"{search.evaluated} points evaluated of {size if size < float('inf') else 'a continuous space'}, "
          f"{known} of them known before, {search.repeats} suggestions of points that had been evaluated")
    if not front:
        print("no finished point satisfies the constraints")
        failed = search.reasons()
        if failed:
            print(f"{len(failed)} points failed; the first: {failed[0]}")
        return
    several = "front of" if len(terms) > 1 else "best, not distinguishable:"
    print("best:" if len(terms) == len(front) == 1 else f"{several} {len(front)} points:")
    for trial in front[:MOST_PRINTED]:
        print("\n  " + ", ".join(f"{term.text} = {text_of(value)}" for term, value in zip(terms, banded_values(trial))))
        for path, text in trial.user_attrs["texts"].items():
            print(f"    {path} = {text}")
        for workload, parameters in trial.user_attrs["parameters"].items():
            print("    " + command_of(search.space.sweep, workload, parameters))
    if len(front) > MOST_PRINTED:
        print(f"\n  {len(front) - MOST_PRINTED} more points are in front.csv")


def write_csv(search, file):
    """Writes a row for each point of the front: parameters, objectives with their bands and values at each workload, constraints."""
    goal, names = search.goal, workload_names(search.space.workloads)
    names = names if len(names) > 1 else {}
    ends = ("low", "high") if search.space.sweep.get("repeat") else ()
    heads = ["trial", *search.space.paths]
    for term in goal.objectives:
        heads += [term.text, *(f"{term.text} {end}" for end in ends), *(f"{term.text} of {name}" for name in names.values())]
    with open(file, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(heads + [each.term.text for each in goal.constraints])
        for trial in search.best():
            row = [trial.number, *(trial.user_attrs["texts"][path] for path in search.space.paths)]
            for value, by_workload in zip(banded_values(trial), trial.user_attrs["by_workload"]):
                row += [value.value, *(getattr(value, end) for end in ends), *(by_workload[workload] for workload in names)]
            rows.writerow(row + trial.user_attrs["constrained"])


def scale_and_label(term, values):
    scale = scale_of_metric(term.expression if NAME.fullmatch(term.expression) else "", values)
    label = metric_label(term.expression, scale) if NAME.fullmatch(term.expression) else term.text
    return scale, label if not scale.unit or "[" in label else f"{label} [{scale.unit}]"


def strict_line(places, mores):
    """Returns the places that no other equals or beats, sorted by x: the front without bands."""
    line = []
    for place in sorted(set(places), key=lambda at: [-at[i] if mores[i] else at[i] for i in (0, 1)]):
        if not line or lead(place[1], line[-1][1], mores[1]) > 0:
            line.append(place)
    return sorted(line)


def progress_of(search):
    """(number of points until then, trial) of each trial that was better than all before."""
    improved = []
    for at, trial in enumerate(search.finished(), 1):
        if is_legal(trial) and (not improved or lead(trial.values[0], improved[-1][1].values[0], search.goal.mores()[0]) > 0):
            improved.append((at, trial))
    return improved


def table_of(search, trials, scaled):
    """Returns columns of texts: numbers, the parameters that differ, the objectives by (term, scale, label)."""
    columns = [[""] + [str(number) for number in range(1, len(trials) + 1)]]
    for path in search.space.paths:
        texts = [trial.user_attrs["texts"][path] for trial in trials]
        if len(set(texts)) > 1 or len(texts) == 1:
            columns.append([short_path(path, search.space.paths), *texts])
    for at, (scale, label) in enumerate(scaled):
        columns.append([label.replace(" [", "\n["), *(f"{scale.number(trial.values[at]):.4g}" for trial in trials)])
    return columns


def figure_of(search):
    """Returns the figure of the front over the first two objectives; of one objective, its best value over the points evaluated."""
    from .figure import FrontFigure, shown_of  # needs matplotlib

    front, mores, trials = search.best(), search.goal.mores(), search.finished()
    scaled = [scale_and_label(term, [trial.values[at] for trial in trials]) for at, term in enumerate(search.goal.objectives)]
    if len(mores) == 1:
        counts = {trial.number: at for at, trial in enumerate(trials, 1)}
        front = [trial for _, trial in progress_of(search)]
        labels, mores = ("points evaluated", scaled[0][1]), [False, *mores]
        note = "best value so far"

        def place(trial):
            return counts[trial.number], scaled[0][0].number(trial.values[0])
    else:
        labels = (scaled[0][1], scaled[1][1])
        note = f"{len(front)} of {len(trials)} points are Pareto-optimal" + (
            f" in {len(mores)} objectives; the first two are drawn" if len(mores) > 2 else "")

        def place(trial):
            return tuple(scaled[at][0].number(trial.values[at]) for at in (0, 1))

    def band(trial):
        ends = [(value.low, value.high) for value in banded_values(trial)]
        if len(ends) == 1:
            return (counts[trial.number],) * 2, tuple(map(scaled[0][0].number, ends[0]))
        return tuple(tuple(map(scaled[at][0].number, ends[at])) for at in (0, 1))

    illegal = [place(trial) for trial in trials if not is_legal(trial)]
    shown = shown_of(front)
    places = [place(trial) for trial in front]
    return FrontFigure(search.space.sweep.get("title") or "Search", note + ("; x: breaks a constraint" if illegal else ""), labels,
                       [place(trial) for trial in trials if is_legal(trial)], places, [place(trial) for trial in shown],
                       table_of(search, shown, scaled), line_of(places, mores, len(scaled) == 1), illegal,
                       [band(trial) for trial in front], "steps-pre" if mores[0] else "steps-post")


def line_of(places, mores, is_progress):
    if is_progress:
        return places
    return strict_line(places, mores) if len(mores) == 2 else []


def write_front(search, folder):
    """Writes front.csv and, if there is a front and matplotlib, front.svg and front.pdf; returns the written files."""
    files = [folder / "front.csv"]
    write_csv(search, files[0])
    if not search.best():
        return files
    try:
        from .figure import draw
    except ImportError:
        return files
    return files + draw(figure_of(search), folder / "front.svg", folder / "front.pdf")
