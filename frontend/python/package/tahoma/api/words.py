# SPDX-License-Identifier: Apache-2.0
"""Arguments of Python as words of the command line.

    workload__m=512                 --set workload.m=512        a keyword with a double underscore is a parameter
    set={"workload.m": 512}         --set workload.m=512        the same for any path
    trace_from="10 us"              --trace-from '10 us'        another keyword is an option
    no_golden=True                  --no-golden                 False and None omit an option
    page_cores=[0, 3]               --page-cores 0,3
"""
from __future__ import annotations

import json
import os
from typing import Any, Iterable, Mapping, Sequence

from tahoma.errors import ConfigurationError

Words = list[str]


def set_words(given: Mapping[str, object] | None, keywords: Mapping[str, object]) -> Words:
    """--set for each parameter of a mapping by path, and of keywords in which a double underscore stands for the dot."""
    named = {name.replace("__", "."): value for name, value in keywords.items() if "__" in name}
    words: Words = []
    for path, value in {**(given or {}), **named}.items():
        if path in named and given is not None and path in given:
            raise ConfigurationError("E-PYT-001", path, "the parameter is given by set= and as a keyword; expected one of them")
        words += ["--set", f"{path}={value_text(path, value)}"]
    return words


def option_words(keywords: Mapping[str, object]) -> Words:
    """The options of keywords without a double underscore. The program refuses those that it does not know."""
    words: Words = []
    for name, value in keywords.items():
        if "__" in name or value is None or value is False:
            continue
        option = "--" + name.rstrip("_").replace("_", "-")
        words += [option] if value is True else [f"{option}={option_text(name, value)}"]
    return words


def option_text(name: str, value: object) -> str:
    """One value, or several joined by commas."""
    if isinstance(value, Iterable) and not isinstance(value, (str, Mapping)) and not hasattr(value, "__fspath__"):
        return ",".join(value_text(name, each) for each in value)
    return value_text(name, value)


def value_text(path: str, value: object) -> str:
    """A value as text of --set, which is YAML: numbers, texts, switches, lists, mappings, and NumPy's numbers."""
    value = plain(path, value)
    if isinstance(value, str):
        return value
    return json.dumps(value, allow_nan=False)


def plain(path: str, value: object) -> Any:
    """The value as JSON has it. E-PYT-002 if there is no such value."""
    if isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return float(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(key): plain(f"{path}.{key}", each) for key, each in value.items()}
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return plain(path, value.tolist())
    if isinstance(value, Sequence):
        return [plain(f"{path}[{n}]", each) for n, each in enumerate(value)]
    raise ConfigurationError("E-PYT-002", path, f"expected a number, a text, a switch, a list or a mapping, got {value!r}")
