# SPDX-License-Identifier: Apache-2.0
"""Which of a repository's test items become cases of a kernel: the smallest ones that call it."""
import enum
import inspect
import math
import re
import time

import numpy as np

from tahoma import dtypes

def numbers_in(value, depth=0):
    """All sizes in the parameters of a test item."""
    if isinstance(value, (bool, str, bytes, type, enum.Enum)) or value is None or depth > 4:
        return
    if isinstance(value, (int, np.integer)):
        if value > 1:
            yield int(value)
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            yield from numbers_in(item, depth + 1)
    elif isinstance(value, dict):
        for item in value.values():
            yield from numbers_in(item, depth + 1)
    elif hasattr(value, "__dict__") and not callable(value):
        for item in vars(value).values():
            yield from numbers_in(item, depth + 1)


def guessed_size(item):
    """A measure of an item's size before it is run: the product of its parameters, as a logarithm."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return sum(math.log(n) for n in numbers_in(dict(parameters), 0) if n < 1 << 40)


def array_bytes(value):
    """Bytes on the device of all arrays inside a value."""
    if isinstance(value, np.ndarray):
        try:
            return value.size * dtypes.dtype_of(value.dtype).itemsize
        except TypeError:
            return value.nbytes
    if hasattr(value, "element_size") and hasattr(value, "nelement"):
        return value.nelement() * value.element_size()
    if isinstance(value, dict):
        return sum(array_bytes(v) for v in value.values())
    if isinstance(value, (list, tuple)):
        return sum(array_bytes(v) for v in value)
    if hasattr(value, "__dict__") and not callable(value):
        return sum(array_bytes(v) for v in vars(value).values())
    return 0


def nearness(function, name):
    """How surely a launch of `function` is one of the kernel: 0 the kernel itself, 1 its text names it, 2 neither."""
    function = getattr(function, "kernel", function)
    function = getattr(function, "function", function)
    if getattr(function, "__name__", "") == name:
        return 0
    try:
        return 1 if re.search(rf"\b{re.escape(name)}\b", inspect.getsource(function)) else 2
    except (OSError, TypeError):
        return 2


def group_of(item):
    """The test function of an item, without its parameters."""
    return item.nodeid.split("[", 1)[0]


def grouped(items, hints):
    """Items by test function, smallest guess first; only functions that match the hints if any does."""
    groups = {}
    for item in items:
        groups.setdefault(group_of(item), []).append(item)
    matching = {g: i for g, i in groups.items() if hints & set(re.findall(r"[a-z0-9]+", g.lower()))}
    groups = matching or groups
    for members in groups.values():
        members.sort(key=guessed_size)
    return sorted(groups.values(), key=lambda members: guessed_size(members[0]))


def in_turn(groups, most_of_each):
    """Items in the order in which they are measured: the smallest of each group, then the second smallest, ..."""
    for n in range(most_of_each):
        for members in groups:
            if n < len(members):
                yield members[n]


class Measured:
    """What a dry run of an item showed."""

    def __init__(self, number, message):
        self.number, self.bytes = number, message.get("bytes", 0)
        self.nearness, self.negative = message.get("nearness", 2), message.get("negative", False)
        self.reason = message.get("reason", "")


def chosen(measured, groups_by_number, most, most_bytes):
    """The numbers of the items to run: of the nearest kind, inside the limit of bytes, in turn over the test functions."""
    fit = [m for m in measured if not m.reason and not m.negative]
    if not fit:
        return []
    nearest = min(m.nearness for m in fit)
    fit = sorted((m for m in fit if m.nearness == nearest), key=lambda m: m.bytes)
    small = [m for m in fit if m.bytes <= most_bytes] or fit[:1]
    groups = {}
    for m in small:
        groups.setdefault(groups_by_number[m.number], []).append(m.number)
    numbers = []
    for n in range(max(map(len, groups.values()))):
        numbers += [members[n] for members in groups.values() if n < len(members)]
    return numbers[:most]


class Budget:
    """Time for dry runs."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def over(self):
        return time.monotonic() > self.end
