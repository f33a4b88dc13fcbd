# SPDX-License-Identifier: Apache-2.0
"""A class lives in one header and one source: the bodies of its members stand in at most one .cpp file. Members of nested
types count for the outermost class, so that an `Impl` hides nothing."""

import re

from type_names import HIDDEN, IGNORED, definitions, scope_of

# `return_type Class::Nested::member(`; what stands before it contains no call and no initialiser.
MEMBER = re.compile(r"^[^(=]*?(?<![\w:])((?:\w+(?:<[^<>()]*>)?::)+)~?(?:operator\s*[^\s\w(]+(?:\(\))?|\w+)\s*\(", re.DOTALL)

# Classes over several sources that remain, each until it is made smaller.
KNOWN = {
    "tahoma::runtime::nki::Emitter": "compute instructions, transfers, registers and loops, exchanges",
    "tahoma::model::OnChipNetwork": "the network, and its way to the memories",
    "tahoma::model::dram::PseudoChannel": "commands to banks, and columns on the data pins",
    "tahoma::tests::ProgramGenerator": "programs, operands, shapes and transfers by chance",
    "tahoma::workloads::TrainingLayers": "the forward and the backward pass",
}


def members(text):
    """(namespaces, qualifier) of each member that is defined outside of its class."""
    text = IGNORED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    scopes, start = [], 0
    for match in re.finditer(r"[{};]", text):
        head, start = text[start:match.start()], match.end()
        outside = HIDDEN not in scopes
        member = MEMBER.search(head.strip()) if outside and match.group() != "}" else None
        if member and (match.group() == "{" or head.rstrip().endswith(("default", "delete"))):
            yield scopes.copy(), re.sub(r"<[^<>]*>", "", member.group(1)).split("::")[:-1]
        if match.group() == "{":
            scopes.append(scope_of(head)[0])
        elif match.group() == "}":
            del scopes[-1:]


def outermost(scopes, qualifier, classes):
    parts = "::".join(scopes + qualifier).split("::")
    for depth in range(len(scopes) + 1, len(parts) + 1):
        if "::".join(parts[:depth]) in classes:
            return "::".join(parts[:depth])
    return None


def scattered(repo):
    """qualified name -> the sources that define members of the class, where there are several."""
    classes = {qualified for name in repo.matching(".h", ".cpp")
               for qualified, target, _ in definitions(repo.text(name)) if not target}
    places = {}
    for name in repo.matching(".cpp"):
        for scopes, qualifier in members(repo.text(name)):
            if found := outermost(scopes, qualifier, classes):
                places.setdefault(found, set()).add(name)
    return {found: sorted(names) for found, names in sorted(places.items()) if len(names) > 1}


def findings(repo, known=None):
    known = KNOWN if known is None else known
    found = scattered(repo)
    return ([f"{places[0]}: {name} is also defined in {', '.join(places[1:])} (make smaller classes)"
             for name, places in found.items() if name not in known] +
            [f"tests/dist/classes.py: {name} stands in one source now: remove it from KNOWN"
             for name in known if name not in found])
