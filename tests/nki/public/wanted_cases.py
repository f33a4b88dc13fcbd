# SPDX-License-Identifier: Apache-2.0
"""Finds the test items of nki-library that have given parameters. Only parameters are read, never the times beside them."""
import enum
import importlib
import re


def enums():
    """All enumerations of the library by which its tests write a parameter as a number."""
    module = importlib.import_module("nkilib_src.nkilib.core.utils.common_types")
    return [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, enum.Enum)]


def parse(text):
    """ "seqlen=2; quant_type=ROW" as a dictionary of texts."""
    return dict(part.strip().split("=", 1) for part in text.split(";") if part.strip())


def flat(item):
    """The parameters of an item, those of a range test included."""
    found = {}
    for name, value in dict(getattr(getattr(item, "callspec", None), "params", {})).items():
        tensors = getattr(value, "tensors", None)
        if tensors is None:
            found[name] = value
            continue
        for sizes in tensors.values():
            found.update(sizes)
    return found


# Parameters that hold the time that a test expects. Predictions are made before anyone compares them, so these are never kept.
TIMES = re.compile("cycles|latency|time|perf|expected|reference|baseline|threshold|_us$|_ns$|_ps$", re.IGNORECASE)


def described(item):
    """The sizes and choices of an item as text, without the times that it expects."""
    parts = []
    for name, value in sorted(flat(item).items()):
        value = value.name if isinstance(value, enum.Enum) else value
        if not TIMES.search(name) and isinstance(value, (bool, int, float, str)) and (isinstance(value, str) or abs(value) < 1e6):
            parts.append(f"{name}={value}")
    return "; ".join(parts)


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def agrees(text, value, kinds):
    """Whether a parameter's value is what the text says; None if the text cannot say."""
    if text in ("True", "False"):
        return bool(value) == (text == "True")
    if is_number(text):
        return isinstance(value, (int, float)) and float(value) == float(text)
    if isinstance(value, enum.Enum):
        return value.name == text
    if not text.isidentifier():
        return None  # a call, such as ceilalign(): its arguments are not in the text
    return any(text in kind.__members__ and kind[text].value == value for kind in kinds)


def value_of(parameters, key):
    """The value of a parameter, whose name may be longer in the test than in the table: (found, value)."""
    if key in parameters:
        return True, parameters[key]
    longer = [name for name in parameters if name.startswith(key + "_")]
    return (True, parameters[longer[0]]) if len(longer) == 1 else (False, None)


CORES = ("vnc_degree", "lnc_degree")  # of a logical core


def cores(text):
    """The physical cores of a logical core that a description asks for, or None."""
    wanted = parse(text)
    return next((int(wanted[key]) for key in CORES if key in wanted), None)


def choose_cores(number):
    """Tests that leave the number of cores to the platform get this one; None: that of the platform."""
    from test.utils.common_dataclasses import CompilerArgs

    name = "__get_logical_nc_config_for_platform__"
    original = getattr(CompilerArgs, "platform_default", None) or getattr(CompilerArgs, name)
    CompilerArgs.platform_default = original
    setattr(CompilerArgs, name, original if number is None else lambda self: number)


def matches(item, wanted, kinds):
    parameters = flat(item)
    for key, text in wanted.items():
        found, value = value_of(parameters, key)
        if not found and key in CORES:
            continue
        if not found or agrees(text, value, kinds) is False:
            return False
    return bool(wanted)


def items_for(items, texts):
    """For each text the item that it describes, or None. Among items that the text cannot tell apart, each is taken once."""
    kinds, taken, found = enums(), set(), []
    for text in texts:
        wanted = parse(text)
        fitting = [item for item in items if matches(item, wanted, kinds)]
        free = [item for item in fitting if id(item) not in taken] or fitting
        found.append(free[0] if free else None)
        if free:
            taken.add(id(free[0]))
    return found
