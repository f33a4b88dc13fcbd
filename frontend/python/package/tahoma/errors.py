# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the package: one class for each exit status of the program, with the codes of the command line."""
from __future__ import annotations

import linecache
import re
import signal
from typing import TYPE_CHECKING, Any, NoReturn

import _tahoma  # type: ignore[import]

if TYPE_CHECKING:
    from tahoma.api.runs import Run


class Error(Exception):
    """Something went wrong. The classes below say whose fault it is; `except tahoma.Error` catches all of them.

    code      a stable code, as the command line prints it: E-CFG-002; "" for an error of Tahoma's own
    place     what the message is about: "file:line:column", an option, an instruction; or ""
    text      what is wrong, and what would be right
    status    the exit status that the command line would have
    findings  what `--check` found, one text each
    run       the finished run that the error is about, where there is one: that of a failed golden check, for example
    """

    status = 2

    def __init__(self, code: str, place: str, text: str) -> None:
        self.code, self.place, self.text = code, place, text
        self.findings: tuple[str, ...] = ()
        self.run: Run | None = None
        super().__init__(self._message())

    def _message(self) -> str:
        named = f"error[{self.code}]: {self.text}" if self.code else self.text
        return f"{self.place}: {named}" if self.place else named

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions of other processes arrive with all of their attributes, but without the folder of a run.
        return type(self), (self.code, self.place, self.text), {"status": self.status, "findings": self.findings}


class CheckFailed(Error):
    """Status 1: a result differs from its golden reference, or a statistic from its golden."""

    status = 1


class ConfigurationError(Error):
    """Status 2: a case, a machine, a parameter or an argument is wrong."""

    status = 2


class MissingLibrary(ConfigurationError, ImportError):
    """A Python library that a call needs, `name`, is not installed."""

    def __init__(self, place: str, name: str, remedy: str) -> None:
        super().__init__("E-PYT-004", place, f"{name} is not installed; expected Debian's {remedy}")
        self.name, self._given = name, (place, name, remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        return MissingLibrary, self._given


class ProgramError(Error):
    """Status 3: the program breaks a limit of the instruction table, or a check of its execution found an error."""

    status = 3


class Deadlock(Error):
    """Status 4: the run makes no progress. The text says which core waits for what."""

    status = 4


class InternalError(Error):
    """Status 5: an invariant of Tahoma failed, or the program crashed. Please report it."""

    status = 5


class HostError(Error):
    """Status 6: the host ran out of memory, space or another resource, or killed the program."""

    status = 6


class KernelError(ProgramError, ValueError):
    """A kernel breaks a rule of NKI or of the hardware.

    code   a stable code, E-NKI-nnn or E-ISA-nnn (frontend/nki/nki_errors.md)
    place  "file:line" of the kernel, or "" outside of any
    text   what was given and what is allowed
    """

    def _message(self) -> str:
        return super()._message() + quoted(self.place)


def quoted(place: str) -> str:
    """The source line at "file:line", on a line of its own; "" if it cannot be read."""
    file, _, line = place.rpartition(":")
    text = linecache.getline(file, int(line)).strip() if line.isdigit() else ""
    return f"\n    {text}" if text else ""


class Refused(KernelError):
    """A name of NKI that this package has but does not support, with the reason."""


CLASSES: dict[int, type[Error]] = {each.status: each for each in
                                   (CheckFailed, ConfigurationError, ProgramError, Deadlock, InternalError, HostError)}

# The last line of the program: "tahoma: PLACE: error[CODE]: TEXT"; the text may go on.
_FAILURE = re.compile(r"^tahoma: (?:(?P<place>[^\n]*?): )?error\[(?P<code>[\w-]+)\]: (?P<text>.*)\Z", re.DOTALL | re.MULTILINE)

# A finding of `--check`, printed before that line.
_FINDING = re.compile(r"E-[A-Z]{3}-\d{3} ")


def failure_of(status: int, text: str) -> Error:
    """The exception for a program that ended with `status` and wrote `text` to standard error. A negative status is the
    number of the signal that ended it."""
    if status < 0:
        name = signal.Signals(-status).name
        if -status == signal.SIGKILL:
            return HostError("", "", f"the program was killed ({name}), for example because the host has no memory left")
        return InternalError("", "", f"the program was ended by {name}\n{text}".rstrip())
    kind = CLASSES.get(status, InternalError)
    found = _FAILURE.search(text)
    if found is None:
        last = text.strip().removeprefix("tahoma: ") or f"the program ended with status {status}"
        return kind("", "", last)
    error = kind(found["code"], found["place"] or "", found["text"].rstrip())
    error.findings = tuple(line for line in text[:found.start()].splitlines() if _FINDING.match(line))
    return error


def _raise(code: str, place: str, text: str) -> NoReturn:
    from tahoma import launch

    raise KernelError(code, place or launch.current_place(), text)


_tahoma.set_raiser(_raise)


def refuse(code: str, text: str) -> NoReturn:
    _raise(code, "", text)


def ended_program(end: SystemExit) -> str:
    """What is wrong with a kernel that calls sys.exit()."""
    return f"the kernel or its file ended the program: sys.exit({'' if end.code is None else repr(end.code)}); expected that it returns"
