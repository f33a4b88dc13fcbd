# SPDX-License-Identifier: Apache-2.0
"""No two types of one namespace share a name. Two definitions in two files violate the one-definition rule, which no compiler
reports, and give one word two meanings. An alias may be repeated if it means the same type everywhere. Types of anonymous
namespaces belong to their file, and types inside functions to their function: neither counts."""

import re

IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|'
                     r'^[ \t]*#(?:\\\n|[^\n])*', re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r"\bnamespace\s+([\w:]*)\s*$")
ENUMERATION = re.compile(r"\benum\s+(?:class\s+|struct\s+)?(\w+)[^;{}]*$")
CLASS = re.compile(r"\b(?:class|struct|union)\s+((?:\w+::)*\w+)\s*(?:final\s*)?(?::[^:].*)?$", re.DOTALL)
ALIAS = re.compile(r"^\s*using\s+(\w+)\s*=\s*(\S.*?)\s*$", re.DOTALL)
TEMPLATE = re.compile(r"\btemplate\s*<.*?>\s*(?=\b(?:class|struct|union|requires)\b)", re.DOTALL)
HIDDEN = None  # a scope whose types do not count: a function, an initialiser, an anonymous namespace

# A meaning that remains, until one of the two is renamed.
KNOWN = {
    "tahoma::runtime::Json": "nlohmann::json in some files, nlohmann::ordered_json in others",
}


def scope_of(head):
    """The scope that a brace behind `head` opens, and whether it is a type."""
    if namespace := NAMESPACE.search(head):
        return namespace.group(1) or HIDDEN, False
    if enumeration := ENUMERATION.search(head):
        return enumeration.group(1), True
    head = re.sub(r"\balignas\s*\([^)]*\)", "", TEMPLATE.sub("", head))
    of_class = CLASS.search(head)
    if of_class and "(" not in head[:of_class.end(1)]:
        return of_class.group(1), True
    return HIDDEN, False


def definitions(text):
    """(qualified name, aliased type or "", line) of each type that other files could see or clash with."""
    text = IGNORED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    scopes, start = [], 0
    for match in re.finditer(r"[{};]", text):
        head, line = text[start:match.start()], text.count("\n", 0, match.start()) + 1
        start = match.end()
        visible = HIDDEN not in scopes
        if match.group() == "{":
            name, is_type = scope_of(head)
            if visible and is_type:
                yield "::".join(scopes + [name]), "", line
            scopes.append(name)
        elif match.group() == "}":
            del scopes[-1:]
        elif visible and (alias := ALIAS.search(head)):
            yield "::".join(scopes + [alias.group(1)]), " ".join(alias.group(2).split()), line


def ambiguous(repo):
    """qualified name -> the places that give it different meanings."""
    seen = {}
    for name in repo.matching(".h", ".cpp"):
        for qualified, target, line in definitions(repo.text(name)):
            seen.setdefault(qualified, []).append((target, f"{name}:{line}"))
    for qualified, meanings in sorted(seen.items()):
        targets = {target for target, _ in meanings}
        if len(meanings) > 1 and (len(targets) > 1 or "" in targets):
            yield qualified, [place for _, place in meanings]


def findings(repo, known=None):
    known = KNOWN if known is None else known
    found = dict(ambiguous(repo))
    return ([f"{places[0]}: {name} is also defined in {', '.join(places[1:])}"
             for name, places in found.items() if name not in known] +
            [f"tests/dist/type_names.py: {name} has one meaning now: remove it from KNOWN"
             for name in known if name not in found])
