# SPDX-License-Identifier: Apache-2.0
"""Compares a parameter as a table writes it, "4 * 1024", "RMS_NORM" or "Config(4, dtype=nl.bfloat16)", with the value that a test
item has.

Not compared: calls of functions, because the text does not say what they return.
"""
import ast
import dataclasses
import enum
import numbers

CONSTANT = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


def agrees(text, value, kinds, names=None):
    """Whether `value` is what the text says; None if the text cannot say. `kinds` are enumerations whose members a text may name alone,
    `names` is the namespace of the test module."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return text == value if isinstance(value, str) else None
    return _compare(node, value, kinds, names or {})


def fields_of(value):
    """The fields of a data class or a named tuple as a dictionary."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return value._asdict() if isinstance(value, tuple) and hasattr(value, "_asdict") else {}


def _compare(node, value, kinds, names):
    if all(isinstance(part, CONSTANT) for part in ast.walk(node)):
        return _is_constant(eval(compile(ast.Expression(node), "parameter", "eval"), {"__builtins__": {}}), value)  # of literals alone
    for kind, compare in COMPARISONS.items():
        if isinstance(node, kind):
            return compare(node, value, kinds, names)
    return None


def _is_constant(constant, value):
    if constant is None:
        return value is None
    if isinstance(constant, bool):
        return bool(value) == constant
    value = value.value if isinstance(value, enum.Enum) and not isinstance(constant, str) else value
    if isinstance(constant, numbers.Number):
        return isinstance(value, numbers.Number) and float(value) == float(constant)
    return constant in (value, _name(value)) if isinstance(value, str) or _name(value) else False


def _is_named(node, value, kinds, names):
    if isinstance(value, enum.Enum):
        return value.name == node.id
    if node.id in names and _equal(names[node.id], value):
        return True
    return _name(value) == node.id or any(node.id in kind.__members__ and kind[node.id].value == value for kind in kinds)


def _is_attribute(node, value, kinds, names):
    written = _resolved(node, names)
    if _name(value):
        return _name(value) == node.attr or (written is not None and _equal(written, value))
    return None if written is None else _equal(getattr(written, "value", written), value)


def _is_sequence(node, value, kinds, names):
    if not isinstance(value, (list, tuple)):
        return False
    return len(node.elts) == len(value) and _all(_compare(part, v, kinds, names) for part, v in zip(node.elts, value))


def _is_made_by(node, value, kinds, names):
    """Config(4, dtype=nl.bfloat16): the fields that are written, in the order of the class or by name."""
    fields = fields_of(value)
    if not fields or type(value).__name__ != getattr(node.func, "attr", getattr(node.func, "id", "")):
        return None
    written = dict(zip(fields, node.args)) | {keyword.arg: keyword.value for keyword in node.keywords}
    if len(node.args) > len(fields) or not set(written) <= set(fields):
        return False
    return _all(_compare(part, fields[name], kinds, names) for name, part in written.items())


COMPARISONS = {ast.Name: _is_named, ast.Attribute: _is_attribute, (ast.Tuple, ast.List): _is_sequence, ast.Call: _is_made_by}


def _all(results):
    """False if one part differs, None if one part cannot say."""
    results = list(results)
    return False if False in results else None if None in results else True


def _name(value):
    """The name of an element type or of an enumeration's member; a text is its own name."""
    found = value if isinstance(value, str) else getattr(value, "name", None) or getattr(value, "__name__", None)
    return found if isinstance(found, str) else None


def _resolved(node, names):
    """What "nl.bfloat16" is in the test module, or None."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    return getattr(_resolved(node.value, names), node.attr, None) if isinstance(node, ast.Attribute) else None


def _equal(one, other):
    try:
        return bool(one == other)
    except (TypeError, ValueError):  # arrays and the like
        return False
