# SPDX-License-Identifier: Apache-2.0
"""nl.device_print: the value goes to a tensor of its own in HBM, which is printed when the run has ended. The copy takes time, as it does
on the device; both modes have it."""
from _tahoma import NkiTensor
from tahoma import context, tiles
from tahoma.errors import refuse


def device_print(print_prefix, tensor):
    """Prints the prefix and the values that a tensor has here."""
    current = context.current("nl.device_print")
    if not isinstance(tensor, NkiTensor):
        refuse("E-NKI-013", f"nl.device_print of {type(tensor).__name__} {tensor!r}; expected a tensor (print() shows values of the host)")
    kept = current.tensor(tensor.shape, tensor.dtype, "private_hbm", f"print_{len(current.prints)}")
    current.tracer.copy(kept, tiles.copied(tensor) if str(tensor.buffer) == "psum" else tensor)
    current.prints.append((str(print_prefix), kept))
