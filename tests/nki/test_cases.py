# SPDX-License-Identifier: Apache-2.0
"""Cases of the kind `nki` and the command `tahoma nki`: golden checks, both modes, sweeps, explain, and mistakes, which are refused by
name and leave nothing behind."""
import csv
import json
import shutil
import subprocess

import pytest

from tahoma.program import program

KERNEL = '''
import nki, nki.isa as nisa, nki.language as nl

@nki.jit
def scaled(x, factor=2.0):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nisa.tensor_scalar(tile, tile, nl.multiply, factor)
    nl.store(out, tile)
    return out

def definition(x, factor=2.0):
    return x * factor

def wrong(x, factor=2.0):
    return x * factor + 1

def two(x, factor=2.0):
    return x, x

def smaller(x, factor=2.0):
    return x[:, 1:]
'''
ARGS = "x=randn(128, 64); factor=3.0"


class Folder:
    """A folder with kernel.py, in which commands run."""

    def __init__(self, path):
        self.path = path
        (path / "kernel.py").write_text(KERNEL)

    def run(self, *words, status=0):
        done = subprocess.run([program(), *words], cwd=self.path, capture_output=True, text=True, check=False)
        assert done.returncode == status, f"exit status {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def nki(self, kernel="kernel.py:scaled", args=("x=randn(128, 64)",), reference="kernel.py:definition", more=(), status=0):
        words = [word for arg in args for word in ("--arg", arg)] + (["--reference", reference] if reference else [])
        return self.run("nki", kernel, *words, "--out", "out", "--no-report", *more, status=status)

    def case(self, **workload):
        workload = {"kernel": "kernel.py:scaled", "args": ARGS, "reference": "kernel.py:definition", **workload}
        (self.path / "case.yaml").write_text(json.dumps({"kind": "nki", "machine": "trainium2_one_chip", "workload": workload}))
        return "case.yaml"

    def summary(self, out="out"):
        return json.loads((self.path / out / "summary.json").read_text())


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


# --- runs that pass ---------------------------------------------------------------------------------------------------


def test_a_kernel_on_the_command_line_passes_against_its_reference(folder):
    assert "golden passed" in folder.nki()
    golden = folder.summary()["golden"]
    assert golden["checked"] and golden["passed"] and golden["elements"] == 128 * 64


def test_a_case_passes_and_both_modes_take_the_same_time(folder):
    case = folder.case()
    assert "golden passed" in folder.run("run", case, "--check", "races,uninitialised", "--out", "out")
    assert "golden not checked" in folder.run("run", case, "--mode", "timing", "--out", "timing", "--no-report")
    assert folder.summary()["simulated_time_ns"] == folder.summary("timing")["simulated_time_ns"] > 0


def test_the_reference_gets_the_arguments_of_the_case(folder):
    for factor in (3.0, -0.5):
        folder.nki(args=("x=randn(128, 64)", f"factor={factor}"))


def test_explain_repeats_a_finished_run(folder):
    folder.run("run", folder.case(), "--out", "out")
    explained = json.loads(folder.run("explain", "out", "--jobs", "1", "--format", "json"))
    assert explained


def test_explain_repeats_the_kernel_that_was_traced(folder):
    """The source may be gone, or another one: the folder keeps the kernel."""
    folder.nki()
    source = folder.path / "kernel.py"
    text = source.read_text(encoding="utf-8")
    source.unlink()
    explained = json.loads(folder.run("explain", "out", "--jobs", "1", "--format", "json"))
    picoseconds = [round(1000 * time) for time in (explained["time_ns"], folder.summary("out")["simulated_time_ns"])]
    assert picoseconds[0] == picoseconds[1]
    assert folder.summary("out")["bottleneck"] == explained["bottleneck"]
    source.write_text(text, encoding="utf-8")
    kept = {"kind": "nki", "machine": "trainium2_one_chip", "workload": {"bundle": "out/kernel.cbor"}}
    (folder.path / "kept.yaml").write_text(json.dumps(kept))
    assert "golden not checked" in folder.run("run", "kept.yaml", "--mode", "timing", "--out", "kept", "--no-report")
    assert "E-NKI-044" in folder.run("run", "kept.yaml", "--mode", "functional", "--out", "kept", status=2)


