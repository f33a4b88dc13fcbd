#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one check over the checkout: prints its findings and exits 1, or exits 0 when there are none.
Exits 77 if this system lacks what the check needs."""

import argparse
import pathlib
import sys

import choices
import classes
import columns
import documents
import error_codes
import figures
import formatting
import headers
import hygiene
import instructions
import kinds
import law_literals
import layers
import parameters
import release
import test_names
import type_names
import unity_names
from repo import Repo

SKIPPED = 77  # exit status for ctest

CHECKS = {
    "layers": lambda repo, _: layers.findings(repo) + layers.unused(repo),
    "hygiene": lambda repo, _: hygiene.findings(repo),
    "columns": lambda repo, _: columns.findings(repo),
    "choices": lambda repo, _: choices.findings(repo),
    "law_literals": lambda repo, _: law_literals.findings(repo),
    "classes": lambda repo, _: classes.findings(repo),
    "error_codes": lambda repo, _: error_codes.findings(repo),
    "figures": lambda repo, _: figures.findings(repo),
    "formatting": lambda repo, _: formatting.findings(repo),
    "instructions": lambda repo, _: instructions.findings(repo),
    "kinds": lambda repo, _: kinds.findings(repo),
    "parameters": lambda repo, _: parameters.findings(repo),
    "release": lambda repo, _: release.findings(repo),
    "test_names": lambda repo, _: test_names.findings(repo),
    "type_names": lambda repo, _: type_names.findings(repo),
    "unity_names": lambda repo, _: unity_names.findings(repo),
    "documents": lambda repo, arguments: documents.findings(repo, arguments.tahoma),
    "headers": lambda repo, arguments: headers.findings(repo, arguments.build),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("check", choices=sorted(CHECKS))
    parser.add_argument("--root", default=pathlib.Path(__file__).parents[2], help="the checkout")
    parser.add_argument("--tahoma", help="the program, for `documents`")
    parser.add_argument("--build", default="build", help="a configured build folder, for `headers`")
    arguments = parser.parse_args()
    if arguments.check == "formatting" and not formatting.is_available():
        print(f"skipped: this system has no {formatting.PROGRAM}")
        sys.exit(SKIPPED)
    repo = Repo(arguments.root)
    if not repo.files:
        sys.exit(f"no files below {repo.root}")
    found = CHECKS[arguments.check](repo, arguments)
    print("\n".join(found) or f"{arguments.check}: nothing to report in {len(repo.files)} files")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
