# SPDX-License-Identifier: Apache-2.0
"""A verification as a JSON object: of `tahoma nki --verify`, and of a line that the server reads."""
from __future__ import annotations

import os
import sys
from typing import Any, Mapping

from tahoma import bundle
from tahoma.oracle.verify import EMPTY, error_of, verify
from tahoma.settings import nearest

KEYS = ("id", "op", "kernel", "source", "args", "reference", "tolerance", "machine", "set", "grid", "seed", "previous", "seconds", "memory")


class WrongRequest(ValueError):
    """The request cannot be understood: nothing was run."""


def checked(request: Any) -> dict[str, Any]:
    """The request, if its keys are known and their values have the right types."""
    if not isinstance(request, Mapping):
        raise WrongRequest(f"a request is {type(request).__name__}; expected a JSON object")
    for key in request:
        if key not in KEYS:
            raise WrongRequest(f"no key {key!r}; expected {', '.join(KEYS)}{nearest(str(key), KEYS)}")
    types: dict[str, Any] = {"kernel": str, "source": str, "args": (str, Mapping), "reference": str, "machine": str, "set": list, "grid": int, "seed": int,
                             "previous": Mapping, "seconds": (int, float), "memory": int}
    for key, kind in types.items():
        if request.get(key) is not None and (not isinstance(request[key], kind) or isinstance(request[key], bool)):
            raise WrongRequest(f"{key} is {type(request[key]).__name__}; expected {getattr(kind, '__name__', 'another type')}")
    tolerance = request.get("tolerance")
    pair = tolerance if isinstance(tolerance, list) else [tolerance, 0]
    if tolerance is not None and (len(pair) != 2 or not all(isinstance(n, (int, float)) and n >= 0 for n in pair)):
        raise WrongRequest(f"tolerance={tolerance!r}; expected a number, or [relative, absolute]")
    if not isinstance(request.get("kernel"), str):
        raise WrongRequest("no kernel; expected kernel=\"FILE.py:NAME\", or source with the text of a file and kernel=\"NAME\"")
    return dict(request)


def argument_text(args: Any) -> str:
    """Arguments as `tahoma nki --arg` has them, joined by semicolons."""
    if isinstance(args, Mapping):
        return "; ".join(f"{name}={value}" for name, value in args.items())
    return args or ""


def address_of(name: str, request: Mapping[str, Any], folder: str) -> str:
    """FILE.py:NAME of a name in the source of the request, or as it is given."""
    if request.get("source") is None or ":" in name:
        return name
    return f"{os.path.join(folder, 'kernel.py')}:{name}"


def answered(request: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """The verdict about a request. `folder` is for the source of a request that has one."""
    if request.get("source") is not None:
        with open(os.path.join(folder, "kernel.py"), "w") as file:
            file.write(request["source"])
    seed = request.get("seed") or 1
    try:
        kernel = bundle.loaded(address_of(request["kernel"], request, folder))
        named = bundle.parsed(argument_text(request.get("args")), seed)
        reference = None if not request.get("reference") else bundle.loaded(address_of(request["reference"], request, folder))
        return verify(kernel, named, reference, request.get("tolerance"), request.get("machine"), grid=request.get("grid") or None,
                      set=request.get("set"), previous=request.get("previous"), seed=seed)
    except bundle.Mistake as mistake:
        raise WrongRequest(str(mistake)) from None
    except (Exception, SystemExit) as mistake:  # of the file, when it is loaded, or of the settings
        return {**EMPTY, "kernel": str(request.get("kernel")), "status": "raised", "correct": False, "error": error_of(mistake)}


def used_files(folder: str) -> list[str]:
    """The files that the kernel consists of: modules outside of Python's own folders, of this package and of `folder`."""
    own = (os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), sys.prefix, sys.base_prefix, folder)
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return sorted({os.path.abspath(file) for file in files if file and not os.path.abspath(file).startswith(tuple(part + os.sep for part in own))})
