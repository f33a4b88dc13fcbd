# SPDX-License-Identifier: Apache-2.0
"""The public node tests of the onnx package (python3-onnx) on one core: passed, refused by name, wrong.

    /usr/bin/python3 tests/graph/node_cases.py --program build/tahoma [--match REGEX] [--list]

Each test has a model of one node, inputs, and outputs that the onnx package computed. `refused`: the program named what it does
not support. `wrong`: another result, or an error of Tahoma's own. Exit status 1 if any is wrong.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import numpy as np

HELD = {"int64": "int32", "uint64": "uint32", "bool": "uint8", "float64": "float32"}  # as in HBM
REFUSED = re.compile(r"error\[(E-ONX-\d{3}|E-RUN-020|E-RUN-099|E-NPY-\d{3})\]: (.*)")


def collect():
    for name, plain in (("float", float), ("int", int), ("bool", bool), ("object", object)):  # onnx 1.12 with NumPy 1.24
        if name not in np.__dict__:
            setattr(np, name, plain)
    from onnx.backend.test.case.node import collect_testcases
    return collect_testcases(None)


def held(array):
    array = np.asarray(array)
    return array.astype(HELD.get(array.dtype.name, array.dtype.name))


class Outcome(Exception):
    def __init__(self, kind, text):
        super().__init__(text)
        self.kind, self.text = kind, text


def run_case(program, case, folder):
    folder = pathlib.Path(folder)
    for inputs, outputs in case.data_sets:
        if any(not isinstance(value, (np.ndarray, np.generic)) for value in [*inputs, *outputs]):
            raise Outcome("refused", "sequences, optionals or strings")
        if any(np.asarray(value).dtype.kind not in "fiub" for value in [*inputs, *outputs]):
            raise Outcome("refused", "strings or complex numbers")
        (folder / "model.onnx").write_bytes(case.model.SerializeToString())
        files = {}
        for info, value in zip(case.model.graph.input, inputs):
            if np.asarray(value).size == 0:
                raise Outcome("refused", "an empty input")
            np.save(folder / f"{len(files)}.npy", np.array(held(value), order="C"))
            files[info.name] = folder / f"{len(files)}.npy"
        document = {"kind": "graph", "machine": "trainium2_one_chip", "workload": {
            "model": str(folder / "model.onnx"), "inputs": "; ".join(f"{name}={file}" for name, file in files.items())}}
        done = subprocess.run([program, "run", "-", "--out", folder / "out", "--slim", "--save-outputs", "--format", "json"],
                              input=json.dumps(document), capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            refusal = REFUSED.search(done.stderr)
            if refusal and done.returncode in (2, 3):
                raise Outcome("refused", refusal.group(0))
            if "golden" in done.stdout and done.returncode == 1:
                raise Outcome("wrong", "golden: " + json.dumps(json.loads(done.stdout)["golden"])[:300])
            raise Outcome("wrong", f"status {done.returncode}: {done.stderr.strip()[-300:]}")
        for info, want in zip(case.model.graph.output, outputs):
            compare(case, folder / "out", info.name, np.asarray(want))


def compare(case, folder, name, want):
    file = folder / f"{name}.npy"
    if not file.exists():
        raise Outcome("wrong", f"no output {name}: {sorted(p.name for p in folder.iterdir())}")
    got = np.load(file)
    if got.shape != want.shape and not (got.size == want.size and want.ndim == 0):
        raise Outcome("wrong", f"shape {got.shape}, expected {want.shape}")
    short = case.model.graph.output[0].type.tensor_type.elem_type == 16
    if short:  # bfloat16, as its bits, which onnx 1.12 cuts off instead of rounding them
        want = (want.astype(np.uint32) << 16).view(np.float32)
    if want.dtype.kind == "f":
        wide = np.dtype(want.dtype).itemsize >= 4
        close = np.isclose(got.reshape(want.shape).astype(float), want.astype(float), rtol=2 ** -7 if short else 1e-3 if wide else 2e-3,
                           atol=1e-6 if wide else 2e-3, equal_nan=True)
    else:
        close = got.reshape(want.shape).astype(np.int64) == want.astype(np.int64)
    if not np.all(close):
        at = tuple(np.argwhere(~np.atleast_1d(close))[0])
        raise Outcome("wrong", f"{np.count_nonzero(~close)} of {want.size} elements of {name}, first {at}: "
                               f"{np.atleast_1d(got.reshape(want.shape))[at]}, expected {np.atleast_1d(want)[at]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--match", default="")
    parser.add_argument("--list", action="store_true", help="print the outcome of every test")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    outcomes, refusals = collections.Counter(), collections.Counter()
    for case in collect():
        if not re.search(arguments.match, case.name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                run_case(arguments.program, case, folder)
                kind, text = "passed", ""
            except Outcome as outcome:
                kind, text = outcome.kind, outcome.text
        outcomes[kind] += 1
        if kind == "refused":
            refusals[re.sub(r"\(\d+ nodes.*|'[^']*'|\d+", "", text)[:90]] += 1
        if kind == "wrong" or arguments.list:
            print(f"{kind:8} {case.name}: {text}", flush=True)
    print(", ".join(f"{kind} {outcomes[kind]}" for kind in ("passed", "refused", "wrong")))
    for text, count in refusals.most_common():
        print(f"  {count:4} {text}")
    return 1 if outcomes["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
