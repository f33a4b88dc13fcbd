# SPDX-License-Identifier: Apache-2.0
"""What a verdict says: about values, times and mistakes, and that it is the same for the same input."""
import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import kernels
import tahoma
from tahoma.oracle.verify import EMPTY
from tahoma.program import program

HERE = pathlib.Path(__file__).resolve()
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT / "examples/agents"))
X = np.arange(512 * 64, dtype=np.float32).reshape(512, 64) + 1
STORE = next(n for n, line in enumerate((HERE.parent / "kernels.py").read_text().splitlines(), 1) if "# the store" in line)


def test_a_right_kernel():
    verdict = tahoma.verify(kernels.right, (X,), kernels.reference)
    assert verdict["status"] == "correct" and verdict["correct"] is True and verdict["error"] is None
    assert (verdict["elements"], verdict["mismatches"], verdict["max_abs_error"]) == (X.size, 0, 0.0)
    assert verdict["hbm"] == {"read_bytes": X.nbytes, "write_bytes": X.nbytes}
    assert 0 < verdict["bound"]["time_us"] < verdict["time_us"]
    assert 0 < verdict["peaks"]["sbuf_partition_bytes"] <= 4 * 256 and verdict["peaks"]["psum_banks"] == 0


def test_the_keys_are_those_of_the_page():
    verdict = tahoma.verify(kernels.raising, (X,))
    assert set(verdict) == set(EMPTY)
    page = (ROOT / "examples/agents/README.md").read_text().split("## The verdict")[1].split("## A server")[0]
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in row.replace("`", "").replace(",", " ").split()} == set(EMPTY)


def test_the_first_wrong_element_and_the_line_that_wrote_it():
    verdict = tahoma.verify(kernels.wrong_from_row_256, (X,), kernels.reference)
    assert verdict["status"] == "wrong" and verdict["correct"] is False and verdict["mismatches"] == 256 * 64
    first = verdict["first_wrong"]
    assert (first["output"], first["index"]) == (0, [256, 0])
    assert (first["got"], first["expected"]) == (3 * X[256, 0], 2 * X[256, 0])
    assert first["written_by"] == f"{HERE.parent / 'kernels.py'}:{STORE}"


def test_references_are_arrays_or_functions_and_tolerances_relative_to_the_largest():
    assert tahoma.verify(kernels.right, {"x": X}, 2 * X)["status"] == "correct"
    near = 2 * X + 0.5
    assert tahoma.verify(kernels.right, (X,), near)["status"] == "wrong"
    assert tahoma.verify(kernels.right, (X,), near, tolerance=0.5 / near.max() * 1.001)["status"] == "correct"
    assert tahoma.verify(kernels.right, (X,), near, tolerance=(0, 0.6))["status"] == "correct"
    assert tahoma.verify(kernels.right, (X,), [X, X])["error"]["code"] == "E-ORA-003"


def test_without_a_reference_nothing_is_correct():
    verdict = tahoma.verify(kernels.right, (X,))
    assert verdict["status"] == "unchecked" and verdict["correct"] is None and verdict["time_us"] > 0


def test_arguments_and_settings_stay_as_they_were():
    before, x = tahoma.settings(), X[:128].copy()
    verdict = tahoma.verify(kernels.in_place, (x,), kernels.reference, machine="trainium3_chip")
    assert verdict["status"] == "correct" and verdict["machine"] == "trainium3_chip"
    assert np.array_equal(x, X[:128]) and tahoma.settings() == before


@pytest.mark.parametrize("name, status, code, says", [
    ("unwritten", "findings", None, ""), ("too_large", "refused", "E-NKI-001", "a kernel may use 212984"),
    ("raising", "raised", "", "ZeroDivisionError: of the kernel"),
    ("leaving", "raised", "", "ended the program: sys.exit(0)")])
def test_kernels_with_mistakes(name, status, code, says):
    verdict = tahoma.verify(getattr(kernels, name), (X,), kernels.reference)
    assert verdict["status"] == status and verdict["correct"] is False
    if code is None:
        assert verdict["findings"][0].startswith("E-CHK-002") and "tile of kernels.py:" in verdict["findings"][0]
    else:
        assert verdict["error"]["code"] == code and says in verdict["error"]["text"]
        assert verdict["error"]["place"].startswith(str(HERE.parent / "kernels.py"))


