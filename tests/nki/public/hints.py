# SPDX-License-Identifier: Apache-2.0
"""Words of the list's remark on a kernel that select among its tests."""
import re

_WORDS = {"context": "cte", "token": "tkg"}  # of the list's remarks, as the repository abbreviates them in names
_NOISE = {"path", "py", "the", "all", "and", "of", "kernel"}


def hints_of(remark, name):
    """Words of the list's remark on a kernel that may stand in the names of its tests: "(context path)" gives cte."""
    words = re.findall(r"[a-z0-9]+", remark.lower())
    return {_WORDS.get(word, word) for word in words} - _NOISE - set(name.lower().split("_"))
