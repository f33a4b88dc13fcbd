# SPDX-License-Identifier: Apache-2.0
"""Kernel.with_schedule: dependencies between instructions by the names that the kernel gives them."""
from tahoma.errors import refuse
from tahoma.settings import nearest


def _named(name, active):
    found = active.named.get(name, [])
    if len(found) > 1:
        refuse("E-NKI-013", f"with_schedule: {len(found)} instructions have the name {name!r}; expected one")
    if not found:
        known = ", ".join(active.named) or "a name that an instruction has by name="
        refuse("E-NKI-013", f"with_schedule: no instruction has the name {name!r}; expected {known}{nearest(name, list(active.named))}")
    return found[0]


def apply(schedule, active):
    """Adds the dependencies to the trace."""
    for consumer, producers, *_ in schedule:
        names = [producers] if isinstance(producers, str) else producers
        _named(consumer, active).depends_on(*(_named(name, active) for name in names))
