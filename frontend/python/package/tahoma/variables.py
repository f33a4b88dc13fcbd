# SPDX-License-Identifier: Apache-2.0
"""What the text of a kernel says about its lines: the variable to which a line assigns, which is the name of the tensors that it
declares, and the line that returns."""
import ast
import inspect
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


def place_of_return(function):
    """The line of a function's only return statement as "file:line", or that of its `def` if there are several or none."""
    code = inspect.unwrap(function).__code__
    first, lines = code.co_firstlineno, []
    try:
        for node in ast.walk(ast.parse("".join(linecache.getlines(code.co_filename)))):
            if isinstance(node, ast.FunctionDef) and code.co_firstlineno == min([node.lineno] + [d.lineno for d in node.decorator_list]):
                first, lines = node.lineno, [inner.lineno for inner in _own(node) if isinstance(inner, ast.Return)]
    except (SyntaxError, ValueError):
        pass
    return f"{code.co_filename}:{lines[0] if len(lines) == 1 else first}"


def _own(function):
    """The nodes of a function without those of the functions inside it."""
    for node in ast.iter_child_nodes(function):
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield from _own(node)


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
