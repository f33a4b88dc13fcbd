# SPDX-License-Identifier: Apache-2.0
"""Data movement: DMA, exchange between cores, movement between partitions."""
from _tahoma import NkiTensor
from nki.isa import common
from nki.isa.common import handle, need_tensor, queue, recorded
from nki.isa.constants import dge_mode as dge_modes
from nki.isa.constants import dma_engine as dma_engines
from nki.isa.constants import engine as engines
from nki.isa.constants import oob_mode as oob_modes
from tahoma import context
from tahoma.errors import refuse
from tahoma.operators import alu_of, operator_of

__all__ = ["core_barrier", "dma_compute", "dma_copy", "dma_transpose", "nc_stream_shuffle", "sendrecv"]


_SKIP = oob_modes.skip  # members of enumerations are slow to get


def _dma_engine(engine):
    asked = queue(engine)
    if asked not in (None, "sync", "scalar", "gpsimd"):
        refuse("E-NKI-014", f"nisa.dma_copy: engine={asked}; transfers start on sync, scalar or gpsimd")
    return asked


def _off_psum(tensor, instruction, name):
    need_tensor(tensor, instruction, name)
    if tensor.buffer == "psum":
        refuse("E-NKI-014", f"nisa.{instruction}: {name} {tensor!r}; the DMA engines do not reach PSUM: copy it to SBUF with tensor_copy")
    return tensor


def _service(priority, dge_mode, name):
    """The class of service of a transfer."""
    service = common.service_of(priority, f"nisa.{name}")
    if service > 0 and int(dge_mode) == dge_modes.none:
        refuse("E-NKI-014", f"nisa.{name}: priority={priority} of a transfer whose descriptors the host writes (dge_mode none); expected another "
                            "dge_mode")
    return service


def dma_copy(dst, src, priority=None, oob_mode=oob_modes.error, dge_mode=dge_modes.unknown, engine=engines.unknown, name=None,
             dst_rmw_op=None, unique_indices=True, **older):
    """dst = src through the DMA engines, between HBM and SBUF in any combination."""
    if older:
        common.ignore("dma_copy", older, ("mask", "dtype"))
    tracer = context.current("nisa.dma_copy").tracer
    _off_psum(dst, "dma_copy", "dst")
    _off_psum(src, "dma_copy", "src")
    if dst.size != src.size:
        refuse("E-NKI-011", f"nisa.dma_copy: dst {dst!r} has {dst.size} elements, src {src!r} has {src.size}; expected the same number")
    if dst_rmw_op is not None and operator_of(dst_rmw_op).alu != "add":
        refuse("E-NKI-014", f"nisa.dma_copy: dst_rmw_op={dst_rmw_op}; the DMA engines add")
    number = tracer.copy(dst, src, _dma_engine(engine), int(dge_mode), int(oob_mode) == _SKIP, dst_rmw_op is not None,
                         0 if priority is None else _service(priority, dge_mode, "dma_copy"))
    return handle(number, name)


