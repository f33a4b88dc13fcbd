# SPDX-License-Identifier: Apache-2.0
"""Sources that are compiled as one file (scripts/cmake/tahoma_room.cmake) do not define the same local function. Another signature
would compile, and overload resolution might call it in place of the one that is meant."""

import pathlib
import re

from type_names import IGNORED, NAMESPACE

TREES = re.compile(r"set\(tahoma_unity_trees ([^)]*)\)")
KERNELS = re.compile(r"set\(tahoma_unity_kernels ([^)]*)\)")
ALONE = re.compile(r"^isa/simd/|/verilated_|^tests/")
FUNCTION = re.compile(r"(?<![\w.:>~])(\w+)\s*\([^;{}]*\)\s*(?:const\s*)?(?:noexcept\s*)?(?:->[^;{}]*)?$", re.DOTALL)
KEYWORDS = {"if", "for", "while", "switch", "catch", "return", "requires"}


def group_of(name, trees, kernels):
    folder = str(pathlib.PurePosixPath(name).parent)
    if folder in kernels:
        return "workloads/kernels"
    return next((tree for tree in trees if folder == tree or folder.startswith(tree + "/")), folder)


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
    kernels = {f"workloads/{kernel}" for found in KERNELS.findall(rules) for kernel in found.split()}
    seen = {}  # (group, function) -> places, one for each file
    for name in repo.matching(".cpp"):
        if ALONE.search(name):
            continue
        for function, line in {f: line for f, line in local_functions(repo.text(name))}.items():
            seen.setdefault((group_of(name, trees, kernels), function), []).append(f"{name}:{line}")
    return [f"{places[0]}: the local function {function} is also defined in {', '.join(places[1:])}, which are compiled as one file"
            for (_, function), places in sorted(seen.items()) if len(places) > 1]
