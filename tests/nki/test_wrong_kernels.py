# SPDX-License-Identifier: Apache-2.0
"""Wrong kernels, each refused at its line with the rule that it breaks. `# here` marks the line."""
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import tahoma

X = np.zeros((128, 64), np.float32)
KERNELS = []


def wrong(code, says, *args, grid=None):
    """Declares a kernel that must be refused."""

    def declare(function):
        KERNELS.append(pytest.param(nki.jit(function), code, says, args or (X,), grid, id=function.__name__))
        return function

    return declare


def sbuf(*shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)


def psum(*shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.psum)


@wrong("E-NKI-001", "129 partitions; expected at most 128")
def too_many_partitions(x):
    nl.ndarray((129, 4), dtype=nl.float32, buffer=nl.sbuf)  # here


@wrong("E-NKI-001", "a kernel may use 212984")
def tile_larger_than_a_partition(x):
    nl.ndarray((128, 60000), dtype=nl.float32, buffer=nl.sbuf)  # here


@wrong("E-NKI-001", "at least 2, the first of them partitions")
def one_dimension_on_chip(x):
    nl.ndarray((128,), dtype=nl.float32, buffer=nl.sbuf)  # here


@wrong("E-NKI-001", "at byte 212000 ends at byte 213024")
def placed_beyond_the_end(x):
    nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf, address=(0, 212000))  # here


@wrong("E-NKI-001", "at partition 100; expected at most 128 partitions in all")
def placed_beyond_the_last_partition(x):
    nl.ndarray((64, 256), dtype=nl.float32, buffer=nl.sbuf, address=(100, 0))  # here


@wrong("E-ISA-008", "64 partitions start at 16; expected a multiple of 64")
def start_partition_between_quadrants(x):
    tile = sbuf(128, 64)
    nisa.memset(tile[16:80, :], 0.0)  # here


@wrong("E-ISA-008", "96 partitions start at 32; expected 0")
def too_many_partitions_from_a_quadrant(x):
    tile = sbuf(128, 64)
    nisa.memset(tile[32:128, :], 0.0)  # here


@wrong("E-ISA-012", "psum")
def stationary_in_psum(x):
    nisa.nc_matmul(psum(64, 64), psum(128, 64), nl.load(x))  # here


@wrong("E-ISA-012", "sbuf")
def matmul_into_sbuf(x):
    tile = nl.load(x)
    nisa.nc_matmul(sbuf(64, 64), tile, tile)  # here


@wrong("E-NKI-014", "results in PSUM are float32")
def matmul_into_bf16(x):
    tile = nl.load(x)
    nisa.nc_matmul(psum(64, 64, dtype=nl.bfloat16), tile, tile)  # here


@wrong("E-NKI-011", "different partitions, the contraction")
def contraction_of_different_sizes(x):
    tile = nl.load(x)
    nisa.nc_matmul(psum(64, 64), tile[0:64, :], tile)  # here


@wrong("E-NKI-011", "columns of stationary, columns of moving")
def matmul_of_another_shape(x):
    tile = nl.load(x)
    nisa.nc_matmul(psum(64, 32), tile, tile)  # here


@wrong("E-ISA", "moving|512")
def moving_too_wide(x):
    wide = sbuf(128, 1024)
    nisa.memset(wide, 0.0)
    nisa.nc_matmul(psum(64, 1024), nl.load(x), wide)  # here


@wrong("E-NKI-011", "columns of stationary, columns of moving")
def stationary_too_wide(x):
    wide = sbuf(128, 256)
    nisa.memset(wide, 0.0)
    nisa.nc_matmul(psum(128, 64), wide, nl.load(x))  # here


@wrong("E-ISA", "fp32|bf16")
def matmul_of_mixed_widths(x):
    tile, narrow = nl.load(x), sbuf(128, 64, dtype=nl.bfloat16)
    nisa.tensor_copy(narrow, tile)
    nisa.nc_matmul(psum(64, 64), narrow, tile)  # here


@wrong("E-NKI-021", "expected all of them .* or none")
def accumulation_onto_a_part(x):
    tile, total = nl.load(x), psum(64, 64)
    nisa.nc_matmul(total[:, 0:32], tile, tile[:, 0:32])
    nisa.nc_matmul(total, tile, tile)  # here