def dma_compute(dst, srcs, reduce_op=None, scales=None, unique_indices=True, oob_mode=oob_modes.error, name=None, **older):
    """dst = the sum of up to 16 sources in fp32, rounded once."""
    common.ignore("dma_compute", older, ("mask", "dge_mode", "priority"))
    if isinstance(reduce_op, (list, tuple)) or (scales is not None and not isinstance(scales, (list, tuple))):
        reduce_op, scales = scales, reduce_op  # release 0.2: (dst, srcs, scales, reduce_op)
    if scales is not None and any(float(s) != 1.0 for s in scales):
        refuse("E-NKI-014", f"nisa.dma_compute: scales={list(scales)}; expected 1.0")
    current = context.current("nisa.dma_compute")
    tracer = current.tracer
    op = alu_of(reduce_op if reduce_op is not None else "add")
    sources = [_off_psum(s, "dma_compute", f"srcs[{n}]") for n, s in enumerate(srcs)]
    skip = int(oob_mode) == oob_modes.skip
    indirect = [n for n, s in enumerate(sources) if s.is_indirect()]
    if not dst.is_indirect() and not indirect:
        tracer.fold(dst, sources, op)
        return recorded(tracer, name)
    if len(sources) != 2 or op != "add":
        refuse("E-NKI-014", "nisa.dma_compute with indices: expected two sources, added, one of them dst itself")
    if dst.is_indirect():  # scatter: dst[rows] += the source that is not dst
        other = [s for s in sources if s.storage_id != dst.storage_id]
        if len(other) != 1:
            refuse("E-NKI-014", "nisa.dma_compute with indices on dst: expected dst itself as one of the two sources")
        tracer.copy(dst, other[0], None, 0, skip, True)
        return recorded(tracer, name)
    gathered = current.scratch((dst.shape[0], dst.size // dst.shape[0]), sources[indirect[0]].dtype)
    if skip:
        tracer.emit("memset", None, dst=gathered, value=0.0)
    tracer.copy(gathered, sources[indirect[0]], None, 0, skip, False)
    tracer.emit("tensor_tensor", None, dst=dst, src0=sources[1 - indirect[0]], src1=gathered, op="add")
    return recorded(tracer, name)


_DEFAULT_AXES = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}


def dma_transpose(dst, src, axes=None, priority=None, dge_mode=dge_modes.unknown, oob_mode=oob_modes.error, name=None, **older):
    """dst = src with its dimensions permuted, through the transposing path of the DMA engines where it can be taken."""
    common.ignore("dma_transpose", older, ("mask", "engine"))
    current = context.current("nisa.dma_transpose")
    _off_psum(dst, "dma_transpose", "dst")
    _off_psum(src, "dma_transpose", "src")
    axes = tuple(axes) if axes is not None else _DEFAULT_AXES.get(src.ndim)
    if axes is None or sorted(axes) != list(range(src.ndim)):
        refuse("E-NKI-014", f"nisa.dma_transpose: axes={axes} of {src!r}; expected each of its dimensions once")
    if src.is_indirect():
        gathered = current.scratch((src.shape[0], src.size // src.shape[0]), src.dtype)
        current.tracer.copy(gathered, src, None, 0, int(oob_mode) == oob_modes.skip, False)
        src = gathered.reshape(tuple(src.shape))
    current.tracer.transpose(dst, src, list(axes), int(dge_mode), _service(priority, dge_mode, "dma_transpose"))
    return recorded(current.tracer, name)


def sendrecv(src, dst, send_to_rank, recv_from_rank, pipe_id, dma_engine=dma_engines.dma, name=None, use_gpsimd_dma=None, **older):
    """Exchange between the two physical cores: this core's src goes to the other's dst, and the other way round."""
    common.ignore("sendrecv", older, ("mask",))
    current = context.current("nisa.sendrecv")
    through_gpsimd = bool(use_gpsimd_dma) if use_gpsimd_dma is not None else int(dma_engine) == dma_engines.gpsimd_dma
    other = 1 - (current.program_id[0] if current.program_id else 0)
    if len(current.grid) != 1 or current.grid[0] != 2:
        refuse("E-NKI-014", "nisa.sendrecv: the kernel runs on one core; launch it as kernel[2](...)")
    if (int(send_to_rank), int(recv_from_rank)) != (other, other):
        refuse("E-NKI-014", f"nisa.sendrecv: send_to_rank={send_to_rank}, recv_from_rank={recv_from_rank}; the other core is {other}")
    current.tracer.emit("sendrecv", None, dst=need_tensor(dst, "sendrecv", "dst"), src=need_tensor(src, "sendrecv", "src"), pipe=pipe_id,
                        gpsimd_dma=through_gpsimd)
    return recorded(current.tracer, name)


def core_barrier(data, cores, engine=engines.gpsimd, name=None):
    """Both cores meet; afterwards each sees what the other has written to shared HBM."""
    current = context.current("nisa.core_barrier")
    members = tuple(cores) if isinstance(cores, (list, tuple)) else (cores,)
    if len(members) > 1 and current.grid and current.grid[0] == 2:
        current.tracer.barrier(0, queue(engine))
    return recorded(current.tracer, name)


def nc_stream_shuffle(dst, src, shuffle_mask, name=None, **older):
    """Moves partitions inside each group of 32."""
    common.ignore("nc_stream_shuffle", older, ("dtype", "mask"))
    tracer = context.current("nisa.nc_stream_shuffle").tracer
    tracer.emit("stream_shuffle", None, dst=need_tensor(dst, "nc_stream_shuffle", "dst"), src=need_tensor(src, "nc_stream_shuffle", "src"),
                mask=[int(m) for m in shuffle_mask])
    return recorded(tracer, name)
