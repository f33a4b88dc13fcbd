# SPDX-License-Identifier: Apache-2.0
"""`and`, `or` and `not` of masks. Python asks an operand for its truth, which a mask does not have, so that the kernel's function is
compiled once more with calls in their place; the shipped compiler reads the source too. Numbers keep Python's meaning."""
import ast
import linecache
import types

from neuronxcc.nki.indices import Mask

_JOIN = "__join_masks__"
_rewritten = {}  # code objects by the code objects that they replace


def joined(word, first, *others):
    """first WORD others, which are functions: what the word skips is not evaluated."""
    if word == "not":
        return ~first if isinstance(first, Mask) else not first
    value = first
    for other in others:
        if isinstance(value, Mask):
            value = value & other() if word == "and" else value | other()
        elif bool(value) != (word == "and"):
            return value
        else:
            value = other()
    return value


class _Joiner(ast.NodeTransformer):
    """Replaces what may join masks. `count`: of the replacements."""

    count = 0

    def _call(self, node, word, operands):
        if any(isinstance(inner, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)) for inner in ast.walk(node)):
            return node
        self.count += 1
        empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        later = [ast.copy_location(ast.Lambda(args=empty, body=operand), operand) for operand in operands[1:]]
        call = ast.Call(func=ast.Name(id=_JOIN, ctx=ast.Load()), args=[ast.Constant(word), operands[0], *later], keywords=[])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        return self._call(node, "and" if isinstance(node.op, ast.And) else "or", node.values)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return self._call(node, "not", [node.operand]) if isinstance(node.op, ast.Not) else node


def with_joined_masks(function):
    """The function, with `and`, `or` and `not` that take masks. The function itself if it has none, or no source."""
    code = function.__code__
    if code not in _rewritten:
        _rewritten[code] = _rewritten_code(code)
    replaced = _rewritten[code]
    if replaced is code:
        return function
    cells = dict(zip(code.co_freevars, function.__closure__ or ()))
    cells[_JOIN] = types.CellType(joined)
    made = types.FunctionType(replaced, function.__globals__, function.__name__, function.__defaults__,
                              tuple(cells[name] for name in replaced.co_freevars))
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _rewritten_code(code):
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except (SyntaxError, ValueError):
        return code
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name and \
                code.co_firstlineno == min([node.lineno] + [d.lineno for d in node.decorator_list]):
            joiner = _Joiner()
            node.body = [joiner.visit(statement) for statement in node.body]
            return _compiled(node, code) if joiner.count and "__class__" not in code.co_freevars else code
    return code


def _compiled(node, code):
    """The code of the function, which has the same free variables and the function that joins."""
    free = [*code.co_freevars, _JOIN]
    outer = ast.parse(f"def outer({', '.join(free)}): pass").body[0]
    outer.body = [node]
    module = ast.fix_missing_locations(ast.Module(body=[outer], type_ignores=[]))
    around = next(c for c in compile(module, code.co_filename, "exec", dont_inherit=True).co_consts if isinstance(c, types.CodeType))
    return next(c for c in around.co_consts
                if isinstance(c, types.CodeType) and c.co_name == code.co_name and c.co_firstlineno == code.co_firstlineno)
