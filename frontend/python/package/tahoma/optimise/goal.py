# SPDX-License-Identifier: Apache-2.0
"""What a search looks for: objectives and constraints over the metrics of one workload or of several with weights."""

import math
import re

from .bands import Banded, around, at_end, banded_metric
from .names import METRIC, BadRequest, nearest, workload_names

NAME = re.compile(r"[A-Za-z_][\w.]*")
DIRECTION = re.compile(r"\s*([A-Za-z_][\w.]*)\s*:(.*)")  # the condition of "a ? b : c" is more than a word
WORST = re.compile(r"worst\s*\((.*)\)")


def closes_at_its_end(text):
    """Whether a bracket before `text` is open until its end."""
    depth = 0
    for sign in text:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth < 0:
            return False
    return depth == 0


class Term:
    """An expression over metrics and parameters, whose values at several workloads become one: their weighted mean or, of
    worst(EXPRESSION), the worst of them. `more` says whether more is better."""

    def __init__(self, text, more):
        self.text, self.more = text.strip(), more
        enclosed = WORST.fullmatch(self.text)
        self.worst = enclosed is not None and closes_at_its_end(enclosed.group(1))
        self.expression = enclosed.group(1).strip() if self.worst else self.text
        if not self.expression or re.search(r"\bworst\s*\(", self.expression):
            raise BadRequest(f"'{self.text}': expected an expression, or worst(EXPRESSION) around all of it")

    def of(self, values, weights):
        """Returns the one value of banded values by workload."""
        if self.worst:
            return Banded(*((min if self.more else max)(column) for column in zip(*values.values())))
        parts = [weights.get(workload, 1.0) for workload in values]
        return Banded(*(math.fsum(map(math.prod, zip(parts, column))) / math.fsum(parts) for column in zip(*values.values())))


def objective(text):
    """Returns the term of 'METRIC', 'min:METRIC' or 'max:METRIC'."""
    directed = DIRECTION.fullmatch(text)
    if not directed:
        return Term(text, False)
    if directed.group(1) not in ("min", "max"):
        raise BadRequest(f"--minimise '{text}': expected 'min:' or 'max:' before a metric or an expression"
                         f"{nearest(directed.group(1), ('min', 'max'))}")
    return Term(directed.group(2), directed.group(1) == "max")


class Constraint:
    """'EXPR <= NUMBER' or 'EXPR >= NUMBER'."""

    def __init__(self, text):
        parts = re.split(r"(<=|>=)", text)
        try:
            expression, self.sign, self.limit = parts[0].strip(), parts[1], float(parts[2])
        except (IndexError, ValueError):
            raise BadRequest(f"--subject-to '{text}': expected 'EXPR <= NUMBER' or 'EXPR >= NUMBER'") from None
        if len(parts) != 3 or not expression or math.isnan(self.limit):
            raise BadRequest(f"--subject-to '{text}': expected one comparison of an expression with a number")
        self.text, self.term = text, Term(expression, self.sign == ">=")

    def excess(self, value):
        """Returns a number above zero if the constraint is violated."""
        return value - self.limit if self.sign == "<=" else self.limit - value


def weights_of(texts, workloads):
    """Returns the weights by workload file of texts 'NAME=W'; a workload without one weighs 1."""
    files = {name: file for file, name in workload_names(workloads).items()}
    weights = dict.fromkeys(workloads, 1.0)
    for text in texts:
        name, _, number = text.rpartition("=")
        if name not in files:
            raise BadRequest(f"--weight '{text}': no workload '{name}'{nearest(name, files)}")
        try:
            weights[files[name]] = float(number)
        except ValueError:
            raise BadRequest(f"--weight '{text}': expected NAME=NUMBER") from None
        if not 0 < weights[files[name]] < math.inf:
            raise BadRequest(f"--weight '{text}': expected a finite number above 0")
    return weights


class Goal:
    """The objectives and constraints. An expression that is not a name is passed to tahoma as an extra metric; with `repeat`, also
    its values at the ends of the band of the time."""

    def __init__(self, minimised, constraints, weights=None, repeat=False):
        self.objectives = [objective(text) for text in minimised]
        self.texts = list(minimised)
        self.constraints = [Constraint(text) for text in constraints]
        self.weights = weights or {}
        terms = self.objectives + [constraint.term for constraint in self.constraints]
        texts = dict.fromkeys(term.expression for term in terms if not NAME.fullmatch(term.expression))
        self.names = {text: f"search_{at}" for at, text in enumerate(texts)}
        self.expressions = {name: text for text, name in self.names.items()}
        for text, name in self.names.items() if repeat else ():
            self.expressions |= {f"{name}_{end}": changed for end in ("low", "high") if (changed := at_end(text, end))}

    def mores(self):
        return [term.more for term in self.objectives]

    def value(self, term, numbers):
        """Returns the banded value of a term's expression at one workload."""
        name = self.names.get(term.expression)
        if name in numbers:
            return around(numbers[name], [numbers[f"{name}_{end}"] for end in ("low", "high") if f"{name}_{end}" in numbers])
        if name:
            raise BadRequest(f"'{term.expression}' has no value: it is not finite, or not a metric of the known points; name it in "
                             "the sweep file's 'metrics'", METRIC)
        if term.expression not in numbers:
            raise BadRequest(f"no metric or parameter '{term.expression}'{nearest(term.expression, numbers)}", METRIC)
        return banded_metric(term.expression, numbers)

    def values_by_workload(self, term, measures):
        return {workload: self.value(term, numbers) for workload, numbers in measures.items()}

    def values(self, measures):
        """Returns the banded values of the objectives at a point, whose `measures` are numbers by name, by workload."""
        return [term.of(self.values_by_workload(term, measures), self.weights) for term in self.objectives]

    def constrained(self, measures):
        """Returns the values of the constraints' expressions; their bands are not considered."""
        return [each.term.of(self.values_by_workload(each.term, measures), self.weights).value for each in self.constraints]

    def excesses(self, measures):
        return [each.excess(value) for each, value in zip(self.constraints, self.constrained(measures))]