def test_nan_where_nan_is_expected():
    x = X.copy()
    x[5, 5] = np.nan
    assert tahoma.verify(kernels.right, (x,), kernels.reference)["status"] == "correct"
    assert tahoma.verify(kernels.right, (x,), 2 * X)["first_wrong"]["index"] == [5, 5]


def test_the_same_input_gives_the_same_bytes():
    first, second = (json.dumps(tahoma.verify(kernels.right, (X,), kernels.reference)) for _ in range(2))
    assert first == second


def test_losses_name_the_line_of_a_known_one():
    """The naive kernel loads each row twice, in small pieces, into the one tile that it has; the losses say so, and mending it makes the
    kernel three times faster."""
    import better
    import naive

    rng = np.random.default_rng(1)
    args = {"x": rng.standard_normal((512, 1024)).astype(np.float32), "w": rng.random((1, 1024)).astype(np.float32)}
    before = tahoma.verify(naive.rms_norm, args, naive.reference)
    lines = pathlib.Path(naive.__file__).read_text().splitlines()
    largest = before["losses"][0]
    for loss in before["losses"]:
        assert "nisa.dma_copy(tile, x" in lines[int(loss["place"].split(":")[1]) - 1]
    assert largest["resource"] in ("HBM", "DMA") and "not move data twice" in " ".join(loss["remedy"] for loss in before["losses"])
    assert [loss["time_us"] for loss in before["losses"]] == sorted((loss["time_us"] for loss in before["losses"]), reverse=True)
    after = tahoma.verify(better.rms_norm, args, naive.reference, previous=before)
    assert before["correct"] and after["correct"] and after["changes"]["speedup"] > 3
    assert after["changes"]["time_us"] == {"before": before["time_us"], "after": after["time_us"]}


def command(*words, status, given=None):
    done = subprocess.run([program(), "nki", *words], capture_output=True, text=True, check=False, input=given)
    assert done.returncode == status, done.stdout + done.stderr
    return done


@pytest.mark.parametrize("name, status", [("right", 0), ("wrong_from_row_256", 1), ("too_large", 3), ("leaving", 3)])
def test_the_command_prints_the_same_verdict(name, status):
    file = HERE.parent / "kernels.py"
    done = command("--verify", f"{file}:{name}", "--arg", "x=ones(512, 64)", "--reference", f"{file}:reference", status=status)
    assert json.loads(done.stdout) == tahoma.verify(getattr(kernels, name), (np.ones((512, 64), np.float32),), kernels.reference)


def test_a_file_that_ends_the_program(tmp_path):
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(0)\n")
    verdict = json.loads(command("--verify", f"{tmp_path / 'leaves.py'}:kernel", status=3).stdout)
    assert verdict["status"] == "raised" and verdict["error"]["place"] == f"{tmp_path / 'leaves.py'}:2"


def test_wrong_requests_of_the_command(tmp_path):
    assert "E-ORA-001" in command("--verify", "none.py:kernel", status=2).stderr
    assert "KERNEL is required" in command("--verify", status=2).stderr
    earlier = tmp_path / "earlier.json"
    earlier.write_text("[]")
    assert "expected a verdict" in command("--verify", f"{HERE.parent / 'kernels.py'}:right", "--previous", str(earlier), status=2).stderr


def test_a_kernel_that_ends_the_process_by_a_signal(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text("import os, signal, nki\n\n@nki.jit\ndef kernel():\n    os.kill(os.getpid(), signal.SIGKILL)\n")
    assert "E-ORA-002" in command("--verify", f"{file}:kernel", status=6).stderr


def test_grids_of_both_styles():
    """Two physical cores of the newer style, and points of the older one."""
    import neuronxcc.nki as old
    import neuronxcc.nki.language as ol
    import nki
    import nki.language as nl

    @nki.jit
    def halves(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        rows = x.shape[0] // nl.num_programs(0)
        first = nl.program_id(0) * rows
        nl.store(out[first : first + rows, :], nl.multiply(nl.load(x[first : first + rows, :]), 2.0))
        return out

    @old.jit
    def points(x):
        out = ol.ndarray(x.shape, dtype=x.dtype, buffer=ol.shared_hbm)
        row = ol.program_id(0) * 64
        ol.store(out[row : row + 64], ol.load(x[row : row + 64]) * 2.0)
        return out

    x = X[:128]
    for kernel, grid in ((halves, 2), (halves[2], None), (points, (2,)), (points[2], None)):
        assert tahoma.verify(kernel, (x,), 2 * x, grid=grid)["status"] == "correct"