def test_a_sweep_varies_arguments_of_the_kernel_and_parameters_of_the_machine(folder):
    axes = [{"workload.args": ["x=randn(128, 64)", "x=randn(128, 512)"]}, {"machine.chip.core.vector.clock": ["0.48 GHz", "0.96 GHz"]}]
    (folder.path / "sweep.yaml").write_text(json.dumps({"sweep": {"workloads": [folder.case()], "axes": axes}}))
    folder.run("sweep", "sweep.yaml", "--out", "swept", "--jobs", "1")
    with open(folder.path / "swept/points.csv", encoding="utf-8") as file:
        times = [float(row["simulated_time_ns"]) for row in csv.DictReader(file)]
    assert len(times) == 4 and times[0] > times[1] and times[2] > times[3] and times[2] > times[0]


# --- runs that fail ---------------------------------------------------------------------------------------------------


def test_a_wrong_reference_fails_the_check(folder):
    assert "E-RUN-070" in folder.nki(reference="kernel.py:wrong", status=1)
    assert "E-RUN-070" in folder.run("run", folder.case(reference="kernel.py:wrong"), "--out", "out", status=1)
    assert not folder.summary()["golden"]["passed"]


MISTAKES = {
    "kernel": ({"kernel": "kernel.py:scalde"}, "did you mean 'scaled'"),
    "kernel without a function": ({"kernel": "kernel.py"}, "expected FILE.py:NAME"),
    "file of the kernel": ({"kernel": "none.py:scaled"}, "none.py: no such file"),
    "reference": ({"reference": "kernel.py:definitoin"}, "did you mean 'definition'"),
    "file of the reference": ({"reference": "none.py:definition"}, "none.py: no such file"),
    "number of results": ({"reference": "kernel.py:two"}, "kernel.py:two returns 2 arrays, the kernel 1"),
    "shape of the result": ({"reference": "kernel.py:smaller"}, r"returns [128, 63] for an output of shape [128, 64]"),
    "argument": ({"args": ("x=randn(128, 64)", "factr=1.0")}, "did you mean 'factor'"),
    "missing argument": ({"args": ("factor=1.0",)}, "missing a required argument: 'x'"),
    "form of an argument": ({"args": ("x",)}, "'x': expected NAME=VALUE"),
    "file of an argument": ({"args": ("x=none.npy",)}, "none.npy: no such file"),
    "generator": ({"args": ("x=radn(128, 64)",)}, "did you mean 'randn'"),
    "option": ({"more": ("--refrence", "a")}, "--refrence"),
    "grid": ({"more": ("--grid", "3")}, "tahoma: --grid 3: error[E-CFG-005]: '--grid' must lie in 0 .. 2"),
    "no Python file": ({"kernel": "va.yaml:double"}, "va.yaml is not a Python file; expected FILE.py:NAME"),
    "no array file": ({"args": ("x=kernel.npy",)}, "kernel.npy: no such file"),
    "tolerance": ({"more": ("--golden-rtol", "nan")}, "--golden-rtol: expected a finite number from 0 on, got 'nan'"),
    "infinite tolerance": ({"more": ("--golden-atol", "inf")}, "--golden-atol: expected a finite number from 0 on"),
    "negative tolerance": ({"more": ("--golden-rtol", "-1")}, "--golden-rtol: expected a finite number from 0 on"),
}
OF_THE_REFERENCE = ("number of results", "shape of the result")  # a program is wrong, not the command line


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_by_name_and_leaves_nothing_behind(folder, mistake):
    words, says = MISTAKES[mistake]
    refused = folder.nki(**words, status=3 if mistake in OF_THE_REFERENCE else 2)
    assert says in refused and "Traceback" not in refused, refused
    assert sorted(path.name for path in folder.path.iterdir() if path.name != "__pycache__") == ["kernel.py"]


CODES = {
    "E-NKI-040": ({"kernel": "", "bundle": "empty", "args": "", "reference": ""}, "empty"),
    "E-NKI-041": ({"kernel": "kernel.py:scalde"}, "did you mean 'scaled'"),
    "E-NKI-043": ({"kernel": "", "args": "", "reference": ""}, "expected either a kernel (FILE.py:FUNCTION) or a bundle"),
}


