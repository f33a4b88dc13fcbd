# SPDX-License-Identifier: Apache-2.0
"""nki.isa: the instructions, destination first. Each function records one instruction, or the few that it stands for."""
from nki.isa.compute import *
from nki.isa.compute import __all__ as _compute
from nki.isa.constants import *
from nki.isa.constants import (dependency, dge_mode, dma_engine, engine, get_nc_sub_version, get_nc_version, gpsimd_engine,
                               matmul_perf_mode, nc_version, oob_mode, reduce_cmd, scalar_engine, sync_engine, tensor_engine, unknown_engine,
                               vector_engine)
from nki.isa.control import *
from nki.isa.control import __all__ as _control
from nki.isa.later import *
from nki.isa.later import __all__ as _later
from nki.isa.movement import *
from nki.isa.movement import __all__ as _movement
from nki.isa.search import *
from nki.isa.search import __all__ as _search
from nki.isa.tensor_engine import *
from nki.isa.tensor_engine import __all__ as _tensor
from tahoma.errors import KernelError as NkiValidationError
from tahoma.refusals import refusing

__getattr__ = refusing("nki.isa", {
    "tensor_copy_dynamic_src": "removed in NKI 0.4: tensor_copy of a view with scalar_offset",
    "tensor_copy_dynamic_dst": "removed in NKI 0.4: tensor_copy into a view with scalar_offset",
})
