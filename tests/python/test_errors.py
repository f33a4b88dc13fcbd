# SPDX-License-Identifier: Apache-2.0
"""Every way in which the program ends is an exception of its class, with the code, the place and the text of the command line."""
import copy
import json
import pathlib
import pickle
import re

import pytest

import tahoma
from tahoma import errors

from conftest import command, refused

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOAD = "  dma_copy shape=64x512 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1\n"
STORE = "  dma_copy shape=64x512 dst=out:fp32 src=sbuf[0, 0x0]:fp32 {} update=s1+=1\n  sem_wait wait=s1>=16\n"
PROGRAM = ".program copy\n.args in out\nsync:\n" + LOAD + STORE

KERNEL = '''
import nki, nki.isa as nisa, nki.language as nl

@nki.jit
def doubled(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nisa.tensor_scalar(tile, tile, nl.multiply, 2.0)
    nl.store(out, tile)
    return out

def tripled(x):
    return 3 * x
'''


def copying(wait, **more):
    """A program that copies a tensor; `wait` orders its store after its load."""
    pathlib.Path("copy.tasm").write_text(PROGRAM.format(wait))
    return {"kind": "program", "machine": "trainium2_one_chip", **more,
            "workload": {"file": "copy.tasm", "cores": 1, "tensors": "in fp32 64x512 seed; out fp32 64x512 zero"}}


def impostor(monkeypatch, text):
    """A program in the place of `tahoma` that ends as the text says."""
    file = pathlib.Path("impostor")
    file.write_text("#!/bin/sh\n" + text)
    file.chmod(0o755)
    monkeypatch.setenv("TAHOMA_PROGRAM", str(file.absolute()))


def test_there_is_a_class_for_each_exit_status():
    text = (ROOT / "model/base/error.h").read_text()
    listed = {int(number) for number in re.findall(r"\bk\w+ = (\d+)", text[text.index("enum class ExitStatus"):text.index("class UserError")])}
    assert set(errors.CLASSES) == listed - {0}
    assert all(issubclass(kind, tahoma.Error) and kind.status == status for status, kind in errors.CLASSES.items())


def test_an_error_has_the_code_the_place_and_the_text_of_the_command_line(small):
    pathlib.Path("case.yaml").write_text(json.dumps(small))
    _, printed = command("run", "case.yaml", "--set", "workload.mm=3", status=2)
    error = refused(tahoma.ConfigurationError, "E-CFG-002", tahoma.run, "case.yaml", workload__mm=3)
    assert printed == f"tahoma: {error.place}: error[{error.code}]: {error.text}\n" == f"tahoma: {error}\n"
    assert error.place == "--set workload.mm=3" and "did you mean 'workload.m'?" in error.text


def test_a_wrong_value_in_a_mapping_has_its_place(small):
    small["workload"]["m"] = "many"
    error = refused(tahoma.ConfigurationError, "E-CFG-004", tahoma.run, small)
    assert error.place == "workload.m"
    del small["workload"]["m"], small["kind"]
    assert refused(tahoma.ConfigurationError, "E-CFG-022", tahoma.run, small).place == "case"


def test_an_option_that_is_unknown_names_the_nearest(small):
    assert "did you mean '--save-outputs'?" in refused(tahoma.ConfigurationError, "E-CLI-002", tahoma.run, small, save_output=True).text


def test_a_failed_golden_check_has_its_run():
    pathlib.Path("kernel.py").write_text(KERNEL)
    case = {"kind": "nki", "machine": "trainium2_one_chip",
            "workload": {"kernel": "kernel.py:doubled", "args": "x=randn(128, 64)", "reference": "kernel.py:tripled"}}
    error = refused(tahoma.CheckFailed, "E-RUN-070", tahoma.run, case)
    assert error.run.golden.outcome == "failed" and error.run.golden.mismatches > 0
    assert refused(tahoma.CheckFailed, "E-RUN-072", tahoma.run, {**case, "mode": "timing"}, require_golden=True).run.time_ns > 0


def test_a_program_without_its_wait_is_found_with_its_run():
    assert tahoma.run(copying("wait=s0>=16"), check="races,uninitialised").checks.races.found == 0
    error = refused(tahoma.ProgramError, "E-RUN-071", tahoma.run, copying(""), check=["races", "uninitialised"], out="out")
    assert [text.split()[0] for text in error.findings] == ["E-CHK-001"] and "copy.tasm:5" in error.findings[0]
    assert error.run.path == pathlib.Path("out") and error.run.checks.races.found == len(error.run.checks.first) > 0


