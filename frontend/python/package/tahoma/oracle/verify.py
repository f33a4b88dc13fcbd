# SPDX-License-Identifier: Apache-2.0
"""tahoma.verify: a kernel is run once; the verdict says whether it is correct, how long it takes, and why."""
from __future__ import annotations

import contextlib
import copy
import dataclasses
import inspect
import traceback
import warnings
from typing import Any, Iterator, Mapping, Sequence

from tahoma import arguments, launch
from tahoma.errors import Error, KernelError, ended_program
from tahoma.kernel import Kernel, Launch
from tahoma.oracle import changes, comparison, losses
from tahoma.program_bundle import checked_outputs
from tahoma.settings import configure, settings

SCHEMA_VERSION = 1
# The keys of a verdict. All are always there; those that a status does not have are null or empty.
EMPTY: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION, "kernel": "", "machine": "", "status": "", "correct": None, "error": None, "first_wrong": None, "elements": 0,
    "mismatches": 0, "max_abs_error": None, "max_rel_error": None, "tolerance": [], "time_us": None, "instructions": None, "bound": None,
    "share_of_peak": None, "losses": [], "path": [], "engines": {}, "hbm": None, "peaks": None, "findings": [], "warnings": [], "program": "",
    "changes": None,
}


def verify(kernel: Any, args: Any = (), reference: Any = None, tolerance: Any = None, machine: str | None = None, *, grid: Any = None,
           set: Sequence[str] | None = None, previous: Mapping[str, Any] | None = None, seed: int | None = None) -> dict[str, Any]:
    """The verdict about a kernel, as a dictionary that JSON can hold. It is the same for the same input.

    kernel     a kernel or kernel[grid]; a plain function is taken as one under nki.jit
    args       its arguments, as a tuple or a dictionary; arrays are not changed
    reference  the expected outputs as arrays, or a function of the same arguments that returns them
    tolerance  relative to the largest expected element, or a pair (relative, absolute); without it, by dtype and length of sums
    machine    preset or file of a machine; set: its parameters, as PATH=VALUE
    previous   an earlier verdict, to be compared with

    status is "correct", "wrong", "unchecked" (no reference), "findings" (of the checks), "refused" (a rule of NKI or of the machine), "raised"
    (an exception of the kernel or of the reference) or "failed" (the run). examples/agents/README.md describes every key.
    """
    with _settings(machine, set, seed) as used:
        verdict = {**copy.deepcopy(EMPTY), "machine": used.machine, "kernel": getattr(kernel, "__name__", repr(kernel))}
        try:
            _fill(verdict, kernel, args, reference, tolerance, grid)
        except (Exception, SystemExit) as mistake:
            verdict.update(_ended_by(mistake), error=error_of(mistake))
    if previous is not None:
        verdict["changes"] = changes.changes(previous, verdict)
    return verdict


@contextlib.contextmanager
def _settings(machine: str | None, set: Sequence[str] | None, seed: int | None) -> Iterator[Any]:
    """The settings of a verification, which leaves those in force as they were."""
    before = dataclasses.asdict(settings())
    wanted: dict[str, Any] = {"mode": "functional", "check": "races,uninitialised", "out": "", "report": False, "trace": False}
    wanted.update({name: value for name, value in (("machine", machine), ("set", set), ("seed", seed)) if value is not None})
    try:
        yield configure(**wanted)
    finally:
        configure(**before)


def _fill(verdict: dict[str, Any], kernel: Any, args: Any, reference: Any, tolerance: Any, grid: Any) -> None:
    kernel = getattr(kernel, "launched", kernel)
    launched = kernel if isinstance(kernel, Launch) else Launch(kernel if isinstance(kernel, Kernel) else Kernel(kernel), ())
    if grid:
        launched = launched.kernel[grid]
        launched = launched if isinstance(launched, Launch) else Launch(launched, ())  # old kernels keep their grid themselves
    function = inspect.unwrap(launched.kernel.function)
    named = dict(args) if isinstance(args, Mapping) else dict(inspect.signature(function).bind(*args).arguments)
    if isinstance(args, Mapping):
        inspect.signature(function).bind(**named)
    expected = None if reference is None else comparison.expected_outputs(reference, copied(named))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call = launch.Call(launched.kernel, launched.grid, (), copied(named))
        prepared = launch.Prepared([call])
        result, values = prepared.outcome()
        verdict.update(_times(result, prepared.bundle))
        outputs, views = _outputs(prepared.bundle, values)
    if expected is not None:
        kinds = [comparison.kind_of(element) for _, element in views]
        depth = max([a["shape"][-1] for lowered in prepared.bundle.lowered for a in lowered["arguments"]] + [1])
        verdict.update(comparison.compared(outputs, kinds, expected, tolerance, depth))
        _name_writer(verdict["first_wrong"], prepared.bundle, views)
    wrong = verdict["mismatches"] > 0
    verdict["status"] = "findings" if result.findings else "wrong" if wrong else "unchecked" if expected is None else "correct"
    verdict["correct"] = False if result.findings or wrong else None if expected is None else True


