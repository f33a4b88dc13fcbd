# SPDX-License-Identifier: Apache-2.0
"""The values that a marker can request from a run: a figure (a statistic of summary.json by its path, or by one of the short names below), or lines
of its summary or output."""

import ast
import csv
import re

from measured.formats import default_format, is_format, written
from measured.problem import Problem

NAMES = {
    "time": "simulated_time_ns",
    "mfu": "mfu_estimated_percent",
    "mbu": "mbu_estimated_percent",
    "rate": "flops.achieved_tflops",
    "bound": "whole.bound_by",
    "bound_time": "whole.bound_ns",
    "of_bound": "whole.bound_percent",
    "golden_error": "golden.max_rel_error",
    "tolerance": "golden.tolerance",
}
ENGINE = re.compile(r"(tensor|vector|scalar|gpsimd|sync|collective)\.(\w+)")
DMA = re.compile(r"dma\.(busy|active)")


def path_of(figure):
    """The path in summary.json: `vector.busy` and `vector.wait_dma` are shares of the time, `vector.active` is the profiler's."""
    if figure in NAMES:
        return NAMES[figure]
    if match := ENGINE.fullmatch(figure):
        engine, what = match.groups()
        if what in ("instructions", "engines"):
            return figure
        return f"engines.{engine}.{'active_percent' if what == 'active' else 'time_percent.' + what}"
    if match := DMA.fullmatch(figure):
        return f"dma.{match[1]}_percent"
    return figure


def flat(value, path=""):
    """A JSON value as {path: scalar}; elements of lists by number and, if they have a name or an id, also by that."""
    if isinstance(value, dict):
        return {key: scalar for name, inner in value.items()
                for key, scalar in flat(inner, f"{path}.{name}" if path else name).items()}
    if isinstance(value, list):
        found = {}
        for number, inner in enumerate(value):
            found |= flat(inner, f"{path}[{number}]")
            name = inner.get("name", inner.get("id")) if isinstance(inner, dict) else None
            if isinstance(name, str):
                found = flat(inner, f"{path}[{name}]") | found
        return found
    return {path: value}


def links(text):
    """Columns of links.csv by the name of the link: links.csv[server0.chip00.link.xp].payload_bytes."""
    return {f"links.csv[{row['name']}].{column}": int(value) for row in csv.DictReader(text.splitlines())
            for column, value in row.items() if value and value.isdigit()}


def split_format(figure):
    """('vector.busy', 'percent.0') from 'vector.busy:percent.0'."""
    name, colon, how = figure.rpartition(":")
    return (name, how) if colon and is_format(how) else (figure, "")


def number(statistics, figure, run):
    path = path_of(figure)
    if path not in statistics or statistics[path] is None:
        raise Problem(f"{run} has no figure '{figure}' ({path} in summary.json)")
    return statistics[path]


def figure_text(statistics, figure, run):
    name, how = split_format(figure)
    return written(number(statistics, name, run), how or default_format(path_of(name)))


SELECTION = re.compile(r"(?P<source>summary|output)(?: (?P<what>line \d+|head \d+|section .+|/.+/|match /.+/))?")


def is_text(figure):
    return SELECTION.fullmatch(figure) is not None


def text_of(figure, sources, run):
    """Lines of summary.txt or of the output: all, `line N`, `head N`, `section WORD` (from the line that begins with WORD to the
    next empty one), `/REGEX/` (lines that match) or `match /REGEX/` (only the first match)."""
    match = SELECTION.fullmatch(figure)
    lines = sources[match["source"]].rstrip("\n").split("\n")
    word, _, rest = (match["what"] or "").partition(" ")
    if word == "line":
        chosen = lines[int(rest) - 1:int(rest)]
    elif word == "head":
        chosen = lines[:int(rest)]
    elif word == "section":
        begin = next((at for at, line in enumerate(lines) if line.startswith(rest)), len(lines))
        end = next((at for at in range(begin, len(lines)) if not lines[at].strip()), len(lines))
        chosen = lines[begin:end]
    elif word == "match":
        found = re.search(rest[1:-1], "\n".join(lines))
        chosen = [found[1] if found.groups() else found[0]] if found else []
    elif word:
        pattern = re.compile(match["what"][1:-1])
        chosen = [line for line in lines if pattern.search(line)]
    else:
        chosen = lines
    if not chosen:
        raise Problem(f"{run}: '{figure}' selects no line")
    return "\n".join(line.rstrip() for line in chosen)


OPERATORS = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
             ast.Div: lambda a, b: a / b}


def evaluated(expression, lookup):
    """A figure that follows from others: + - * / over numbers and {RUN FIGURE}."""
    names = []

    def name(match):
        names.append(lookup(*match[1].split(" ", 1)))
        return f"v{len(names) - 1}"

    def value(node):
        if isinstance(node, ast.Expression):
            return value(node.body)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.Name):
            return names[int(node.id[1:])]
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        raise Problem(f"'{expression}': only + - * / over numbers and {{RUN FIGURE}}")

    return value(ast.parse(re.sub(r"\{([^}]+)\}", name, expression), mode="eval"))


def figures_in(text):
    """What stands in braces: RUN FIGURE, or the name of a derived figure."""
    return re.findall(r"\{([^}]+)\}", text)


def runs_in(expression):
    return [figure.split(" ", 1)[0] for figure in figures_in(expression)]


def filled(table, lookup):
    """A table whose cells in braces are figures."""
    return re.sub(r"\{([^}]+)\}", lambda match: lookup(match[1]), table)
