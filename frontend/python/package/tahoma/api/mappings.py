# SPDX-License-Identifier: Apache-2.0
"""Mappings in the place of files: the text that the program reads, and the keys that its errors are about."""
from __future__ import annotations

import json
import re
from typing import Any, Mapping

from tahoma.api.words import plain
from tahoma.program import Ended

STANDARD_INPUT = "standard input"  # in errors, of the file "-"


def json_text(name: str, mapping: Mapping[str, Any]) -> str:
    """A mapping as the text of a file; JSON is YAML. One value a line, so that the line of an error says which."""
    return json.dumps(plain(name, mapping), indent=1, allow_nan=False)


def keys_of_lines(text: str) -> list[str]:
    """The key of each line of such a text, from the outermost one: workload.shard.m, axes[1]."""
    keys: list[str] = []
    groups: list[tuple[str, int]] = []  # the path of each open group, and the next number if it is a list, or -1
    for line in text.splitlines():
        content = line.strip()
        if content[:1] in "]}":
            keys.append(groups.pop()[0])
            continue
        path, number = groups[-1] if groups else ("", -1)
        named = re.match(r'"((?:[^"\\]|\\.)*)": ', content)
        if number >= 0:
            key = f"{path}[{number}]"
            groups[-1] = (path, number + 1)
        elif named:
            name = json.loads(f'"{named[1]}"')
            key = f"{path}.{name}" if path else name
        else:
            key = path
        keys.append(key)
        opened = content[-1:]
        if opened in ("[", "{"):
            groups.append((key, 0 if opened == "[" else -1))
    return keys


def at_keys(ended: Ended, text: str, name: str, file: str = STANDARD_INPUT) -> Ended:
    """The end of the program with the keys of a mapping, whose text was `file`, in the place of lines and columns: nobody sees these.
    What is about the whole mapping is at its `name`."""
    keys = keys_of_lines(text)

    def key_at(match: re.Match[str]) -> str:
        line = int(match[1]) if match[1] else 0
        return (keys[line - 1] if 0 < line <= len(keys) else "") or name

    return ended._replace(err=re.sub(re.escape(file) + r"(?::(\d+):\d+|:(\d+))?", key_at, ended.err))
