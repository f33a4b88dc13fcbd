# SPDX-License-Identifier: Apache-2.0
"""Every header compiles on its own, and twice: it includes what it uses and is guarded."""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import tempfile

from repo import ROOMS

SINGLE_FILES = pathlib.Path(__file__).parents[2] / "scripts/cmake/single_files.py"
DROPPED = ("-c", "-o", "-MD", "-MT", "-MF")  # from a compile command: all except -c and -MD with their argument


def flags_by_folder(build):
    """folder of a source -> the flags with which it is compiled, from the compile commands of single sources."""
    subprocess.run([SINGLE_FILES, build, os.path.join(build, "single-files")], check=True)
    with open(os.path.join(build, "single-files/compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    flags = {}
    for entry in entries:
        words = shlex.split(entry["command"])
        kept, skip = [], False
        for word in words[1:]:
            if skip or word == entry["file"]:
                skip = False
            elif word in DROPPED:
                skip = word not in ("-c", "-MD")
            elif word.startswith("-"):
                kept.append(word)
            elif kept and kept[-1] in ("-isystem", "-I", "-include"):
                kept.append(word)
        flags.setdefault(os.path.dirname(entry["file"]), kept)
    return flags


def findings(repo, build):
    flags = flags_by_folder(build)
    headers = [name for name in repo.matching(".h") if name.startswith(ROOMS)]

    def check(name):
        # A header-only folder uses the flags of the nearest folder above it that has sources.
        folder = os.path.dirname(repo.root / name)
        while folder not in flags and folder != "/":
            folder = os.path.dirname(folder)
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as unit:
            unit.write(f'#include "{name}"\n#include "{name}"\n')
            unit.flush()
            result = subprocess.run(["g++", *flags.get(folder, []), "-Wno-unused", "-fsyntax-only", unit.name],
                                    capture_output=True, text=True, check=False)
        return [] if result.returncode == 0 else [f"{name}: does not compile alone:\n{result.stderr}"]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [finding for result in pool.map(check, headers) for finding in result]
