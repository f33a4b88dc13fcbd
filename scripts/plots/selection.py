# SPDX-License-Identifier: Apache-2.0
"""Selects the points of a sweep that a figure shows, and names its numbers."""

import statistics

from optimise.folder import SweepFolder
from optimise.names import BadRequest, choose, short_path
from optimise.units import scale_of_metric, scale_of_parameter, with_unit


class Selection:
    """The done points of one workload that have the metrics and the fixed values."""

    def __init__(self, arguments, metrics):
        self.sweep = SweepFolder(arguments.folder)
        for name in metrics:
            self.sweep.metric(name)
        self.points = self.sweep.with_metrics(*metrics)
        self.fixed = []
        self.keep_workload(arguments.workload)
        for text in arguments.fix:
            self.fix(text)
        self.axes = [axis for axis in self.sweep.axes() if self.varies(axis)]

    def keep_workload(self, wanted):
        workloads = self.sweep.workloads()
        if wanted is None and len(workloads) > 1:
            raise BadRequest(f"{self.sweep.folder}: has {len(workloads)} workloads; expected --workload with one of "
                             + ", ".join(workloads))
        if wanted is not None:
            choose(wanted, workloads, "workload", self.sweep.folder)
            self.points = [point for point in self.points if point.workload == wanted]

    def fix(self, text):
        path, equals, value = text.partition("=")
        if not equals:
            raise BadRequest(f"--fix '{text}': expected PATH=VALUE")
        self.sweep.path(path)
        choose(value, list(dict.fromkeys(point.texts.get(path, "") for point in self.points)), "value",
               f"--fix {path}")
        self.points = [point for point in self.points if point.texts.get(path) == value]
        self.fixed.append(f"{self.short(path)} = {value}")

    def varies(self, axis):
        return len({tuple(point.texts[path] for path in axis) for point in self.points}) > 1

    def short(self, path):
        return short_path(path, self.sweep.paths())

    def axis_name(self, axis):
        names = [self.short(path) for path in axis]
        return names[0] + "".join(f", {name.rpartition('.')[2]}" for name in names[1:])

    def axis_text(self, axis, point):
        return ", ".join(point.texts[path] for path in axis)

    def shown_text(self, axis, point):
        """As axis_text, but shortens numbers of a sample, which have too many digits to read."""
        return ", ".join(self.rounded(path, point) for path in axis)

    def rounded(self, path, point):
        if len(point.texts[path].partition(" ")[0]) <= 6 or point.values[path] is None:
            return point.texts[path]
        scale = self.parameter_scale(path)
        return f"{scale.number(point.values[path]):.4g} {scale.unit}".strip()

    def parameter_scale(self, path):
        return scale_of_parameter([point.texts[path] for point in self.points],
                                  [point.values[path] for point in self.points if point.values[path] is not None])

    def parameter_label(self, path):
        return with_unit(self.short(path), self.parameter_scale(path) if self.is_number(path) else None)

    def is_number(self, path):
        return all(point.values.get(path) is not None for point in self.points)

    def categories(self, path):
        """Returns the path's texts, in ascending order if they are numbers."""
        texts = {point.texts[path]: point.values[path] for point in self.points}
        return sorted(texts, key=texts.get) if self.is_number(path) else list(texts)

    def category_texts(self, path):
        """Returns the categories in one common unit, which is part of the label."""
        if not self.is_number(path):
            return self.categories(path)
        scale = self.parameter_scale(path)
        values = sorted({point.values[path] for point in self.points})
        return [f"{scale.number(value):g}" for value in values]

    def metric_scale(self, name):
        return scale_of_metric(name, [point.metrics[name] for point in self.points])

    def groups(self, metric, *paths):
        """Returns the metric's values, grouped by the texts at the paths."""
        groups = {}
        for point in self.points:
            groups.setdefault(tuple(point.texts[path] for path in paths), []).append(point.metrics[metric])
        return groups

    def others(self, *paths):
        """Returns the names of the varying axes other than the paths."""
        return [self.axis_name(axis) for axis in self.axes if not set(axis) & set(paths)]

    def note(self, *words):
        return "; ".join([word for word in words if word] + self.fixed)


def middle(values):
    return statistics.median(values)
