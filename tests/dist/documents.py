# SPDX-License-Identifier: Apache-2.0
"""The commands of the READMEs exist: scripts, files, subcommands, options and parameter paths; and so do
the files that they link to."""

import pathlib
import re
import shlex
import subprocess

from repo import ROOMS

FENCE = re.compile(r"^```(?:sh|bash|console)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
PARAMETER = re.compile(r"--set[ =]'?(machine(?:\.[a-z0-9_]+)+)")
FOLDERS = ROOMS + ("tests/", "scripts/", "examples/", ".ci/")


def commands(text):
    """(line number, words) of every command line in a code block: lines after '$ ', or lines that begin with a program."""
    for block in FENCE.finditer(text):
        first = text.count("\n", 0, block.start(1)) + 1
        for number, line in enumerate(block.group(1).replace("\\\n", "  ").splitlines(), first):
            line = line.removeprefix("$ ").strip()
            if line.startswith(("scripts/", "tahoma ", ".ci/", "build/")):
                try:
                    yield number, shlex.split(line, comments=True)
                except ValueError:
                    yield number, [line]


def there(repo, word):
    """Whether it is a file, or a folder of some."""
    word = word.partition(".py:")[0] + ".py" if ".py:" in word else word  # FILE.py:FUNCTION
    return word in repo.files or any(file.startswith(word.rstrip("/") + "/") for file in repo.files)


def missing_files(repo, name):
    here = pathlib.PurePosixPath(name).parent
    for number, words in commands(repo.text(name)):
        for word in words:
            if word.startswith(FOLDERS) and "*" not in word and not there(repo, word):
                yield f"{name}:{number}: {word} does not exist"
    for match in LINK.finditer(repo.text(name)):
        target = match.group(1)
        if "://" not in target and not (repo.root / here / target).exists():
            yield f"{name}: links to {target}, which does not exist"


def refused_by_program(repo, name, program):
    """Subcommands and parameter paths that the program does not know."""
    def knows(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, check=False).returncode == 0

    for number, words in commands(repo.text(name)):
        tahoma = words[1:] if pathlib.PurePosixPath(words[0]).name == "tahoma" else []
        if tahoma and not tahoma[0].startswith("-") and not knows(tahoma[0], "--help"):
            yield f"{name}:{number}: `tahoma {tahoma[0]}` is not a subcommand"
    for match in PARAMETER.finditer(repo.text(name)):
        if not knows("params", match.group(1)):
            yield f"{name}: {match.group(1)} is not a parameter"


def findings(repo, program=None):
    found = []
    for name in repo.matching(".md"):
        found += missing_files(repo, name)
        if program:
            found += refused_by_program(repo, name, program)
    return found
