#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Which of the models below some folders `tahoma model` accepts: configurations.py FOLDER... --binary build/tahoma

Prints a line for each config.json: accepted, with the smallest number of chips that it fits on (with weights in fp8 if it fits on none in
bf16), or the error that refuses it. --accepted N
fails if fewer are accepted. --csv FILE writes the table: names and verdicts, without the configurations.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import pathlib
import subprocess
import sys

LAYOUTS = [(chips, dtype) for dtype in ("bf16", "fp8_e4m3") for chips in ("1", "4", "16", "64")]  # tried in this order


def architecture(file):
    try:
        return json.loads(file.read_text())["architectures"][0]
    except (json.JSONDecodeError, KeyError, IndexError, TypeError):
        return "?"


def verdict(binary, file, options):
    """Chips, or an error: a model that does not fit, or whose heads do not divide, is tried on more chips, and in fp8."""
    for chips, dtype in LAYOUTS:
        run = subprocess.run([binary, "model", str(file), "--plan", "--chips", chips, "--dtype", dtype, *options], capture_output=True, text=True)
        if run.returncode == 0:
            return f"accepted on {chips}" + ("" if dtype == "bf16" else f" in {dtype}"), ""
        if "E-MDL-" not in run.stderr:  # about no layout, but the configuration
            break
    error = run.stderr.strip().removeprefix(str(file)).lstrip(":")
    return "refused", " ".join(error.split())


def files_below(folders):
    for folder in map(pathlib.Path, folders):
        yield from sorted(folder.rglob("*.json")) if folder.is_dir() else [folder]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--binary", required=True)
    parser.add_argument("--accepted", type=int, default=0, help="fail if fewer are")
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--option", action="append", default=[], help="of tahoma model")
    arguments = parser.parse_args()
    files = list(files_below(arguments.folders))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(lambda file: verdict(arguments.binary, file, arguments.option), files))
    names = [file.parent.name if file.name == "config.json" else file.stem for file in files]
    width = max(map(len, names))
    for file, name, (word, why) in sorted(zip(files, names, verdicts), key=lambda row: row[2][0]):
        print(f"{name:<{width}}  {architecture(file):<36}  {word}  {why}"[:400].rstrip())
    if arguments.csv:
        with arguments.csv.open("w", newline="") as table:
            writer = csv.writer(table, lineterminator="\n")
            writer.writerow(("configuration", "architecture", "verdict", "why"))
            for file, name, (word, why) in sorted(zip(files, names, verdicts), key=lambda row: row[1].lower()):
                writer.writerow((name, architecture(file), word, why.split("error[", 1)[-1].replace("]: ", ": ", 1).split("; expected")[0]))
    refused = collections.Counter(architecture(file) for file, (word, _) in zip(files, verdicts) if word == "refused")
    accepted = len(files) - sum(refused.values())
    print(f"\n{accepted} of {len(files)} accepted" + "".join(f"\n{count:4} refused: {name}" for name, count in refused.most_common()))
    return accepted < arguments.accepted


if __name__ == "__main__":
    sys.exit(main())
