# SPDX-License-Identifier: Apache-2.0
"""Every instruction has a semantic test: a test case whose subject names it."""

import re

from test_names import cases

ROW = re.compile(r'\{\s*Opcode::k(\w+),\s*"(\w+)"')


def mnemonics(repo):
    """Returns the instructions of the table."""
    for file in repo.matching(".h", under="isa/"):
        if file.startswith("isa/table"):
            for _, mnemonic in ROW.findall(repo.text(file)):
                yield mnemonic


def findings(repo):
    subjects = set()
    for _, name in cases(repo):
        subjects.update(re.findall(r"\w+", name.partition(":")[0]))
    return [f"isa/table: no test case has '{m}' as its subject" for m in mnemonics(repo) if m not in subjects]
