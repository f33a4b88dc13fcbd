# SPDX-License-Identifier: Apache-2.0
"""Sources that are compiled as one file (scripts/cmake/tahoma_room.cmake) do not define the same local function. Another signature
would compile, and overload resolution might call it in place of the one that is meant."""

import pathlib
import re

from type_names import IGNORED, NAMESPACE

TREES = re.compile(r"set\(tahoma_unity_trees ([^)]*)\)")
GROUP = re.compile(r'^  "([\w/]+)/(\w+): ([\w ]+)"', re.MULTILINE)
ALONE = re.compile(r"set\(tahoma_compiled_alone ([^)]*)\)")
NO_TESTS = re.compile(r"^tests/(?!component/|system/)")  # support and tools: each file is compiled alone
FUNCTION = re.compile(r"(?<![\w.:>~])(\w+)\s*\([^;{}]*\)\s*(?:const\s*)?(?:noexcept\s*)?(?:->[^;{}]*)?$", re.DOTALL)
KEYWORDS = {"if", "for", "while", "switch", "catch", "return", "requires"}


def unit_of(name, trees, groups):
    """The file as which a source is compiled: a group of folders, else a tree of folders, else its folder."""
    folder = str(pathlib.PurePosixPath(name).parent)
    tree = next((tree for tree in trees if folder.startswith(tree + "/")), folder)
    return groups.get(folder, tree)


def local_functions(text):
    """(name, line) of the functions that anonymous namespaces define."""
    text = IGNORED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    scopes, start = [], 0  # of each open brace: "", a namespace's name, or None for anything else
    for match in re.finditer(r"[{};]", text):
        head = text[start:match.start()]
        start = match.end()
        if match.group() == "{":
            namespace = NAMESPACE.search(head)
            if not namespace and "" in scopes and None not in scopes and (function := FUNCTION.search(head)):
                if function.group(1) not in KEYWORDS:
                    yield function.group(1), text.count("\n", 0, match.start()) + 1
            scopes.append(namespace.group(1) if namespace else None)
        elif match.group() == "}":
            del scopes[-1:]


def findings(repo):
    room = "scripts/cmake/tahoma_room.cmake"
    rules = repo.text(room) if room in repo.files else ""
    trees = [tree for found in TREES.findall(rules) for tree in found.split()]
    groups = {f"{parent}/{folder}": f"{parent}/{name}" for parent, name, folders in GROUP.findall(rules) for folder in folders.split()}
    alone = tuple(f"{tree}/" for found in ALONE.findall(rules) for tree in found.split())
    seen = {}  # (unit, function) -> places, one for each file
    for name in repo.matching(".cpp"):
        if name.startswith(alone) or "/verilated_" in name or NO_TESTS.search(name):
            continue
        for function, line in {f: line for f, line in local_functions(repo.text(name))}.items():
            seen.setdefault((unit_of(name, trees, groups), function), []).append(f"{name}:{line}")
    return [f"{places[0]}: the local function {function} is also defined in {', '.join(places[1:])}, which are compiled as one file"
            for (_, function), places in sorted(seen.items()) if len(places) > 1]
