# SPDX-License-Identifier: Apache-2.0
"""Every command that a page of examples/ shows runs, and so do the lines that the README of the package shows."""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import tahoma
from tahoma.program import program

from conftest import MODEL, has_command

ROOT = pathlib.Path(__file__).resolve().parents[2]
# tests/install executes those of own_kernel, which build a program.
PAGES = sorted(page for page in (ROOT / "examples").glob("*/README.md") if page.parent.name != "own_kernel")


def commands(page):
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_the_commands_of_an_example_run(page):
    for name in ("examples", "scripts"):
        pathlib.Path(name).symlink_to(ROOT / name)
    pathlib.Path("build").mkdir()
    pathlib.Path("build/tahoma").symlink_to(program())
    environment = {**os.environ, "MPLBACKEND": "Agg", "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    for command in commands(page):
        if "pandas" in command and not importlib.util.find_spec("pandas"):
            continue
        # The tests name the packages themselves; a build folder may be elsewhere.
        command = command.removeprefix("PYTHONPATH=build/python ")
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert done.stdout, command


def test_every_file_of_an_example_is_on_its_page():
    for page in (ROOT / "examples").glob("*/README.md"):
        text = page.read_text()
        unnamed = [file.name for file in page.parent.iterdir() if file.is_file() and file != page and file.name not in text]
        assert not unnamed, page
    assert [page.parent.name for page in PAGES] == ["agents", "model", "nki", "run", "sweep", "what_if"]


def test_the_lines_of_the_readme_run():
    pytest.importorskip("pandas")
    lines = re.search(r"^## Cases and sweeps\n+```python\n(.*?)^```", (ROOT / "frontend/python/README.md").read_text(), re.DOTALL | re.MULTILINE)[1]
    pathlib.Path("workloads").symlink_to(ROOT / "workloads")
    pathlib.Path("config.json").write_text(json.dumps(MODEL))
    tahoma.run("gemm/chip", mode="timing", out="out-before")
    names = {}
    for line in lines.splitlines():
        if "tahoma.model(" not in line or has_command("model"):
            print(line)  # which one it was
            exec(line, names)
