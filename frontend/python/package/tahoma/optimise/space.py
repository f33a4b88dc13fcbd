# SPDX-License-Identifier: Apache-2.0
"""The axes of a sweep as tahoma has resolved them, in the form that Optuna samples."""

import math

import yaml

from .names import SPEC, BadRequest
from .units import base_value, kind_of, scale_for

FIXED = ("workloads", "machine", "mode", "seed", "repeat", "set", "derive", "metrics")  # inputs of a point's result


class Axis:
    """Values that Optuna selects by index, of one parameter or of several that vary together."""

    def __init__(self, tracks):
        self.paths = list(tracks)
        self.name = self.paths[0]
        self.choices = list(zip(*tracks.values()))
        # Only ordered values have neighbours: numbers do, words and shapes do not.
        bases = [base_value(text) for text in next(iter(tracks.values()))]
        self.ordered = len(tracks) == 1 and None not in bases and bases in (sorted(bases), sorted(bases, reverse=True))

    def suggest(self, trial):
        last = len(self.choices) - 1
        at = trial.suggest_int(self.name, 0, last) if self.ordered else trial.suggest_categorical(
            self.name, range(last + 1))
        return dict(zip(self.paths, self.choices[at]))

    def __len__(self):
        return len(self.choices)


class ContinuousAxis:
    """A continuous range, in base units."""

    def __init__(self, path, ends):
        self.name = path
        self.paths = [path]
        texts = ends["from"], ends["to"]
        self.ends = [base_value(text) for text in texts]
        self.log = str(ends.get("log", False)).lower() == "true"
        if None in self.ends:
            raise BadRequest(f"{path}: not a range of numbers: {' to '.join(texts)}; give it a step or a factor", SPEC)
        self.scale = scale_for(kind_of(texts), self.ends)

    def suggest(self, trial):
        value = trial.suggest_float(self.name, *self.ends, log=self.log)
        return {self.name: f"{value / self.scale.size:.6g} {self.scale.unit}".strip()}


def axis_of(item):
    ranges = [path for path, values in item.items() if isinstance(values, dict)]
    if not ranges:
        return Axis({path: [str(value) for value in values] for path, values in item.items()})
    if len(item) > 1:
        raise BadRequest(f"{', '.join(item)}: parameters that move together need values, not a continuous range", SPEC)
    return ContinuousAxis(ranges[0], item[ranges[0]])


class Space:
    """The space of a sweep.yaml that tahoma sweep has written."""

    def __init__(self, file):
        self.sweep = yaml.safe_load(file.read_text(encoding="utf-8"))["sweep"]
        self.workloads = list(self.sweep["workloads"])
        if len(set(self.workloads)) < len(self.workloads):
            raise BadRequest(f"{file}: names a workload twice; --weight gives one more weight", SPEC)
        self.axes = [axis_of(item) for item in self.sweep["axes"]]
        self.paths = [path for axis in self.axes for path in axis.paths]

    def size(self):
        """Returns the number of combinations of values, infinite with a continuous axis; filters are ignored."""
        return math.prod(len(axis) if isinstance(axis, Axis) else math.inf for axis in self.axes)

    def suggest(self, trial):
        """Returns texts by path."""
        return {path: text for axis in self.axes for path, text in axis.suggest(trial).items()}

    def point(self, texts, expressions):
        """Returns the sweep of one point: this sweep, with the search's own expressions as metrics."""
        sweep = {key: value for key, value in self.sweep.items() if key not in ("sample", "axes")}
        sweep["axes"] = [{path: [texts[path]] for path in axis.paths} for axis in self.axes]
        sweep["metrics"] = {**sweep.get("metrics", {}), **expressions}
        if not sweep["metrics"]:
            del sweep["metrics"]
        return {"sweep": sweep}

    def fixed(self):
        return {key: self.sweep.get(key) for key in FIXED}