def test_a_program_that_breaks_a_limit():
    error = refused(tahoma.ProgramError, "E-ASM-003", tahoma.run, copying("wait=s0>=16 nonsense=3"))
    assert error.place.startswith("copy.tasm:5:") and "nonsense" in error.text and error.run is None


def test_a_program_that_waits_for_nothing_is_a_deadlock():
    error = refused(tahoma.Deadlock, "E-RUN-051", tahoma.run, copying("wait=s9>=16"))
    assert "semaphore 9" in error.text and error.run is None
    _, printed = command("run", "-", given=json.dumps(copying("wait=s9>=16")), status=4)
    assert printed == f"tahoma: {error}\n"


def test_an_invariant_and_a_crash_are_internal(monkeypatch, small):
    impostor(monkeypatch, "echo 'tahoma: invariant x > 0 failed' >&2; exit 5")
    with pytest.raises(tahoma.InternalError, match="^invariant x > 0 failed$") as caught:
        tahoma.run(small)
    assert (caught.value.status, caught.value.code) == (5, "")
    impostor(monkeypatch, "kill -SEGV $$")
    with pytest.raises(tahoma.InternalError, match="SIGSEGV"):
        tahoma.run(small)


def test_a_host_without_memory(monkeypatch, small):
    impostor(monkeypatch, "echo 'tahoma: error[E-HOST-001]: the host has no memory left' >&2; exit 6")
    assert refused(tahoma.HostError, "E-HOST-001", tahoma.run, small).place == ""
    impostor(monkeypatch, "kill -KILL $$")
    with pytest.raises(tahoma.HostError, match="SIGKILL"):
        tahoma.run(small)


def test_a_run_that_fails_leaves_nothing(small):
    refused(tahoma.ConfigurationError, "E-CFG-002", tahoma.run, small, out="new/out", workload__mm=3)
    assert not list(pathlib.Path().iterdir())


def test_an_output_folder_of_somebody_else_is_kept(small):
    pathlib.Path("mine").mkdir()
    pathlib.Path("mine/notes.txt").write_text("notes")
    refused(tahoma.ConfigurationError, "E-OUT-002", tahoma.run, small, out="mine")
    assert pathlib.Path("mine/notes.txt").read_text() == "notes"


def test_arguments_that_only_python_has(small):
    refused(tahoma.ConfigurationError, "E-PYT-001", tahoma.run, small, set={"workload.m": 1}, workload__m=1)
    for wrong in (None, object(), float("nan"), {"m": None}, [float("inf")]):
        refused(tahoma.ConfigurationError, "E-PYT-002", tahoma.run, small, workload__m=wrong)
    refused(tahoma.ConfigurationError, "E-PYT-002", tahoma.run, {**small, "seed": None})
    assert "did you mean 'gemm/chip'?" in refused(tahoma.ConfigurationError, "E-PYT-003", tahoma.run, "gemm/chips").text
    with pytest.raises(TypeError):
        tahoma.run(3)


def test_names_that_a_run_does_not_have(small):
    refused(tahoma.ConfigurationError, "E-PYT-005", tahoma.Run, "none")
    run = tahoma.run(small, no_report=True)
    assert "did you mean 'links'?" in refused(tahoma.ConfigurationError, "E-PYT-006", run.table, "link").text
    assert "did you mean 'engines'?" in refused(tahoma.ConfigurationError, "E-PYT-006", run.series, "engine").text
    refused(tahoma.ConfigurationError, "E-PYT-006", run.series, "engines")  # needs the report
    refused(tahoma.ConfigurationError, "E-PYT-007", run.open)
    with pytest.raises(KeyError, match="did you mean 'axis'"):
        run.links["axes"]


def test_errors_survive_copies_and_processes(small):
    error = refused(tahoma.ConfigurationError, "E-CFG-002", tahoma.run, small, workload__mm=3)
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error) and str(other) == str(error)
        assert (other.code, other.place, other.text, other.status) == (error.code, error.place, error.text, error.status)


def test_errors_of_kernels_are_of_the_same_family():
    error = tahoma.KernelError("E-NKI-001", "", "wrong")
    assert isinstance(error, tahoma.ProgramError) and isinstance(error, ValueError) and error.status == 3


def test_a_text_with_several_lines_is_kept():
    error = errors.failure_of(3, "folding: none\nE-CHK-001 race: first\ntahoma: a.tasm:3:1: error[E-ASM-001]: wrong\n  the line\n   ^\n")
    assert (error.code, error.place, error.text) == ("E-ASM-001", "a.tasm:3:1", "wrong\n  the line\n   ^")
    assert error.findings == ("E-CHK-001 race: first",)
    assert isinstance(errors.failure_of(77, ""), tahoma.InternalError)
