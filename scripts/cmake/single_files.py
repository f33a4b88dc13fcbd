#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""single_files.py BUILD OUTPUT [--folders]: the compile commands of single sources, or of folders as the build compiles them.

A build that compiles a folder's sources as one file (TAHOMA_UNITY) only has compile commands for these files. clang-tidy and the
check of headers read sources one by one: OUTPUT/compile_commands.json gets an entry for each source that such a file includes,
with the command of that file. Precompiled headers are those of another compiler, so no command has them."""

import json
import pathlib
import re
import sys

PRECOMPILED = re.compile(r" -Winvalid-pch -include \S+/cmake_pch\.hxx")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def single_files(entries):
    for entry in entries:
        path = pathlib.Path(entry["directory"]) / entry["file"]
        if not path.name.startswith("unity_"):
            yield entry
            continue
        for source in INCLUDE.findall(path.read_text(encoding="utf-8")):
            yield {**entry, "file": source, "command": entry["command"].replace(str(path), source).replace(entry["file"], source)}


def main(build, output, *folders):
    with open(pathlib.Path(build) / "compile_commands.json", encoding="utf-8") as file:
        entries = [{**entry, "command": PRECOMPILED.sub("", entry["command"])} for entry in json.load(file)
                   if not entry["file"].endswith("/cmake_pch.hxx.cxx")]
    entries = entries if folders else list(single_files(entries))
    output = pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    (output / "compile_commands.json").write_text(json.dumps(entries, indent=1), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--folders"]):
        sys.exit(__doc__)
    main(*sys.argv[1:])
