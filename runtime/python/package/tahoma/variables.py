# SPDX-License-Identifier: Apache-2.0
"""The variable to which a line of a kernel assigns: the name of the tensors that the line declares."""
import ast
import linecache

_GROW = ("append", "extend", "insert", "add", "setdefault")  # methods of containers: x.append(tensor) belongs to x
_files = {}  # the text of a file and the variables of its lines, by the file's name


def variable_of(file, line, function):
    """The target of the assignment at a line; "" without any; None if the line returns its value to the caller."""
    if function == "<lambda>":
        return None
    text = linecache.getlines(file)
    if file not in _files or _files[file][0] is not text:
        _files[file] = (text, _variables_of("".join(text)))
    return _files[file][1].get(line, "")


def _variables_of(text):
    """By line: what variable_of returns. Inner statements come after those around them, and replace them."""
    try:
        statements = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    except (SyntaxError, ValueError):
        return {}
    variables = {}
    for statement in statements:
        name = _variable(statement)
        for line in range(statement.lineno, statement.end_lineno + 1):
            variables[line] = name
    return variables


def _variable(statement):
    if isinstance(statement, ast.Return):
        return None if statement.value is not None else ""
    if isinstance(statement, ast.Assign):
        return _target(statement.targets[0])
    if isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        return _target(statement.target)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return _grown(statement.value.func)
    return ""


def _grown(function):
    """The container of `container.append`."""
    if isinstance(function, ast.Attribute) and function.attr in _GROW:
        return _target(function.value)
    return ""


def _target(node):
    """A target as text, without indices: `tiles[i]` is part of `tiles`."""
    if isinstance(node, (ast.Subscript, ast.Starred)):
        return _target(node.value)
    if isinstance(node, (ast.Tuple, ast.List)):
        return ", ".join(name for name in map(_target, node.elts) if name)
    return ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
