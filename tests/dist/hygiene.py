# SPDX-License-Identifier: Apache-2.0
"""Small laws about files: length, licence line, paths of somebody's machine, a README in every folder."""

import re

MAX_LINES = 500
TABLES = ("isa/table_rows.cpp", "isa/instructions.def")  # generated or pure tables, exempt by name
SOURCE = (".h", ".cpp", ".inc", ".def", ".py", ".sh", ".cmake", ".yaml", ".md", ".json", "CMakeLists.txt")
SPDX = "SPDX-License-Identifier: Apache-2.0"
# Written so that this file does not match itself.
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:work|tmp|home|root|Users)/\w")


def length(repo):
    return [f"{name}: {count} lines, at most {MAX_LINES} (split it by purpose)"
            for name in repo.matching(".h", ".cpp", ".inc", ".py") if name not in TABLES
            if (count := repo.text(name).count("\n")) > MAX_LINES]


def licence(repo):
    return [f"{name}:1: the file does not begin with '// {SPDX}'"
            for name in repo.matching(".h", ".cpp", ".inc", ".def")
            if not repo.text(name).startswith(f"// {SPDX}\n")]


def machine_paths(repo):
    return [f"{name}:{number}: a path of one machine: {line.strip()}"
            for name in repo.files
            for number, line in enumerate(repo.text(name).splitlines(), 1) if MACHINE_PATH.search(line)]


def readmes(repo):
    folders = {name.rpartition("/")[0] for name in repo.matching(*SOURCE) if "/" in name and not name.startswith(".")}
    with_parents = {"/".join(folder.split("/")[:depth]) for folder in folders
                    for depth in range(1, folder.count("/") + 2)}
    return [f"{folder}: has no README.md" for folder in sorted(with_parents)
            if f"{folder}/README.md" not in repo.files]


def findings(repo):
    return length(repo) + licence(repo) + machine_paths(repo) + readmes(repo)