def copied(value: Any) -> Any:
    """Arguments with arrays of their own: kernels and references may write to them."""
    return arguments.converted(value, lambda array: array.clone() if hasattr(array, "detach") else array.copy())


def _times(result: Any, ran: Any) -> dict[str, Any]:
    summary = result.summary
    return {
        "time_us": result.time_us, "instructions": result.instructions, "bound": losses.bound(summary), "losses": losses.largest_losses(summary),
        "path": losses.path_rows(summary), "engines": losses.engine_shares(summary), "findings": result.findings, "warnings": result.warnings,
        "share_of_peak": {"flops_percent": summary["mfu_estimated_percent"], "hbm_percent": summary["mbu_estimated_percent"]},
        "hbm": {"read_bytes": summary["hbm_read_bytes"], "write_bytes": summary["hbm_write_bytes"]}, "peaks": _peaks(ran),
        "program": summary["programs_hash"],
    }


def _peaks(ran: Any) -> dict[str, int]:
    """The highest byte of an SBUF partition that a core uses, and the highest number of PSUM banks."""
    ends = {memory: max([byte + size for lowered in ran.lowered for _, kind, _, byte, _, size, _ in lowered["tensors"] if kind == memory] + [0])
            for memory in ("sbuf", "psum")}
    return {"sbuf_partition_bytes": ends["sbuf"], "psum_banks": -(-ends["psum"] // 2048)}


def _outputs(ran: Any, values: Any) -> tuple[list[Any], list[tuple[Any, str]]]:
    """The arrays that the kernel returns, or that it wrote in place, and the view and element type of each."""
    returned = ran.returned(0, values)
    if returned is not None:
        views = checked_outputs(ran.programs[0].returned, ran.calls[0].kernel)
        arrays = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        return arrays, [(view, view.dtype.name) for view in views]
    tensors = sorted(ran.in_place[0])
    inputs = ran.programs[0].inputs
    return ([ran.in_place[0][tensor] for tensor in tensors],
            [(inputs[ran.tensors[tensor]["storage"]], ran.tensors[tensor]["argument"]["element"]) for tensor in tensors])


def _name_writer(first: Any, ran: Any, views: Sequence[tuple[Any, str]]) -> None:
    """Adds the line that wrote the first wrong element."""
    if first is None:
        return
    view, _ = views[first["output"]]
    byte = first.pop("flat") * view.itemsize
    places = (program.tracer.writer_of(view, byte) for program in ran.programs[: ran.cores])
    first["written_by"] = next((place for place in places if place), "")


def _ended_by(mistake: BaseException) -> dict[str, Any]:
    if isinstance(mistake, KernelError):
        return {"status": "refused" if mistake.status == 3 else "failed", "correct": False}
    if isinstance(mistake, (Error, OSError)):
        return {"status": "failed", "correct": None}
    return {"status": "raised", "correct": False}  # by the kernel's or the reference's own code


def error_of(mistake: BaseException) -> dict[str, str]:
    """The key `error` of a verdict."""
    if isinstance(mistake, Error):
        return {"code": mistake.code, "place": mistake.place or _place(mistake), "text": mistake.text}
    text = ended_program(mistake) if isinstance(mistake, SystemExit) else f"{type(mistake).__name__}: {mistake}"
    return {"code": "", "place": _place(mistake), "text": text}


def _place(mistake: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(mistake.__traceback__) if not frame.filename.startswith((launch.PACKAGE, "<"))]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
