# SPDX-License-Identifier: Apache-2.0
"""The rule of error messages: they name what the user wrote, where the user wrote it. A command that generates cases, such as
`tahoma model`, tells the errors of these cases in the words of its own options and files."""

import json
import pathlib
import re

ERROR = re.compile(r"^tahoma: (?:(?P<place>[^\n]*?): )?error\[(?P<code>E-[A-Z]+-\d+)\]: (?P<text>.*)\Z", re.DOTALL | re.MULTILINE)
# Commands whose users write no cases: their vocabulary has no path of a workload, but for --set.
GENERATE = {"model", "serve", "cluster", "chakra"}
GENERATED = re.compile(r"/cases/|\.partial-|/executed/|\.tmp\b")
WORKLOAD = re.compile(r"(?<![\w.])workload\.[a-z_][\w.]*")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def complaint(command, words, folder, err, defaults=""):
    """What breaks the rule in what a command wrote to standard error; None if nothing does. `words`: of the command line. `folder`
    has the files that the user wrote, and `defaults` the text in which the command states its defaults."""
    if "Traceback (most recent call last)" in err:
        return "a traceback of Python"
    found = ERROR.search(err)
    if found is None:
        return "no error with a code"
    if err.count("error[") > 1:
        return "an error inside an error"
    place, text = found["place"] or "", found["text"]
    typed = " ".join(map(str, words)) + "\n" + "\n".join(files_in(folder))
    whole = f"{place}: {text}"
    if (made := GENERATED.search(whole)) and made[0] not in typed:
        return f"a file that nobody wrote: {made[0]}"
    if command in GENERATE:
        for path in WORKLOAD.finditer(whole):
            known = path[0].rstrip(".") in typed or whole[:path.start()].endswith("--set ")
            if not known:
                return f"a name that nobody wrote: {path[0]}"
    return wrong_place(place, typed, folder) or wrong_number(text, typed + "\n" + defaults)


def files_in(folder):
    for file in sorted(pathlib.Path(folder).rglob("*")):
        if file.is_file() and "out" not in file.relative_to(folder).parts and file.stat().st_size < 1 << 20:
            yield file.read_text(encoding="utf-8", errors="replace")


def wrong_place(place, typed, folder):
    located = re.fullmatch(r"(?P<file>.+?):(?P<line>\d+)(?::\d+)?", place)
    if located:
        file = pathlib.Path(folder) / located["file"]
        if not file.is_file():
            return f"a place in a file that does not exist: {place}"
        lines = file.read_bytes().count(b"\n") + 1
        return None if 1 <= int(located["line"]) <= lines else f"a place in a line that does not exist: {place}"
    keyed = re.fullmatch(r"(?P<file>.+\.json):(?P<key>\w+)", place)
    if keyed and (file := pathlib.Path(folder) / keyed["file"]).is_file():
        try:
            keys = json.loads(file.read_text(encoding="utf-8"))
        except ValueError:
            return None
        # A key that is missing is at its name.
        if isinstance(keys, dict) and keyed["key"] not in keys and keyed["key"] not in typed:
            return None if "got nothing" in typed else f"a key that the file does not have: {place}"
    return None


def wrong_number(text, typed):
    """What was given is what was written, or a default that the command states."""
    written = {float(number) for number in NUMBER.findall(typed)}
    for given in re.finditer(r"\bgot '?(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.]*\d)", text):
        if float(given[1]) not in written:
            return f"a number that nobody wrote: got {given[1]}"
    return None
