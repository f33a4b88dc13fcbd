# SPDX-License-Identifier: Apache-2.0
"""Every example runs in an empty folder and prints something, and so does what the README shows."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import tahoma

from conftest import MODEL, has_command

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "runtime/python/examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(example):
    text = example.read_text()
    for module in ("pandas", "matplotlib"):
        if f"import {module}" in text:
            pytest.importorskip(module)
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, check=False, env={**os.environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout and not done.stderr


def test_the_lines_of_the_readme_run():
    pytest.importorskip("pandas")
    lines = re.search(r"^## Cases and sweeps\n+```python\n(.*?)^```", (ROOT / "runtime/python/README.md").read_text(), re.DOTALL | re.MULTILINE)[1]
    pathlib.Path("workloads").symlink_to(ROOT / "workloads")
    pathlib.Path("config.json").write_text(json.dumps(MODEL))
    tahoma.run("gemm/chip", mode="timing", out="out-before")
    names = {}
    for line in lines.splitlines():
        if "tahoma.model(" not in line or has_command("model"):
            print(line)  # which one it was
            exec(line, names)


def test_there_are_examples():
    assert len(EXAMPLES) >= 4
