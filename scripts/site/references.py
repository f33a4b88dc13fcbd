# SPDX-License-Identifier: Apache-2.0
"""Pages of reference from what the program and the Python package say of themselves, and from the tables of errors."""

import json
import re
import subprocess

from pages import page_of

ERROR = re.compile(r"^\| `?(E-[A-Z]{3}-\d{3})`? \| (.*?) \|", re.MULTILINE)
PYTHON = """
import importlib, inspect, json, sys, types
found = {}
for module in sys.argv[1:]:
    names = importlib.import_module(module)
    rows = found[module] = []
    for name in sorted(getattr(names, "__all__", None) or (key for key in vars(names) if not key.startswith("_"))):
        value = getattr(names, name)
        if isinstance(value, types.ModuleType) or not (callable(value) and getattr(value, "__doc__", None)):
            continue
        try:
            shape = str(inspect.signature(value))
        except (TypeError, ValueError):
            shape = "(...)"
        rows.append([name, shape, inspect.getdoc(value)])
print(json.dumps(found))
"""


def cell(text):
    """Text inside a table."""
    return str(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").replace("\n", " ")


class Program:
    def __init__(self, path):
        self.path = path

    def __call__(self, *words):
        return subprocess.run([self.path, *words], capture_output=True, text=True, check=True).stdout

    def commands(self):
        """Every command with its help, in the order of the program."""
        first = self("--help")
        names = re.findall(r"^  ([a-z]+) {2,}\S", first.partition("Subcommands:")[2], re.MULTILINE)
        text = f"# Commands\n\n```text\n{first.strip()}\n```\n"
        for name in names:
            text += f"\n## tahoma {name}\n\n```text\n{self(name, '--help').strip()}\n```\n"
        return text

    def parameters(self):
        """A table for each group of parameters, and for each kind of workload."""
        groups = {}
        for row in json.loads(self("params", "--format", "json")):
            kind = row.get("workload_kind")
            group, _, name = row["path"].partition(".") if kind else row["path"].rpartition(".")
            title = f"workload of kind {kind}" if kind else group or "Case"
            groups.setdefault(title, []).append((name, row))
        text = ("# Parameters\n\nThe keys of cases, machines and other files. `--set PATH=VALUE` changes one, and "
                "`tahoma params PATH` prints what is below.\n")
        for title, rows in groups.items():
            text += f"\n## {cell(title)}\n\n| parameter | default | legal | meaning | source |\n|---|---|---|---|---|\n"
            for name, row in rows:
                ideal = " or ideal" if row["may_be_ideal"] and "ideal" not in row["range"] else ""
                text += (f"| `{name}` | {cell(row['default'])} | {cell(row['range'] + ideal)} | {cell(row['doc'])} "
                         f"| {row['provenance']}: {cell(row['source'])} |\n")
        return text

    def instructions(self):
        return self("isa", "--format", "markdown")

    def grammar(self):
        return self("isa", "--format", "grammar")

    def statistics(self):
        """Statistics and columns by their name, as every instance of a component has the same ones."""
        groups = {}
        for row in json.loads(self("stats", "--format", "json")):
            key = row["path"].rpartition(".")[0]
            groups.setdefault(key, []).append(row)
        text = ("# Statistics\n\nWhat a run counts, with the instance numbers shown as `*`. "
                "`tahoma stats PATTERN` also prints what shortens a stall.\n")
        for group, rows in groups.items():
            text += f"\n## {cell(group) or 'Run'}\n\n| name | unit | better | meaning |\n|---|---|---|---|\n"
            for row in rows:
                text += f"| `{row['path'].rpartition('.')[2]}` | {row['unit']} | {row['better']} | {cell(row['description'])} |\n"
        return text


def errors(repo):
    """One table of all codes, with the page that explains them."""
    rows = [(code, meaning, name) for name in repo.matching(".md") for code, meaning in ERROR.findall(repo.text(name))]
    text = "# Errors\n\nCodes are stable; texts may change. [The exit status](../cli/index.md#exit-status) tells whose fault it is.\n"
    text += "\n| code | meaning | page |\n|---|---|---|\n"
    for code, meaning, name in sorted(rows):
        meaning = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", meaning)
        text += f"| {code} | {meaning} | [{name}](/{page_of(name)}) |\n"
    return text


def python(folder, title, introduction, modules):
    """The documented names of modules, as help() shows them."""
    done = subprocess.run(["/usr/bin/python3", "-B", "-c", PYTHON, *modules], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(folder)})
    text = f"# {title}\n\n{introduction}\n"
    for module, rows in json.loads(done.stdout).items():
        text += f"\n## {module}\n"
        for name, shape, doc in rows:
            text += f"\n### {cell(module)}.{cell(name)}\n\n````python\n{name}{shape}\n````\n\n````text\n{doc}\n````\n"
    return text


def pages(repo, program, packages):
    program = Program(program)
    return {
        "reference/commands.md": program.commands(),
        "reference/parameters.md": program.parameters(),
        "reference/instructions.md": program.instructions(),
        "reference/grammar.md": program.grammar(),
        "reference/statistics.md": program.statistics(),
        "reference/errors.md": errors(repo),
        "reference/python.md": python(packages, "Python package", "The names of `tahoma`. [Its guide](/frontend/python/index.md) has examples.", ["tahoma"]),
        "reference/nki.md": python(packages, "NKI", "The names of NKI that the emulator has. Others raise an error that names the nearest one.",
                                   ["nki", "nki.isa", "nki.language", "nki.collectives"]),
    }