@wrong("E-NKI-014", "rows of the array are those of the operands")
def wrong_tile_position(x):
    tile = nl.load(x)
    nisa.nc_matmul(psum(64, 64), tile, tile, tile_position=(0, 64), tile_size=(128, 64))  # here


@wrong("E-ISA-003", "cannot run")
def exponential_on_the_vector_engine(x):
    tile = nl.load(x)
    nisa.tensor_tensor(tile, tile, tile, nl.add, engine=nisa.scalar_engine)  # here


@wrong("E-NKI-013", "function of the scalar engine")
def activation_as_alu_operation(x):
    tile = nl.load(x)
    nisa.tensor_tensor(tile, tile, tile, nl.exp)  # here


@wrong("E-ISA", "psum")
def gpsimd_reaches_no_psum(x):
    nisa.memset(psum(128, 64), 0.0, engine=nisa.gpsimd_engine)  # here


@wrong("E-ISA", "not both|both")
def both_sources_in_psum(x):
    a, b = psum(64, 64), psum(64, 64)
    tile = nl.load(x)
    nisa.nc_matmul(a, tile, tile)
    nisa.nc_matmul(b, tile, tile)
    nisa.tensor_tensor(sbuf(64, 64), a, b, nl.add)  # here


@wrong("E-NKI-014", "do not reach PSUM")
def transfer_from_psum(x):
    total, tile = psum(64, 64), nl.load(x)
    nisa.nc_matmul(total, tile, tile)
    nisa.dma_copy(x[0:64, :], total)  # here


@wrong("E-NKI-011", "expected the same number")
def transfer_of_different_sizes(x):
    nisa.dma_copy(sbuf(128, 32), x)  # here


@wrong("E-NKI-011", "is in HBM; expected a tensor in SBUF")
def compute_on_hbm(x):
    nisa.tensor_copy(sbuf(128, 64), x)  # here


@wrong("E-NKI-011", "different shapes")
def operands_of_different_shapes(x):
    tile = nl.load(x)
    nisa.tensor_tensor(tile, tile, tile[:, 0:32], nl.add)  # here


@wrong("E-NKI-011", "expected a number or a column")
def scalar_operand_of_two_columns(x):
    tile = nl.load(x)
    nisa.tensor_scalar(tile, tile, nl.add, tile[:, 0:2])  # here


@wrong("E-NKI-014", "expected the last free dimensions")
def reduction_of_an_outer_dimension(x):
    tile = nl.load(x).reshape((128, 8, 8))
    nisa.tensor_reduce(sbuf(128, 8), nl.add, tile, axis=1)  # here


@wrong("E-NKI-014", "reduce_op=nl.maximum; the scalar engine only adds")
def maximum_on_the_scalar_engine(x):
    tile = nl.load(x)
    nisa.activation(tile, nl.exp, tile, reduce_op=nl.maximum, reduce_res=sbuf(128, 1))  # here


@wrong("E-ISA", "32")
def vector_transpose_too_large(x):
    nisa.nc_transpose(sbuf(64, 128), nl.load(x), engine=nisa.vector_engine)  # here


@wrong("E-ISA", "8")
def max8_of_seven_elements(x):
    nisa.max8(sbuf(128, 8), nl.load(x)[:, 0:7])  # here


@wrong("E-ISA", "512|elements")
def bn_stats_of_too_many_elements(x):
    wide = sbuf(128, 600)
    nisa.memset(wide, 1.0)
    nisa.bn_stats(sbuf(128, 6), wide)  # here


@wrong("E-NKI-002", "expected bounds within 0 to 64")
def slice_beyond_the_end(x):
    nl.load(x)[:, 0:65]  # here


@wrong("E-NKI-002", "index 128 of dimension 0")
def index_beyond_the_end(x):
    nl.load(x)[128, :]  # here


@wrong("E-NKI-003", "dimension 0, the partition; data must move")
def permutation_of_the_partition(x):
    nl.load(x).permute((1, 0))  # here


@wrong("E-NKI-003", "the partition and keeps its size")
def reshape_of_the_partition(x):
    nl.load(x).reshape((64, 128))  # here


