# SPDX-License-Identifier: Apache-2.0
"""Settings of calls, in one place. Each has an environment variable TAHOMA_NAME that gives its default."""
from __future__ import annotations

import dataclasses
import difflib
import os
from typing import TYPE_CHECKING, Any, Sequence

import _tahoma  # type: ignore[import]

from tahoma.environment import vendor_settings

# The policies that decide what a kernel leaves open (frontend/nki/lower/policies.h): {name: (sentence, legal values, the default first)}.
POLICIES: dict[str, tuple[str, tuple[str, ...]]] = _tahoma.POLICIES


@dataclasses.dataclass
class Fixed:
    """The settings beside the policies."""

    machine: str = "trainium2_chip"  # preset or YAML file of the machine
    set: tuple[str, ...] = ()  # values of the machine: "machine.chip.core.tensor.clock=2.8GHz"
    mode: str = "functional"  # or "timing": no values, the same times
    check: str = "races,uninitialised"  # what is watched while a kernel runs; "" for nothing
    out: str = "tahoma_out"  # folder for the reports of the calls, one folder each; "": none are kept
    report: bool = True  # write the page and the tables of each call
    trace: bool = False  # write a timeline for Perfetto
    most_instructions: int = 20_000_000  # a kernel that records more is stopped
    seed: int = 1


if TYPE_CHECKING:  # the policies come from the program
    Settings = Fixed
else:
    Settings = dataclasses.make_dataclass("Settings", [(name, str, legal[0]) for name, (_, legal) in POLICIES.items()], bases=(Fixed,))


def from_environment() -> Settings:
    values: dict[str, Any] = vendor_settings()
    for field in dataclasses.fields(Settings):
        text = os.environ.get("TAHOMA_" + field.name.upper())
        if text is None:
            continue
        if field.type in (bool, "bool"):
            values[field.name] = text.lower() not in ("", "0", "no", "false")
        elif field.type in (int, "int"):
            values[field.name] = int(text)
        elif field.name == "set":
            values[field.name] = tuple(part for part in text.split(";") if part)
        else:
            values[field.name] = text
    return checked(Settings(**values))


CHOICES = {"mode": ("functional", "timing")} | {name: legal for name, (_, legal) in POLICIES.items()}


def checked(settings: Settings) -> Settings:
    for name, legal in CHOICES.items():
        value = getattr(settings, name)
        if value not in legal:
            raise ValueError(f"tahoma: {name} = {value!r}; expected {', '.join(legal)}{nearest(str(value), legal)}")
    return settings


def nearest(name: str, legal: Sequence[str]) -> str:
    """" (did you mean 'x'?)", or "" if no legal name is near."""
    found = difflib.get_close_matches(name, legal, 1)
    return f" (did you mean {found[0]!r}?)" if found else ""


_current: Settings | None = None


def settings() -> Settings:
    """The settings in force."""
    global _current
    if _current is None:
        _current = from_environment()
    return _current


def policies() -> dict[str, str]:
    """The policies in force."""
    return {name: getattr(settings(), name) for name in POLICIES}


def configure(**values: Any) -> Settings:
    """Changes settings for the calls that follow. Returns the settings in force."""
    global _current
    names = [field.name for field in dataclasses.fields(Settings)]
    for name in values:
        if name not in names:
            raise ValueError(f"tahoma.configure: no setting {name!r}; expected {', '.join(names)}{nearest(name, names)}")
    if isinstance(values.get("set"), str):
        values["set"] = (values["set"],)
    _current = checked(dataclasses.replace(settings(), **values))
    return _current
