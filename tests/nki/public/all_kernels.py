# SPDX-License-Identifier: Apache-2.0
"""Every kernel of a checkout of nki-library: the functions under src/ that are decorated with nki.jit. Sources are searched, not parsed:
one of them is not valid Python (patches.py)."""
import os
import re

import rows

REPOSITORY = "aws-neuron/nki-library"
KERNEL = re.compile(r"^@(?:\w+\.)*jit\b.*\n(?:@.*\n)*def ([a-zA-Z]\w*)", re.MULTILINE)


def kernels_in(text):
    """The names of the kernels that a source defines, in its order."""
    return KERNEL.findall(text)


def lines_of(root):
    """Rows like those of a list, by file and place in it."""
    folder, name = rows.checkout(root, REPOSITORY)
    if folder is None:
        raise FileNotFoundError(f"no checkout of {name} in {root}")
    found = []
    for at, folders, files in os.walk(os.path.join(folder, "src")):
        folders.sort()
        for path in sorted(os.path.join(at, file) for file in files if file.endswith(".py")):
            with open(path, encoding="utf-8") as file:
                found += [{"repo": REPOSITORY, "file": os.path.relpath(path, folder), "kernel": kernel} for kernel in kernels_in(file.read())]
    return found