@wrong("E-NKI-004", "expected 64, the elements of a partition")
def pattern_that_skips_partitions_by_halves(x):
    nl.load(x).ap([[32, 128], [1, 32]])  # here


@wrong("E-NKI-022", "one row for each partition", X, np.zeros((128, 1), np.int32))
def row_numbers_for_other_rows(x, ids):
    numbers = nl.load(ids)
    nisa.dma_copy(sbuf(64, 128), x.ap([[64, 128], [1, 64]], vector_offset=numbers))  # here


@wrong("E-NKI-023", "exceeds the limit of 128 tensors in HBM")
def too_many_tensors_in_hbm(x):
    tile = nl.load(x)
    for _ in range(128):
        nisa.dma_copy(nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.private_hbm), tile)  # here


@wrong("E-NKI-024", "needs more than 60 registers at a time")
def too_many_registers(x):
    registers = [nisa.register_alloc(n) for n in range(70)]  # here
    for register in registers:
        nisa.dma_copy(sbuf(1, 64), x.ap([[64, 1], [1, 64]], scalar_offset=register))


@wrong("E-NKI-010", "has no elements")
def empty_operand(x):
    nisa.memset(nl.load(x)[:, 5:5], 0.0)  # here


@wrong("E-NKI-012", "is a type of Trainium3")
def type_of_trainium3(x):
    nisa.memset(sbuf(128, 64, dtype=nl.float8_e4m3fn_x4), 0.0)  # here


@wrong("E-NKI-031", "nisa.nc_matmul_mx: of Trainium3")
def instruction_of_trainium3(x):
    nisa.nc_matmul_mx(x, x, x, x, x)  # here


@wrong("E-NKI-015", "known only while the kernel runs")
def branch_on_a_register(x):
    if nisa.register_alloc(3) > 2:  # here
        pass


@wrong("E-NKI-015", "use nl.dynamic_range")
def unrolled_loop_over_a_register(x):
    for _ in nl.affine_range(nisa.register_alloc(3)):  # here
        pass


@wrong("E-NKI-014", "the kernel runs on one core")
def exchange_without_another_core(x):
    tile = nl.load(x)
    nisa.sendrecv(src=tile, dst=sbuf(128, 64), send_to_rank=1, recv_from_rank=1, pipe_id=0)  # here


@wrong("E-NKI-020", "needs 204800 bytes of each partition")
def out_of_sbuf(x):
    a = sbuf(128, 51200)
    b = nl.ndarray((128, 51200), dtype=nl.float32, buffer=nl.sbuf)  # here
    nisa.memset(a, 0.0)
    nisa.memset(b, 0.0)
    nisa.tensor_tensor(a, a, b, nl.add)


@wrong("E-NKI-033", "expected a tensor in shared_hbm")
def returns_a_tile(x):
    return nl.load(x)  # here


@wrong("E-NKI-033", "returns int 5")
def returns_a_number(x):
    def five():
        return 5

    return five()  # here


@wrong("E-NKI-033", "returns dict")
def returns_one_or_the_other(x):  # here
    if x.shape[0] > 1:
        return {"x": x}
    return x


@wrong("E-NKI-014", "expected no grid or the caller's, which has none")
def kernel_with_a_grid_inside_a_kernel(x):
    return nki.jit(returns_a_number)[2](x)  # here


@wrong("E-NKI-013", "expected what an instruction returned")
def depends_on_a_tile(x):
    tile = nl.load(x)
    nisa.memset(tile, 0.0).depends_on(tile)  # here


@wrong("E-NKI-013", "expected an earlier one")
def depends_on_itself(x):
    done = nisa.memset(nl.load(x), 0.0)
    done.depends_on(done)  # here


@wrong("E-NKI-013", "has no argument 'dtyp'")
def misspelt_argument(x):
    nisa.tensor_copy(nl.load(x), nl.load(x), dtyp=nl.float32)  # here


@wrong("E-NKI-034", "declare different tensors in shared_hbm", grid=2)
def cores_that_disagree(x):
    out = nl.ndarray((128, 64 + nl.program_id(0)), dtype=nl.float32, buffer=nl.shared_hbm)  # here
    nl.store(out[:, 0:64], nl.load(x))
    return out