@pytest.mark.parametrize("code", CODES)
def test_a_case_that_cannot_be_traced_has_the_code_of_its_reason(folder, code):
    workload, says = CODES[code]
    (folder.path / "empty").mkdir()
    (folder.path / "empty/bundle.json").write_text("{}")
    refused = folder.run("run", folder.case(**workload), "--out", "out", status=2)
    assert code in refused and says in refused, refused
    assert not (folder.path / "out").exists()


def test_without_the_python_package_a_kernel_is_refused(folder, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    shutil.copy2(program(), folder.path / "elsewhere")
    done = subprocess.run([folder.path / "elsewhere", "run", folder.case(), "--out", "out"], cwd=folder.path, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 2 and "E-NKI-042" in done.stderr and "scripts/modules nki" in done.stderr, done.stderr


def test_a_kernel_that_raises_names_its_line(folder):
    (folder.path / "kernel.py").write_text(KERNEL.replace("    tile = nl.load(x)\n", "    tile = nl.load(x)\n    raise ZeroDivisionError('mine')\n"))
    refused = folder.nki(status=3)
    assert "ZeroDivisionError: mine" in refused and "kernel.py" in refused
    assert "tahoma/launch.py" not in refused, "lines of the package are of no use"
    assert not (folder.path / "out").exists()


@pytest.mark.parametrize("body, says", [("while True: pass", "E-NKI-026"), ("return scaled(x)", "calls itself without end"),
                                        ("return 5", "E-NKI-033")])
def test_a_kernel_that_misbehaves_is_refused_at_its_line_and_leaves_nothing(folder, monkeypatch, body, says):
    monkeypatch.setenv("TAHOMA_TRACE_SECONDS", "2")
    text = KERNEL.replace("    tile = nl.load(x)\n", f"    {body}\n    tile = nl.load(x)\n", 1)
    if body == "return 5":  # the only return statement
        text = KERNEL.replace("return out", body, 1)
    (folder.path / "kernel.py").write_text(text)
    refused = folder.nki(reference=None, status=3)
    assert says in refused and "kernel.py:" in refused
    assert not (folder.path / "out").exists()


@pytest.mark.parametrize("end", ["import sys; sys.exit(0)", "raise SystemExit", "import os; os._exit(0)"])
@pytest.mark.parametrize("where", ["kernel", "file"])
def test_a_kernel_that_ends_the_program_is_named(folder, end, where):
    text = KERNEL.replace("    tile = nl.load(x)\n", f"    {end}\n    tile = nl.load(x)\n") if where == "kernel" else f"{end}\n{KERNEL}"
    (folder.path / "kernel.py").write_text(text)
    refused = folder.nki(reference=None, status=3)
    assert "kernel.py:scaled" in refused and "ended the program" in refused and "bundle.json" not in refused, refused
    assert "Traceback" not in refused and not (folder.path / "out").exists()


def test_a_failed_run_leaves_the_results_of_the_run_before(folder):
    folder.nki()
    before = (folder.path / "out/summary.json").read_bytes()
    folder.nki(reference="kernel.py:none", status=2)
    assert (folder.path / "out/summary.json").read_bytes() == before


def test_a_list_of_rows_is_an_array(folder):
    folder.nki(args=("x=[[1, 2.5], [3, 4]]",))
    assert folder.summary()["golden"]["outcome"] == "passed"
    refused = folder.nki(args=("x=[1, 2]",), status=3, reference=None)
    assert "'list' object has no attribute 'shape'" in refused and "tahoma/launch.py" not in refused
    assert "argument x: rows of different lengths" in folder.nki(args=("x=[[1], [2, 3]]",), status=2)


def test_the_checks_are_those_of_a_call_from_python(folder):
    text = KERNEL.replace("    tile = nl.load(x)\n", "    tile = nl.ndarray(x.shape, dtype=x.dtype)\n", 1)
    (folder.path / "kernel.py").write_text(text)
    assert "E-CHK-002" in folder.nki(reference=None, status=3)
    folder.nki(reference=None, more=("--check", "none"))
    assert not folder.summary()["checks"]["uninitialised"]["checked"]
