# SPDX-License-Identifier: Apache-2.0
"""One version: CMakeLists.txt states it, and the documents that repeat it agree. The workflows, the hooks and the table of a pull request
call only what exists."""

import re

VERSION = re.compile(r"^project\(tahoma VERSION (\d+\.\d+\.\d+)\b", re.MULTILINE)
RELEASE = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$", re.MULTILINE)
CITED = re.compile(r"^(version|date-released): \"?([\d.-]+)\"?$", re.MULTILINE)
CALLED = re.compile(r"(?<![\w./])((?:scripts|tests|\.ci)/[\w./]+)")


def versions(repo):
    stated = VERSION.search(repo.text("CMakeLists.txt"))
    if not stated:
        return ["CMakeLists.txt: expected project(tahoma VERSION x.y.z ...)"]
    releases = RELEASE.findall(repo.text("CHANGELOG.md"))
    if not releases or releases[0][0] != stated[1]:
        return [f"CHANGELOG.md: the first release is {releases[0][0] if releases else 'missing'}; CMakeLists.txt has version {stated[1]}"]
    wanted = {"version": releases[0][0], "date-released": releases[0][1]}
    cited = dict(CITED.findall(repo.text("CITATION.cff")))
    found = [f"CITATION.cff: {key} is {cited.get(key, 'missing')}; expected {value}" for key, value in wanted.items() if cited.get(key) != value]
    if re.search(r"^version *=", repo.text("pyproject.toml"), re.MULTILINE):
        found.append("pyproject.toml: states a version; expected dynamic = [\"version\", ...]")
    return found


def called(repo):
    names = [name for name in repo.files if name.startswith(".github/") or name == ".pre-commit-config.yaml"]
    return [f"{name}: {path} does not exist" for name in names for path in CALLED.findall(repo.text(name))
            if not (repo.root / path.rstrip(".")).exists()]


def findings(repo):
    return versions(repo) + called(repo)
