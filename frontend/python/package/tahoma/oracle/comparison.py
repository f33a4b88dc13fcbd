# SPDX-License-Identifier: Apache-2.0
"""Outputs of a kernel beside those of a reference."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from tahoma import arguments, dtypes
from tahoma import reference as rules
from tahoma.errors import KernelError


def expected_outputs(reference: Any, values: dict[str, Any]) -> list[Any]:
    """What a reference gives: the arrays themselves, or a function of the arguments, which come as float32."""
    if not callable(reference):
        return list(reference) if isinstance(reference, (tuple, list)) else [reference]
    return rules.outputs(reference, values)


def tolerances(given: Any, kind: str, depth: int) -> tuple[float, float]:
    """(relative, absolute) of an output: as given, or by the rule of the golden checks. Relative to the largest expected element."""
    if given is not None:
        relative, absolute = given if isinstance(given, (tuple, list)) else (given, 0.0)
        return float(relative), float(absolute)
    return rules.tolerance(kind, depth), 0.0


def host_array(value: Any) -> np.ndarray[Any, Any]:
    """An array as float64, whatever library and type it is of."""
    if arguments.is_array(value) and hasattr(value, "detach"):
        value = value.detach().float().cpu().numpy()
    return np.asarray(value).astype(np.float64)


def compared(got: Sequence[Any], kinds: Sequence[str], expected: Sequence[Any], tolerance: Any, depth: int) -> dict[str, Any]:
    """The part of a verdict that is about values. `first_wrong` has the output's number and the flat index of the element."""
    if len(got) != len(expected):
        raise KernelError("E-ORA-003", "", f"the reference gives {len(expected)} outputs, the kernel {len(got)}")
    found: dict[str, Any] = {"elements": 0, "mismatches": 0, "max_abs_error": 0.0, "max_rel_error": 0.0, "tolerance": [], "first_wrong": None}
    for number, (array, kind, wanted) in enumerate(zip(got, kinds, expected)):
        is_, want = host_array(array), host_array(wanted)
        if is_.size != want.size:
            raise KernelError("E-ORA-003", "", f"the reference gives {list(want.shape)} for output {number}, the kernel {list(is_.shape)}")
        want = want.reshape(is_.shape)
        relative, absolute = tolerances(tolerance, kind, depth)
        finite = np.isfinite(want)
        largest = float(np.abs(want[finite]).max()) if finite.any() else 0.0
        with np.errstate(all="ignore"):
            error = np.where((is_ == want) | (np.isnan(is_) & np.isnan(want)), 0.0, np.abs(is_ - want))
        error = np.where(np.isnan(error), np.inf, error)
        wrong = error > absolute + relative * largest
        count = int(wrong.sum())
        worst = float(error.max()) if error.size else 0.0
        found["elements"] += int(error.size)
        found["mismatches"] += count
        found["max_abs_error"] = max(found["max_abs_error"], worst)
        found["max_rel_error"] = max(found["max_rel_error"], worst / largest if largest else worst)
        found["tolerance"].append({"rtol": relative, "atol": absolute})
        if count and found["first_wrong"] is None:
            flat = int(np.argmax(wrong.ravel()))
            index = np.unravel_index(flat, wrong.shape)
            found["first_wrong"] = {"output": number, "index": [int(n) for n in index], "flat": flat, "got": float(is_[index]),
                                    "expected": float(want[index])}
    return found


def kind_of(element: str) -> str:
    """The dtype's name in the rule of tolerances."""
    return {"float32": "fp32", "tfloat32": "tf32", "bfloat16": "bf16", "float16": "fp16", "float8_e4m3": "fp8_e4m3", "float8_e5m2": "fp8_e5m2",
            "float8_e3m4": "fp8_e3m4"}.get(dtypes.name_of(element), element)
