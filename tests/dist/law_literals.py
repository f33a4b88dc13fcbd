# SPDX-License-Identifier: Apache-2.0
"""No timing law contains a number that is not a declared parameter, apart from those of arithmetic."""

import re

LAWS = re.compile(r"^model/.*(?:_laws\.(?:cpp|h)|/(?:dma_timing|throttle)\.cpp)$")
NUMBER = re.compile(r"(?<![\w.'])(?:0[xX][0-9a-fA-F']+|\d[\d']*(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)")
# Numbers that a law may contain without a parameter, and the reason.
STRUCTURAL = {
    "0": "nothing, or where counting begins",
    "0.0": "the value that memset writes fastest",
    "1": "one of something; rounding up",
    "2": "halves and doubles: the low and high halves of fp32, both operands, half rate, multiply and add",
    "100": "per cent",
}


def bare(text):
    """The text without comments, includes and strings; as many lines as before."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"^[ \t]*#[^\n]*", "", text, flags=re.MULTILINE)
    return re.sub(r'"[^"\n]*"', '""', text)


def value_of(number):
    return number.replace("'", "")


def findings(repo):
    found = []
    for name in repo.matching(".h", ".cpp"):
        if not LAWS.match(name):
            continue
        text = bare(repo.text(name))
        for match in NUMBER.finditer(text):
            if value_of(match.group()) not in STRUCTURAL:
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{name}:{line}: the number {match.group()} in a timing law (declare a parameter with its "
                             f"source)")
    return found
