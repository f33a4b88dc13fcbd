# SPDX-License-Identifier: Apache-2.0
"""Finds the test files of nki-library that call a kernel, by reading their sources."""
import ast
import functools
import os


class Source:
    """Names and imports of one Python file."""

    def __init__(self, path, text):
        self.path, self.names, self.modules = path, set(), set()
        try:
            tree = ast.parse(text)
        except SyntaxError:
            tree = ast.Module(body=[], type_ignores=[])
        self.has_tests = False
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                self.names.add(node.id)
            elif isinstance(node, ast.Attribute):
                self.names.add(node.attr)
            elif isinstance(node, ast.ImportFrom):
                self._note_import(node)
            elif isinstance(node, ast.Import):
                self.modules |= {alias.name for alias in node.names}
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.names.add(node.name)
                self.has_tests |= node.name.startswith("test_")

    def _note_import(self, node):
        self.names |= {alias.name for alias in node.names}
        module = node.module or ""
        if node.level:
            parts = self.path.split(os.sep)[:-node.level]
            module = ".".join(parts + ([module] if module else []))
        self.modules.add(module)
        self.modules |= {f"{module}.{alias.name}" for alias in node.names}


@functools.lru_cache(None)
def sources(root):
    """All files of the repository's integration tests."""
    found = []
    for folder, _, files in os.walk(os.path.join(root, "test", "integration")):
        for name in sorted(files):
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8", errors="replace") as file:
                    found.append(Source(os.path.relpath(path, root), file.read()))
    return found


def module_of(path):
    """The dotted name under which tests import a file of the repository."""
    path = path[: -len(".py")] if path.endswith(".py") else path
    parts = path.split("/")
    return ".".join(parts[1:] if parts[0] == "src" else parts)


def _imports(source, module):
    """Whether a file imports a module, or a package that it is in."""
    return any(module == m or (m and module.startswith(m + ".") and m.count(".") >= 2) for m in source.modules)


def tests_of(root, file, name):
    """Paths of test files that call kernel `name` of `file`, the likeliest first."""
    if file.startswith("test/") and os.path.basename(file).startswith("test_"):
        return [file]
    module, ranked = module_of(file), []
    users = {}  # modules of the tests that name the kernel, by how sure that is
    for source in sources(root):
        if name in source.names:
            users[module_of(source.path)] = 2 if _imports(source, module) else 1
    for source in sources(root):
        if not source.has_tests:
            continue
        rank = users.get(module_of(source.path), 0)
        if rank < 2:
            through = [users[m] for m in users if m != module_of(source.path) and m in source.modules]
            rank = max([rank] + [t - 0.5 for t in through])
        if rank:
            ranked.append((-rank, source.path))
    best = min(ranked)[0] if ranked else 0
    return [path for rank, path in sorted(ranked) if rank <= best + 0.5]
