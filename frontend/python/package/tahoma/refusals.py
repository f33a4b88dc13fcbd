# SPDX-License-Identifier: Apache-2.0
"""Names of NKI that exist and refuse with their reason when a kernel calls them."""
import difflib

from tahoma.errors import refuse
from tahoma.settings import settings


class Refusing:
    """A function that this package has a reason not to support. Kernels may hold it; they may not call it."""

    def __init__(self, module, name, reason):
        self.module, self.name, self.reason = module, name, reason
        self.__name__ = name

    def __repr__(self):
        return f"{self.module}.{self.name}"

    def __call__(self, *arguments, **options):
        refuse("E-NKI-031", f"{self.module}.{self.name}: {self.reason}")


def need_trainium3(what):
    """Refuses a name of Trainium3 on another machine."""
    from tahoma.launch import machine  # not at import: the package reads this module while it is loaded

    if machine().core_version < 4:
        refuse("E-NKI-031", f"{what}: of Trainium3, while the machine is {settings().machine}; "
                            "tahoma.configure(machine='trainium3_chip') has it")


def refusing(module, reasons):
    """A module's __getattr__ for such names; others are misspelt."""

    def lookup(name):
        if name in reasons:
            return Refusing(module, name, reasons[name])
        near = difflib.get_close_matches(name, list(reasons), 1)
        raise AttributeError(f"module {module!r} has no attribute {name!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))

    return lookup
