# SPDX-License-Identifier: Apache-2.0
"""A choice is an enum: nothing outside the parameter tree compares its name, parses it, or declares it as a text."""

import re

from repo import ROOMS

TREE = "model/base/"  # the parameter tree itself: it parses names
TABLE = re.compile(r"base::Named<[^>]*>\s+\w+\[\]\s*=\s*\{(.*?)\};", re.DOTALL)
STRING = re.compile(r'"([^"\n]*)"')
COMPARED = re.compile(r'[=!]=\s*"([^"\n]*)"|"([^"\n]*)"\s*[=!]=')
DECLARED = re.compile(r'\.add\(\s*"(\w+)",\s*[\w.]+,\s*(?:std::string\()?"[^"]*"\)?,\s*\{\s*"')
PARSED = re.compile(r"\*\s*(?:isa::)?dtype_from_name\(")
# Texts that accept a word besides other values. (file, word): reason
TEXTS = {
    ("isa/text/assembler.cpp", "program"): "a directive of assembler text",
    ("studies/model/config/gemma_config.cpp", "gelu"): "hidden_act is a word of transformers",
    ("studies/model/config/part_config.cpp", "auto"): "mamba_head_dim is a number, or auto, in transformers",
    ("runtime/collective/schedule/group.cpp", "chips"): "`over` is a text: machine, servers, chips, or lists of ranks",
    ("studies/sweep/spec/spec_file.cpp", "none"): "a time limit is a text: a duration, or none",
    ("studies/validation/accuracy/suite.cpp", "none"): "a bound is a text: a number, or none",
}


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def sources(repo):
    return [name for name in repo.matching(".h", ".cpp") if name.startswith(ROOMS) and not name.startswith(TREE)]


def names_of_choices(repo):
    """All names in tables, and those of dtypes, which parameters take from isa."""
    names = {"bf16", "fp16", "fp32", "tf32", "fp8_e4m3", "fp8_e5m2", "fp8_e3m4"}
    for name in sources(repo):
        for table in TABLE.finditer(without_comments(repo.text(name))):
            names.update(STRING.findall(table.group(1)))
    return names


def findings(repo):
    choices, found = names_of_choices(repo), []
    for name in sources(repo):
        text = without_comments(repo.text(name))
        place = lambda match: f"{name}:{text.count(chr(10), 0, match.start()) + 1}"  # noqa: E731, B023
        for match in COMPARED.finditer(text):
            word = match.group(1) or match.group(2)
            if word in choices and (name, word) not in TEXTS:
                found.append(f"{place(match)}: compares the name '{word}' of a choice (compare the enum)")
        found += [f"{place(match)}: declares the choice '{match.group(1)}' as a text (use base::Named and an enum)"
                  for match in DECLARED.finditer(text)]
        found += [f"{place(match)}: parses the name of a dtype (declare a parameter of isa::DType)"
                  for match in PARSED.finditer(text)]
    return found
