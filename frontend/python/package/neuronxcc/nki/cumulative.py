# SPDX-License-Identifier: Apache-2.0
"""neuronxcc.nki.isa: running results that are written to a given destination."""
import nki.isa as new
from neuronxcc.nki.arithmetic import off_hbm, rows
from neuronxcc.nki.masks import cut_by
from neuronxcc.nki.tensors import tensor
from nki.isa.constants import reduce_cmd as reduce_commands


def tensor_scalar_cumulative(*, src, dst, op0, op1, imm0, imm1=None, reduce_cmd=reduce_commands.reset_reduce, mask=None, dtype=None, **options):
    """dst = running op1 over (src op0 imm0), from imm1 on; each of the two is a number or a column."""
    some, box = cut_by(mask, src.shape, "nisa.tensor_scalar_cumulative")
    if not some:
        return
    source = off_hbm(src, "nisa.tensor_scalar_cumulative: src").read(box)
    first, start = [rows(value.read(), box) if isinstance(value, tensor) else value for value in (imm0, imm1)]
    new.tensor_scalar_cumulative(dst.target(box), source, op0, op1, first, start, reduce_cmd)
