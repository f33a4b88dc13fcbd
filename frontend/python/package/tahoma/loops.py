# SPDX-License-Identifier: Apache-2.0
"""Loops that run on the device. The body is traced once; the counter is a register.

All queues meet at the end of every iteration, so iterations do not overlap.
"""
from _tahoma import Register

from tahoma import context
from tahoma.errors import refuse


def dynamic_range(start, stop=None, step=1):
    """A loop whose bounds may be registers. The step is a positive number."""
    if stop is None:
        start, stop = 0, start
    if isinstance(step, Register) or int(step) < 1:
        refuse("E-NKI-015", f"nl.dynamic_range: step={step!r}; expected a positive number")
    tracer = context.current("nl.dynamic_range").tracer
    counter = tracer.loop_begin(_bound(start), _bound(stop), int(step))
    finished = False
    try:
        yield counter
        finished = True
    finally:
        if not finished:
            _left_early(context.active())
    tracer.loop_end(counter, int(step))


def _left_early(active):
    import sys

    if active is not None and sys.exc_info()[0] in (None, GeneratorExit):
        refuse("E-NKI-015", "break or return inside a loop on the device: its body is traced once, and every iteration runs all of it")


def fori_loop(lower, upper, body_fun, step=1):
    """body_fun(counter) for each counter from lower to upper."""
    for counter in dynamic_range(lower, upper, step):
        body_fun(counter)


def while_loop(init, body_fun):
    """condition = body_fun(condition) while the condition is not 0."""
    tracer = context.current("nl.while_loop").tracer
    condition = tracer.new_register()
    _move(tracer, condition, init)
    tracer.while_begin(condition)
    following = body_fun(condition)
    if following is None:
        refuse("E-NKI-015", "nl.while_loop: the body returns None; expected the next condition, a register or a number")
    _move(tracer, condition, following)
    tracer.while_end(condition)


def _bound(value):
    return value if isinstance(value, Register) else int(value)


def _move(tracer, register, value):
    if isinstance(value, Register):
        tracer.copy_register(register, value)
    else:
        tracer.move_register(register, int(value))
