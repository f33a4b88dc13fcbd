# SPDX-License-Identifier: Apache-2.0
"""Enumerations of nki.isa. Their numbers are those of NKI: kernels pass either."""
import enum


class engine(enum.IntEnum):
    """An engine of the core, or `unknown`: the compiler's choice."""

    unknown = 0
    tensor = 1
    scalar = 2
    gpsimd = 3
    dma = 4
    vector = 5
    sync = 6


class reduce_cmd(enum.IntEnum):
    """What happens to the accumulators of an engine in an instruction that reduces."""

    idle = 0
    reset = 1
    reduce = 2
    reset_reduce = 3
    load_reduce = 4


class dge_mode(enum.IntEnum):
    """Who writes the descriptors of a transfer."""

    unknown = 0
    swdge = 1
    hwdge = 2
    none = 3


class oob_mode(enum.IntEnum):
    """What happens to an index beyond its tensor."""

    error = 0
    skip = 1


class matmul_perf_mode(enum.Enum):
    """How a matmul uses the array. `double_row` takes two fp8 rows in each row of the array."""

    none = "none"
    double_row = "double_row"
    double_row_gen3 = "double_row_gen3"
    double_column = "double_column"
    double_pixel = "double_pixel"


class dependency(enum.Enum):
    """How an instruction depends on another: by a semaphore, or in the order of issue."""

    runtime = "runtime"
    schedule = "schedule"


class nc_version(enum.IntEnum):
    """Generations of the NeuronCore."""

    gen2 = 2
    gen3 = 3
    gen4 = 4


class dma_engine(enum.IntEnum):
    """The path of a sendrecv."""

    dma = 1
    gpsimd_dma = 2


unknown_engine, tensor_engine, scalar_engine = engine.unknown, engine.tensor, engine.scalar
gpsimd_engine, vector_engine, sync_engine, dma_engine_queue = engine.gpsimd, engine.vector, engine.sync, engine.dma


def get_nc_version():
    """The generation of the machine of the settings: gen2 is Trainium1, gen3 Trainium2, gen4 Trainium3."""
    from tahoma.launch import machine  # not at import: the package reads these constants while it is loaded

    return nc_version(machine().core_version)


def get_nc_sub_version():
    """The step of a generation: 0, as no machine here tells steps apart."""
    return 0