@pytest.mark.parametrize("kernel, code, says, args, grid", KERNELS)
def test_a_wrong_kernel_is_refused_at_its_line(refused, kernel, code, says, args, grid):
    with_prefix = code if code.count("-") == 2 else None
    if with_prefix:
        refused(kernel, *args, code=code, says=says, grid=grid)
        return
    with pytest.raises(tahoma.KernelError) as caught:
        kernel(*args)
    refused(kernel, *args, code=caught.value.code, says=says, grid=grid)
    assert caught.value.code.startswith(code)


# --- kernels that misbehave as Python ---------------------------------------------------------------------------------


def test_a_kernel_that_never_ends_is_stopped():
    @nki.jit
    def endless(x):
        tile = nl.load(x)
        while True:
            nisa.tensor_copy(tile, tile)

    tahoma.configure(most_instructions=10_000)
    with pytest.raises(tahoma.KernelError, match="E-NKI-026"):
        endless(X)
    tahoma.configure(most_instructions=20_000_000)


def test_a_kernel_that_allocates_without_end_is_stopped():
    @nki.jit
    def greedy(x):
        for _ in range(10**9):
            nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)

    tahoma.configure(most_instructions=10_000)
    with pytest.raises(tahoma.KernelError, match="E-NKI-026"):
        greedy(X)
    tahoma.configure(most_instructions=20_000_000)


def test_a_kernel_that_calls_itself_is_stopped(refused):
    @nki.jit
    def recursive(x):
        return recursive(x)  # here

    refused(recursive, X, code="E-NKI-026", says="calls itself without end")


@pytest.mark.parametrize("value, says", [(np.array([None]), "argument x: no dtype 'object'; expected one of"),
                                         (np.zeros((4, 4), complex), "argument x: no dtype 'complex128'")])
def test_an_argument_of_another_type_is_refused_by_name(value, says):
    @nki.jit
    def kernel(x):
        return x

    with pytest.raises(TypeError, match=says):
        kernel(value)


def test_an_exception_of_the_kernel_arrives_as_it_is_and_leaves_nothing_behind(tmp_path):
    @nki.jit
    def failing(x):
        nl.load(x)
        raise ZeroDivisionError("mine")

    tahoma.configure(out=str(tmp_path / "runs"))
    with pytest.raises(ZeroDivisionError, match="mine"):
        failing(X)
    assert not (tmp_path / "runs").exists()
    x = np.ones((128, 64), np.float32)

    @nki.jit
    def fine(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load(x))
        return out

    np.testing.assert_array_equal(fine(x), x)  # the next call is not disturbed


@pytest.mark.parametrize("declare, called", [
    (lambda: nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf, name="mine"), "'mine'"),
    (lambda: nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf), "'small'"),  # by the line that calls the function
])
def test_an_error_while_tracing_names_the_tensor_or_its_variable(refused, declare, called):
    @nki.jit
    def kernel(x):
        small = declare()
        nisa.dma_copy(small, nl.load(x)[:, 0:16])  # here
        return x

    refused(kernel, X, code="E-NKI-011", says=f"dst {called} float32")


def test_an_error_while_tracing_gives_the_line_of_a_tensor_without_a_variable(refused):
    @nki.jit
    def kernel(x):
        nisa.dma_copy(nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf), x[:, 0:16])  # here
        return x

    error = refused(kernel, X, code="E-NKI-011", says="dst the tensor of .*test_wrong_kernels.py:[0-9]+ float32")
    assert error.place in error.text


def test_a_kernel_cannot_change_the_callers_lists():
    @nki.jit
    def popping(xs):
        first = xs.pop()
        out = nl.ndarray(first.shape, dtype=first.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load(first))
        return out

    given = [X, X + 1]
    popping(given)
    assert len(given) == 2


def test_wrong_settings_name_the_nearest_legal_one():
    with pytest.raises(ValueError, match="did you mean 'timing'"):
        tahoma.configure(mode="timming")
    with pytest.raises(ValueError, match="did you mean 'machine'"):
        tahoma.configure(machin="x")


def test_functions_of_a_kernel_outside_of_one():
    with pytest.raises(tahoma.KernelError, match="E-NKI-030.*outside of a kernel"):
        nl.ndarray((128, 4), dtype=nl.float32)
