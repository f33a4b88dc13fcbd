# SPDX-License-Identifier: Apache-2.0
"""The contents of a JSON file, with keys as attributes."""
from __future__ import annotations

from typing import Any, Iterator, Mapping

from tahoma.settings import nearest


class Record(Mapping[str, Any]):
    """A mapping of a JSON file: `record["key"]` and `record.key` are the same. A key that is no name, or that is the name of a
    method of mappings, has brackets only. `record.plain` is the dictionary itself."""

    def __init__(self, plain: Mapping[str, Any], name: str = "") -> None:
        self.plain, self._name = plain, name

    def __getitem__(self, key: str) -> Any:
        return wrapped(self.plain[key], f"{self._name}.{key}" if self._name else key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.plain)

    def __len__(self) -> int:
        return len(self.plain)

    def __getattr__(self, key: str) -> Any:
        plain = self.__dict__.get("plain", {})
        if key in plain:
            return self[key]
        # Python's own look-ups, such as those of copy and pickle, need no advice.
        advice = "" if key.startswith("__") else nearest(key, list(plain))
        raise AttributeError(f"{self.__dict__.get('_name') or 'the record'} has no key {key!r}{advice}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.plain})

    def __repr__(self) -> str:
        return f"Record({dict(self.plain)!r})"


def wrapped(value: Any, name: str) -> Any:
    """Mappings as records, also those in lists."""
    if isinstance(value, Mapping):
        return Record(value, name)
    if isinstance(value, list):
        return [wrapped(each, f"{name}[{n}]") for n, each in enumerate(value)]
    return value
