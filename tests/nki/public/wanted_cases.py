# SPDX-License-Identifier: Apache-2.0
"""Finds the test items of nki-library that have given parameters. Only parameters are read, never the times beside them."""
import ast
import difflib
import enum
import functools
import importlib
import inspect
import re

import parameter_text


def enums():
    """All enumerations of the library by which its tests write a parameter as a number."""
    module = importlib.import_module("nkilib_src.nkilib.core.utils.common_types")
    return [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, enum.Enum)]


# What tables of times call parameters with long names.
SHORT_NAMES = {"gate_up_col_tiling": "use_tkg_gate_up_proj_column_tiling", "down_col_tiling": "use_tkg_down_proj_column_tiling",
               "down_opt_layout": "use_tkg_down_proj_optimized_layout"}


def parse(text):
    """ "seqlen=2; quant_type=ROW" as a dictionary of texts, by the names of the tests."""
    given = dict(part.strip().split("=", 1) for part in text.split(";") if part.strip())
    return {SHORT_NAMES.get(name, name): value for name, value in given.items()}


def flat(item):
    """The parameters of an item. Those of a range test, the fields of a data class and the entries of a dictionary count as its own."""
    found, inner = {}, {}
    for name, value in dict(getattr(getattr(item, "callspec", None), "params", {})).items():
        found[name] = value
        inner.update(parts_of(value))
    return inner | found


def parts_of(value):
    """The parameters inside a parameter."""
    if hasattr(value, "tensors"):  # of a range test
        return {name: size for sizes in value.tensors.values() for name, size in sizes.items()}
    return value if isinstance(value, dict) else parameter_text.fields_of(value)


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


def expects_time(item):
    """Whether the test expects a time; the time itself is not kept."""
    return any(TIMES.search(name) and value is not None for name, value in flat(item).items())


@functools.lru_cache(maxsize=None)
def aliases(module):
    """What range tests call the variables of their test module: {"batch": "b"} where the module writes {BATCH_DIM_NAME: batch}."""
    found = {}
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        for key, value in zip(node.keys, node.values) if isinstance(node, ast.Dict) else ():
            name = getattr(module, key.id, None) if isinstance(key, ast.Name) else None
            variable = variable_of(value)
            if isinstance(name, str) and variable:
                found[variable] = name
    return found


def variable_of(node):
    """ "norm_type" of norm_type, norm_type.value and int(norm_type)."""
    if isinstance(node, ast.Call) and len(node.args) == 1:
        return variable_of(node.args[0])
    return variable_of(node.value) if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def name_of(parameters, key, other_names):
    """What a test calls a parameter of a table, or None. Its name in the test may be another, or longer."""
    for name in (key, other_names.get(key)):
        if name in parameters:
            return name
    longer = [name for name in parameters if name.startswith(key + "_")]
    return longer[0] if len(longer) == 1 else None


CORES = ("vnc_degree", "lnc_degree", "lnc")  # of a logical core


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


def names_for(item):
    return aliases(item.module) if item.module else {}


def matches(item, wanted, kinds):
    parameters, other_names = flat(item), names_for(item)
    namespace = vars(item.module) if item.module else {}
    for key, text in wanted.items():
        name = name_of(parameters, key, other_names)
        if name is None and key in CORES:
            continue
        if name is None or parameter_text.agrees(text, parameters[name], kinds, namespace) is False:
            return False
    return bool(wanted)


def unmentioned(item, wanted):
    """The parameters that an item sets and a text does not name: {"prior_len": 512}. None, 0, False and "" set nothing."""
    parameters, other_names = flat(item), names_for(item)
    named = {name_of(parameters, key, other_names) for key in wanted}
    return {name: value for name, value in parameters.items()
            if name not in named and not TIMES.search(name) and isinstance(value, (bool, int, float, str, enum.Enum)) and value}


def items_for(items, texts):
    """For each text the item that it describes, or None. Among items that the text cannot tell apart, those come first that set the fewest
    parameters besides, and each is taken once."""
    kinds, taken, found = enums(), set(), []
    for text in texts:
        wanted = parse(text)
        fitting = sorted((item for item in items if matches(item, wanted, kinds)), key=lambda item: len(unmentioned(item, wanted)))
        free = [item for item in fitting if id(item) not in taken] or fitting
        found.append(free[0] if free else None)
        if free:
            taken.add(id(free[0]))
    return found


def undecided(items, text):
    """The names of parameters in which items differ that a text cannot tell apart, among those that set the fewest parameters besides."""
    kinds, wanted = enums(), parse(text)
    sets = [unmentioned(item, wanted) for item in items if matches(item, wanted, kinds)]
    fewest = [one for one in sets if len(one) == min(map(len, sets))]
    return sorted(name for name in {name for one in fewest for name in one} if len({str(one.get(name)) for one in fewest}) > 1)


def why_none(items, text):
    """The reason why no item has these parameters: a name that no test has, or a value."""
    names = {name for item in items for name in [*flat(item), *names_for(item)]}
    for key in parse(text):
        if key not in CORES and not any(name == key or name.startswith(key + "_") for name in names):
            near = difflib.get_close_matches(key, names, 1)
            return f"no test item has a parameter `{key}`" + (f"; the nearest is `{near[0]}`" if near else "")
    return "no test item has these values of its parameters"
