# SPDX-License-Identifier: Apache-2.0
"""No function or constructor of the program has more than six parameters: values that belong together are a struct with names.
A list in parentheses declares parameters if each of its items is a type and a name; so calls do not count."""

import re

from repo import ROOMS
from type_names import IGNORED

MOST = 6
LIST = re.compile(r"(?<![\w.>])((?:\w+::)*~?\w+)\s*\(")
PARAMETER = re.compile(r"(?:const\s+)?(?:unsigned\s+|long\s+)*[\w:]+(?:<.*>)?(?:\s+const)?(?:\s*[&*]+(?:\s*\w+)?|\s+\w+)(?:\[\w*\])?\s*(?:=.*)?",
                       re.DOTALL)

# "header or source without its suffix: function" -> why its parameters stay apart.
KNOWN = {
    "frontend/python/module/tracer: copy": "Python passes them one by one, by keyword",
    "frontend/python/module/tracer: tensor": "Python passes them one by one, by keyword",
    "frontend/python/module/views: ap": "Python passes them one by one, by keyword",
    "frontend/python/types/array_functions: copyswapn": "NumPy calls it",
    "frontend/python/types/array_functions: dot": "NumPy calls it",
    "model/engine/dma/dma_engine: DmaEngine": "each is another part of the machine that the engine is wired to",
    "runtime/builder/kernel_elementwise: affine_select": "the operands of one instruction, in its order",
    "runtime/builder/kernel_elementwise: tensor_scalar": "the operands of one instruction, in its order",
}


def items(text, start):
    """The items of the list in parentheses that begins at `start`; none if it does not end."""
    found, item, depth, angles = [], start, 0, 0
    for at in range(start, len(text)):
        letter = text[at]
        if letter == ")" and depth == 0:
            return found + [text[item:at]]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "<":
            angles += 1
        elif letter == ">" and text[at - 1] != "-":
            angles = max(0, angles - 1)
        elif letter == "," and depth == 0 and angles == 0:
            found.append(text[item:at])
            item = at + 1
    return []


def declared(text):
    """(function, number of parameters, line) of each list with more of them than are allowed."""
    text = IGNORED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    for match in LIST.finditer(text):
        parameters = items(text, match.end())
        if len(parameters) > MOST and all(PARAMETER.fullmatch(one.strip()) for one in parameters):
            yield match.group(1).split("::")[-1], len(parameters), text.count("\n", 0, match.start()) + 1


def findings(repo, known=None):
    known = KNOWN if known is None else known
    found, used = [], set()
    for name in repo.matching(".h", ".cpp"):
        if not name.startswith(ROOMS):
            continue
        for function, count, line in declared(repo.text(name)):
            key = f"{name.rsplit('.', 1)[0]}: {function}"
            used.add(key)
            if key not in known:
                found.append(f"{name}:{line}: {function} has {count} parameters, at most {MOST} (make a struct of those that belong together)")
    return found + [f"tests/dist/parameters.py: {key} has at most {MOST} parameters now: remove it from KNOWN"
                    for key in known if key not in used]
