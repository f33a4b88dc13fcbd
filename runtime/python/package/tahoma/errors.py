# SPDX-License-Identifier: Apache-2.0
"""The exception for a kernel that is wrong: code, place and text, with the line of the kernel quoted."""
import linecache

import _tahoma


class KernelError(ValueError):
    """A kernel breaks a rule of NKI or of the hardware.

    code   a stable code, E-NKI-nnn or E-ISA-nnn (runtime/nki/nki_errors.md)
    place  "file:line" of the kernel, or "" outside of any
    text   what was given and what is allowed
    """

    def __init__(self, code, place, text):
        self.code, self.place, self.text = code, place, text
        super().__init__(f"{place}: error[{code}]: {text}{quoted(place)}" if place else f"error[{code}]: {text}")


def quoted(place):
    """The source line at "file:line", on a line of its own; "" if it cannot be read."""
    file, _, line = place.rpartition(":")
    text = linecache.getline(file, int(line)).strip() if line.isdigit() else ""
    return f"\n    {text}" if text else ""


class Refused(KernelError):
    """A name of NKI that this package has but does not support, with the reason."""


def _raise(code, place, text):
    from tahoma import launch

    raise KernelError(code, place or launch.current_place(), text)


_tahoma.set_raiser(_raise)


def refuse(code, text):
    _raise(code, "", text)
