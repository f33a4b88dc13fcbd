# SPDX-License-Identifier: Apache-2.0
"""Every C++ file is formatted by clang-format-14. `scripts/format` repairs violations."""

import re
import subprocess

PROGRAM = "clang-format-14"
FINDING = re.compile(r"^(.+?):(\d+):\d+: error:", re.MULTILINE)


def findings(repo):
    names = repo.matching(".h", ".cpp", ".inc")
    if not names:
        return []
    result = subprocess.run([PROGRAM, "--dry-run", "-Werror", *names], cwd=repo.root, capture_output=True,
                            text=True, check=False)
    if result.returncode == 0:
        return []
    first = {}
    for name, line in FINDING.findall(result.stderr):
        first.setdefault(name, line)
    return [f"{name}:{line}: not as {PROGRAM} writes it (scripts/format repairs)"
            for name, line in first.items()] or [result.stderr]
