# SPDX-License-Identifier: Apache-2.0
"""Finds the scripts and tests of a repository that call a kernel: the kernel's own file, its neighbours, then any other file."""
import ast
import os
import re


class Candidate:
    """A file to run. kind: script or pytest."""

    def __init__(self, path, kind):
        self.path, self.kind = path, kind


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def parsed(text):
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def _runs_something(tree, text):
    """Whether a file does more at module level than define things, or has functions that check."""
    guard = re.search(r"__name__\s*==\s*['\"]__main__['\"]", text) is not None
    calls = any(isinstance(node, (ast.Expr, ast.Assign)) and isinstance(node.value, ast.Call) for node in tree.body)
    return guard or calls or bool(check_functions(tree))


def check_functions(tree):
    """Functions without parameters that check something, by name."""
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and re.match(r"(check|test|verify)_", node.name)
            and not node.args.args]


def _is_pytest(tree, path):
    """Whether a file has test classes, or test functions with parameters or marks."""
    if not os.path.basename(path).startswith("test_"):
        return False
    return any(isinstance(node, ast.ClassDef) and any(isinstance(f, ast.FunctionDef) and f.name.startswith("test_") for f in node.body)
               for node in tree.body)


def candidates(root, file, name):
    """Files that may call kernel `name` of `file`, the likeliest first."""
    own, stem, folder = os.path.join(root, file), os.path.splitext(os.path.basename(file))[0], os.path.dirname(os.path.join(root, file))
    ranked = []
    for path in _python_files(root, file):
        text = read(path)
        uses = path == own or re.search(rf"\b(import|from)\s+(\.|[\w.]+\.)?{re.escape(stem)}\b", text)
        tree = parsed(text) if uses else None
        if tree is None or path.endswith("_jax.py"):
            continue
        names = re.search(rf"\b{re.escape(name)}\b", text) is not None
        if _is_pytest(tree, path):
            kind = "pytest"
        elif _runs_something(tree, text):
            kind = "script"
        else:
            continue
        near = 0 if path == own else 1 if os.path.dirname(path) == folder else 2
        if names or near < 2:
            ranked.append((not names, near, "benchmark" in path, path, kind))
    return [Candidate(path, kind) for *_, path, kind in sorted(ranked)]


def _python_files(root, file):
    """The Python files of the part of the repository in which the kernel is."""
    top = os.path.join(root, file.split("/")[0]) if root.endswith("aws-neuron-sdk") else root
    for folder, folders, names in os.walk(top):
        folders[:] = [f for f in folders if not f.startswith(".") and f != "api"]
        for name in sorted(names):
            if name.endswith(".py"):
                yield os.path.join(folder, name)


def siblings(path):
    """Names of the functions that a kernel's file defines."""
    tree = parsed(read(path))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)} if tree else set()


class _Substitution(ast.NodeTransformer):
    """At module level, a sibling kernel that is handed to a function becomes the wanted kernel."""

    def __init__(self, others, name):
        self.others, self.name, self.count = others, name, 0

    def visit_FunctionDef(self, node):
        return node

    visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Call(self, node):
        self.generic_visit(node)
        for n, argument in enumerate(node.args):
            if isinstance(argument, ast.Name) and argument.id in self.others:
                node.args[n] = ast.copy_location(ast.Name(self.name, ast.Load()), argument)
                self.count += 1
        return node


def substituted(tree, kernel_file, name):
    """The script with `name` in place of its siblings as arguments of calls; None if there are none."""
    change = _Substitution(siblings(kernel_file) - {name}, name)
    tree = ast.fix_missing_locations(change.visit(tree))
    return tree if change.count else None
