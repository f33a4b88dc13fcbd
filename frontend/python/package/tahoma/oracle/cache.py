# SPDX-License-Identifier: Apache-2.0
"""Verdicts by what they depend on: the request, and the contents of the files that the kernel consists of."""
from __future__ import annotations

import collections
import hashlib
import json
import re
from typing import Any, Mapping

MOST_ENTRIES = 1000
_DEPENDS_NOT = ("id", "seconds", "memory")  # keys of a request on which the verdict does not depend


def digest(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def named_files(request: Mapping[str, Any]) -> list[str]:
    """The files that a request names itself."""
    texts = [str(request.get("kernel")), str(request.get("reference")), json.dumps(request.get("args"))]
    return [path for text in texts for path in re.findall(r"[^\s\"';=]+\.(?:py|npy|npz)", text)]


class Cache:
    """The latest verdicts. An entry holds as long as its files have the contents that they had."""

    def __init__(self) -> None:
        self._entries: collections.OrderedDict[str, tuple[dict[str, str | None], Any]] = collections.OrderedDict()

    def key(self, request: Mapping[str, Any]) -> str:
        return json.dumps({name: value for name, value in request.items() if name not in _DEPENDS_NOT}, sort_keys=True)

    def get(self, request: Mapping[str, Any]) -> Any:
        files, verdict = self._entries.get(self.key(request), ({}, None))
        if verdict is None or any(digest(path) != known for path, known in files.items()):
            return None
        self._entries.move_to_end(self.key(request))
        return verdict

    def put(self, request: Mapping[str, Any], files: Mapping[str, str | None], verdict: Any) -> None:
        self._entries[self.key(request)] = (dict(files), verdict)
        while len(self._entries) > MOST_ENTRIES:
            self._entries.popitem(last=False)
