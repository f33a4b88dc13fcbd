# SPDX-License-Identifier: Apache-2.0
"""The cases that Tahoma ships, by name: those of the checkout, or those of the installation."""
from __future__ import annotations

import os
import pathlib
import re

from tahoma.errors import ConfigurationError
from tahoma.settings import nearest

# The checkout is three folders above the package, and so is the prefix of an installation.
ROOT = pathlib.Path(__file__).resolve().parents[5]
_CASE = re.compile(r"^(kind|extends):", re.MULTILINE)
_SWEEP = re.compile(r"^sweep:", re.MULTILINE)


def shipped_folder() -> pathlib.Path | None:
    """The folder of the shipped cases, if there is one."""
    for folder in (ROOT / "share/tahoma/workloads", ROOT / "workloads"):
        if folder.is_dir():
            return folder
    return None


def shipped(kind: re.Pattern[str]) -> dict[str, pathlib.Path]:
    """The shipped files of a kind, by name: the path below the folder without its suffix."""
    folder = shipped_folder()
    if folder is None:
        return {}
    return {file.relative_to(folder).with_suffix("").as_posix(): file for file in sorted(folder.rglob("*.yaml"))
            if kind.search(file.read_text(encoding="utf-8"))}


def cases() -> list[str]:
    """The names of the shipped cases, which `tahoma.run` takes: "gemm/chip", "transformer/llama31_8b_prefill" and others."""
    return list(shipped(_CASE))


def sweeps() -> list[str]:
    """The names of the shipped sweeps, which `tahoma.sweep` takes."""
    return list(shipped(_SWEEP))


def find_case(name: str | os.PathLike[str]) -> str:
    """The path of a case: an existing file, with or without its suffix, or a shipped case. E-PYT-003 if there is none."""
    return find(name, _CASE, "case", "tahoma.cases()")


def find_sweep(name: str | os.PathLike[str]) -> str:
    """The path of a sweep file, in the same way."""
    return find(name, _SWEEP, "sweep", "tahoma.sweeps()")


def find(name: str | os.PathLike[str], kind: re.Pattern[str], noun: str, listed_by: str) -> str:
    given = os.fspath(name)
    for path in (given, given + ".yaml"):
        if os.path.exists(path) and not os.path.isdir(path):
            return path
    known = shipped(kind)
    found = known.get(given.removesuffix(".yaml"))
    if found is None:
        raise ConfigurationError("E-PYT-003", given, f"no file and no shipped {noun} has this name; {listed_by} lists the shipped ones"
                                                     f"{nearest(given, list(known))}")
    return str(found)
