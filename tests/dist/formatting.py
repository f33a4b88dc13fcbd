# SPDX-License-Identifier: Apache-2.0
"""Every C++ file is formatted by clang-format-14. `scripts/format` repairs violations. Other versions format differently, and
Debian 13 has no version 14: there the check is skipped."""

import re
import shutil
import subprocess

PROGRAM = "clang-format-14"
FINDING = re.compile(r"^(.+?):(\d+):\d+: error:", re.MULTILINE)


def is_available():
    return shutil.which(PROGRAM) is not None


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
