# SPDX-License-Identifier: Apache-2.0
"""What the functions of nki.isa share: engines, columns, constants of engines."""
import numbers

import numpy as np

from _tahoma import NkiTensor
from nki.isa.constants import engine as engines
from nki.isa.constants import reduce_cmd as reduce_commands
from tahoma import context, dtypes
from tahoma.errors import refuse

QUEUES = {None: None, engines.unknown: None, engines.dma: None, engines.tensor: "tensor", engines.vector: "vector",
          engines.scalar: "scalar", engines.gpsimd: "gpsimd", engines.sync: "sync"}  # numbers are found too: these are IntEnums


_UNKNOWN = engines.unknown  # members of enumerations are slow to get


class NkiInstruction:
    """The handle of a recorded instruction."""

    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number

    def depends_on(self, *producers, kind=None):
        """This instruction starts when the producers are complete, also on other engines. A dependency of the kind `schedule` orders the two
        as well."""
        tracer = context.current("depends_on").tracer
        for producer in producers:
            if not isinstance(producer, NkiInstruction):
                refuse("E-NKI-013", f"depends_on: {type(producer).__name__} {producer!r}; expected what an instruction returned")
            if producer.number >= self.number:
                refuse("E-NKI-013", "depends_on: the producer is recorded after the instruction that depends on it; expected an earlier one")
            tracer.depends(self.number, producer.number)
        return self


def recorded(tracer, name=None):
    """The handle of the latest instruction; a schedule may refer to it by its name."""
    return handle(tracer.entries - 1, name)


def handle(number, name=None):
    """The handle of the instruction with this number."""
    instruction = NkiInstruction(number)
    if name is not None:
        context.current().named.setdefault(str(name), []).append(instruction)
    return instruction


def service_of(priority, name):
    """The class of service of a priority: 0 is the highest in nki.isa, 3 in the instruction. Before Trainium3 priorities have no effect."""
    from tahoma.launch import machine  # not at import: the package reads this module while it is loaded

    if priority is None or machine().core_version < 4:
        return 0
    if not 0 <= int(priority) <= 3:
        refuse("E-NKI-014", f"{name}: priority={priority}; expected 0, the highest, to 3")
    return 3 - int(priority)


def queue(engine):
    """The queue of an engine, or None for the compiler's choice."""
    if engine is _UNKNOWN:
        return None
    return QUEUES[engine] if engine in QUEUES else QUEUES[engines(int(engine))]


def ignore(instruction, given, known):
    """Keywords of older releases that mean nothing here; others are mistakes."""
    for name in given:
        if name not in known:
            refuse("E-NKI-013", f"nisa.{instruction}() has no argument {name!r}")


def need_tensor(value, instruction, name):
    if not isinstance(value, NkiTensor):
        refuse("E-NKI-013", f"nisa.{instruction}: {name} is {type(value).__name__} {value!r}; expected a tensor")
    return value


def is_number(value):
    return isinstance(value, (int, float, numbers.Number, np.generic)) or (isinstance(value, np.ndarray) and value.ndim == 0)


def column(value, like=None):
    """A number, or a column of one fp32 element for each partition; other types are converted into one."""
    if value is None or not isinstance(value, NkiTensor):
        return None if value is None else float(value)
    if value.dtype.name == "float32":
        return value
    tracer = context.current().tracer
    converted = context.current().scratch((value.shape[0], 1), "float32")
    tracer.emit("tensor_copy", None, dst=converted, src=value.reshape((value.shape[0], 1)))
    return converted


BITWISE = {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "shift_left", "shift_right"}


def bits(value, partitions):
    """The operand of a bit operation: a number that fp32 holds, a column, or a column made of a larger number."""
    if value is None or isinstance(value, NkiTensor):
        return value if value is None or value.dtype.itemsize != 4 else value.reinterpret(dtypes.element_of("float32"))
    number = int(value)
    if int(np.float32(number)) == number:
        return float(number)
    made = context.current().scratch((partitions, 1), "int32")
    context.current().tracer.emit("iota", "gpsimd", dst=made, pattern=[], base=number - (1 << 32) if number >= 1 << 31 else number)
    return made.reinterpret(dtypes.element_of("float32"))


def command(value):
    return reduce_commands(int(value)).name


def narrow_result(result, emit):
    """Calls emit(column) with an fp32 column for a reduction's result, which is copied into `result` if that has another type."""
    if result is None or result.dtype.name == "float32":
        emit(result)
        return
    wide = context.current().scratch((result.shape[0], 1), "float32")
    emit(wide)
    context.current().tracer.emit("tensor_copy", None, dst=result, src=wide)
