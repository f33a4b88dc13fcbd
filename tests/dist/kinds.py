# SPDX-License-Identifier: Apache-2.0
"""Every kind of workload in the registry has a case in the regression lists."""

import posixpath
import re

REGISTRY = "cli/kinds/registry.cpp"
LISTS = "workloads/regression/"
ROW = re.compile(r'\{"(\w+)",\s*"')
CASE = re.compile(r"^\s*workload:\s*(\S+\.yaml)\s*$", re.MULTILINE)
KIND = re.compile(r"^\s*kind:\s*(\w+)", re.MULTILINE)


# Kinds that the regression lists cannot have, and why.
ELSEWHERE = {"nki": "its cases need the Python package; tests/nki runs them",
             "graph": "its cases need ONNX files, which tests/graph makes"}


def covered(repo):
    """The kinds of all cases that the regression lists name."""
    kinds = set()
    for file in repo.matching(".yaml", under=LISTS):
        for case in CASE.findall(repo.text(file)):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(file), case))
            if path in repo.files:
                kinds.update(KIND.findall(repo.text(path)))
    return kinds


def findings(repo):
    kinds = ROW.findall(repo.text(REGISTRY))
    if not kinds:
        return [f"{REGISTRY}: no kind of workload found"]
    tested = covered(repo)
    return [f"{REGISTRY}: kind '{kind}' has no case in {LISTS}*.yaml" for kind in kinds if kind not in tested and kind not in ELSEWHERE]
