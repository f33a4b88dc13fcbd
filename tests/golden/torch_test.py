#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels compared with PyTorch: torch_test.py --binary build/tahoma cases_rms_norm [--only TEXT]"""
import argparse
import importlib
import pathlib
import sys
import tempfile

import golden_case

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("cases", help="a module of this folder with CASES")
parser.add_argument("--binary", required=True)
parser.add_argument("--workloads", default=str(pathlib.Path(__file__).resolve().parents[2] / "workloads"))
parser.add_argument("--only", help="cases whose name holds this text")
arguments = parser.parse_args()
cases = importlib.import_module(arguments.cases).CASES
with tempfile.TemporaryDirectory() as folder:
    sys.exit(golden_case.run_all(cases, arguments.binary, arguments.workloads, folder, arguments.only))
