# SPDX-License-Identifier: Apache-2.0
"""Runs `tahoma graph` on a model."""

import json
import os
import pathlib
import subprocess

import numpy as np

PROGRAM = os.environ.get("TAHOMA_PROGRAM", str(pathlib.Path(__file__).resolve().parents[2] / "build/tahoma"))


def command(*words):
    return subprocess.run([PROGRAM, "graph", *map(str, words)], capture_output=True, text=True, check=False)


def run(folder, model, inputs, *words):
    """The summary and the outputs of a functional run, by name."""
    folder = pathlib.Path(folder)
    options = []
    for name, values in inputs.items():
        np.save(folder / f"in_{name}.npy", values)
        options += ["--input", f"{name}={folder / f'in_{name}.npy'}"]
    done = command(model, *options, "--out", folder / "out", "--slim", "--save-outputs", "--format", "json", *words)
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    saved = {file.stem: np.load(file) for file in (folder / "out").glob("*.npy")}
    return json.loads(done.stdout), saved


def refusal(*words):
    """The error of a command that must be refused as the user's mistake."""
    done = command(*words)
    assert done.returncode in (2, 3), (done.returncode, done.stderr)
    return done.stderr
