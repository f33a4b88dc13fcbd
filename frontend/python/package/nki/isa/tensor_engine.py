# SPDX-License-Identifier: Apache-2.0
"""Instructions of the tensor engine, and transposes on the vector engine."""
from nki.isa import common
from nki.isa.common import handle, need_tensor, queue, recorded
from nki.isa.constants import engine as engines
from nki.isa.constants import matmul_perf_mode
from tahoma import context, dtypes
from tahoma.errors import refuse
from tahoma.refusals import need_trainium3

__all__ = ["nc_matmul", "nc_matmul_mx", "nc_transpose"]

_NONE, _FLOAT32 = matmul_perf_mode.none, dtypes.ALL["float32"]


def _mode(perf_mode, stationary_onezero, moving_onezero):
    if perf_mode is _NONE and not stationary_onezero and not moving_onezero:
        return "dense"
    name = "none" if perf_mode is _NONE else getattr(perf_mode, "name", str(perf_mode))
    if name in ("double_row", "double_row_gen3"):
        return "double_row"
    if name != "none":
        refuse("E-NKI-014", f"nisa.nc_matmul: perf_mode={name}; Trainium2 has none and double_row")
    if stationary_onezero and moving_onezero:
        refuse("E-NKI-014", "nisa.nc_matmul: both operands are onezero; expected at most one")
    return "onezero_stationary" if stationary_onezero else "onezero_moving" if moving_onezero else "dense"


def _machine():
    from tahoma.launch import machine  # not at import: the package reads this module while it is loaded

    return machine()


def _check_tile(position, size, stationary, moving, dst):
    if not position:
        return
    machine = _machine()
    row, column = stationary.first_partition % machine.array_rows, dst.first_partition % machine.array_columns
    if (int(position[0]), int(position[1])) != (row, column):
        refuse("E-NKI-014", f"nisa.nc_matmul: tile_position={tuple(position)}; the rows of the array are those of the operands' "
                            f"partitions and the columns those of dst's, here ({row}, {column})")
    if size and (stationary.shape[0] > size[0] or dst.shape[0] > size[1]):
        refuse("E-NKI-014", f"nisa.nc_matmul: tile_size={tuple(size)} is smaller than the operands, {stationary.shape[0]} rows and "
                            f"{dst.shape[0]} columns")


def nc_matmul(dst, stationary, moving, is_stationary_onezero=False, is_moving_onezero=False, is_transpose=False, accumulate=None,
              tile_position=(), tile_size=(), perf_mode=matmul_perf_mode.none, name=None, **older):
    """dst[M, N] = stationary[K, M]^T moving[K, N], overwriting or adding as the order of writes says."""
    if older:
        common.ignore("nc_matmul", older, ("mask", "psum_accumulate_flag"))
    tracer = context.current("nisa.nc_matmul").tracer
    need_tensor(dst, "nc_matmul", "dst")
    need_tensor(stationary, "nc_matmul", "stationary")
    need_tensor(moving, "nc_matmul", "moving")
    if not is_transpose and dst.dtype is not _FLOAT32 and not (dst.dtype.name == "bfloat16" and _machine().core_version >= 4):
        refuse("E-NKI-014", f"nisa.nc_matmul: dst {dst!r}; results in PSUM are float32, on Trainium3 also bfloat16")
    if tile_position:
        _check_tile(tile_position, tile_size, stationary, moving, dst)
    number = tracer.matmul(dst, stationary, moving, _mode(perf_mode, is_stationary_onezero, is_moving_onezero),
                           None if accumulate is None else bool(accumulate), bool(is_transpose))
    return handle(number, name)


def nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale, tile_position=None, tile_size=None, accumulate=None, name=None,
                 **older):
    """dst[M, N] = stationary[K, M]^T moving[K, N] of packed elements, each times the scale of its block of 32, overwriting or adding as
    nc_matmul."""
    common.ignore("nc_matmul_mx", older, ("psum_accumulate_flag",))
    tracer = context.current("nisa.nc_matmul_mx").tracer
    need_trainium3("nisa.nc_matmul_mx")
    operands = {"dst": dst, "stationary": stationary, "moving": moving, "stationary_scale": stationary_scale, "moving_scale": moving_scale}
    for operand, value in operands.items():
        need_tensor(value, "nc_matmul_mx", operand)
    _check_tile(tile_position, tile_size, stationary, moving, dst)
    tracer.matmul_mx(dst, stationary, moving, stationary_scale, moving_scale, None if accumulate is None else bool(accumulate))
    return recorded(tracer, name)


def nc_transpose(dst, data, engine=engines.unknown, name=None, **older):
    """dst = the transpose of partition and flattened free dimensions of data."""
    common.ignore("nc_transpose", older, ("dtype", "mask"))
    current = context.current("nisa.nc_transpose")
    need_tensor(dst, "nc_transpose", "dst")
    need_tensor(data, "nc_transpose", "data")
    asked = queue(engine)
    if asked is None:
        asked = "tensor" if str(dst.buffer) == "psum" and str(data.buffer) == "sbuf" else "vector"
    if asked == "tensor":
        start, count = data.first_partition, data.shape[0]
        identity = current.identity("float32" if data.dtype.itemsize == 4 else data.dtype if data.dtype.name == "float16" else "bfloat16")
        current.tracer.matmul(dst, data, identity[start : start + count, start : start + count], "dense", None, True)
    else:
        current.tracer.emit("vector_transpose", "vector", dst=dst, src=data)
    return recorded(current.tracer, name)
