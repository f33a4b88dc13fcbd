# SPDX-License-Identifier: Apache-2.0
"""The table of contents: pages for users by question, then every folder by its place."""

import posixpath

from pages import page_of

# Caption: pages with the title that the contents show.
GUIDE = {
    "Start": [("Examples", "examples/index.md"), ("Install with pip", "scripts/wheel/index.md"), ("Report pages", "reports.md"),
              ("Glossary", "GLOSSARY.md")],
    "Tutorials": [("Your first kernel", "workloads/rms_norm/index.md"), ("A fast matrix product", "workloads/nki/tutorial/index.md"),
                  ("A model's layout", "studies/model/TUTORIAL.md")],
    "Guide": [("Runs and their files", "runtime/index.md"), ("Workloads", "workloads/index.md"), ("Machines and cases", "runtime/config/index.md"),
              ("Python", "frontend/python/index.md"), ("What limits a run", "studies/whatif/index.md"),
              ("Sweeps", "studies/sweep/index.md"), ("Models", "studies/model/index.md"), ("Serving", "studies/serving/index.md"),
              ("Training on a fleet", "studies/cluster/index.md"), ("Chakra traces", "studies/chakra/index.md"),
              ("Other accelerators", "studies/cards/index.md"), ("Checkpoints", "report/checkpoint/index.md"),
              ("Timelines", "report/trace/index.md"), ("Regression tests", "studies/validation/regression/index.md"),
              ("Accuracy", "workloads/micro/index.md")],
    "Reference": [("Commands", "reference/commands.md"), ("Parameters", "reference/parameters.md"),
                  ("Instructions", "reference/instructions.md"), ("Assembler", "reference/grammar.md"),
                  ("Statistics", "reference/statistics.md"),
                  ("Errors", "reference/errors.md"), ("Python package", "reference/python.md"), ("NKI", "reference/nki.md")],
    "Inside": [("Instruction set", "isa/index.md"), ("Model", "model/index.md"), ("Tests", "tests/index.md"), ("Scripts", "scripts/index.md")],
    "Project": [("Contributing", "CONTRIBUTING.md"), ("Changes", "CHANGELOG.md"), ("Claims", "tests/claims.md"), ("Security", "SECURITY.md")],
}


def toctree(entries, caption=""):
    """A hidden list of pages, which the theme shows at the side."""
    head = "```{toctree}\n:hidden:\n" + (f":caption: {caption}\n" if caption else "")
    return "\n" + head + "".join(f"{title} <{page.removesuffix('.md')}>\n" for title, page in entries) + "```\n"


def guide(pages):
    """The contents of the first page. A document that does not exist is left out, as in the trees of tests."""
    found = ""
    for caption, entries in GUIDE.items():
        there = [(title, f"/{page}") for title, page in entries if page in pages]
        found += toctree(there, caption) if there else ""
    return found


def trees(names):
    """Page: the pages below it. Each page that GUIDE does not list is below the README of its folder or of the next folder above."""
    listed = {page for entries in GUIDE.values() for _, page in entries}
    pages = {page_of(name) for name in names}
    below = {}
    for page in sorted(pages - listed - {"index.md"}):
        folder = posixpath.dirname(page)
        if posixpath.basename(page) == "index.md":
            folder = posixpath.dirname(folder)
        while folder and f"{folder}/index.md" not in pages:
            folder = posixpath.dirname(folder)
        parent = posixpath.join(folder, "index.md")
        short = posixpath.dirname(page) if page.endswith("index.md") else page.removesuffix(".md")
        below.setdefault(parent, []).append((posixpath.relpath(short, folder or "."), f"/{page}"))
    return {page: toctree(entries) for page, entries in below.items()}
