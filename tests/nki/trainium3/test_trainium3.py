# SPDX-License-Identifier: Apache-2.0
"""Instructions that only Trainium3 has, against NumPy; on Trainium2 they are refused by name."""
import numpy as np
import pytest

import nki
import nki.collectives as cc
import nki.isa as nisa
import nki.language as nl
import tahoma
from tahoma.launch import Call, programs_of
from values import both_modes, close


@pytest.fixture
def trainium3():
    tahoma.configure(machine="trainium3_chip")


def with_sums(instruction):
    """A kernel of one instruction(dst, src, sums): its results, and the sum of each row."""

    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        sums = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
        tile, result, total = nl.load(x), nl.ndarray(x.shape, dtype=x.dtype), nl.ndarray((x.shape[0], 1), dtype=nl.float32)
        instruction(result, tile, total)
        nl.store(out, result)
        nl.store(sums, total)
        return out, sums

    return kernel


ACTIVATIONS = {
    "multiply and add": ((nl.multiply, 0.5), (nl.add, 0.25), lambda x: np.tanh(x * 0.5 + 0.25)),
    "multiply and subtract": ((nl.multiply, 0.5), (nl.subtract, 0.25), lambda x: np.tanh(x * 0.5 - 0.25)),
    "multiply": ((nl.multiply, -1.5), (nl.bypass, None), lambda x: np.tanh(x * -1.5)),
    "add": ((nl.bypass, None), (nl.add, 1.0), lambda x: np.tanh(x + 1)),
    "subtract": ((nl.bypass, None), (nl.subtract, 1.0), lambda x: np.tanh(x - 1)),
    "neither": ((nl.bypass, None), (nl.bypass, None), np.tanh),
}


@pytest.mark.parametrize("pair", ACTIVATIONS)
@pytest.mark.parametrize("reduce_op, fold", [(nl.add, np.sum), (nl.maximum, np.max), (nl.minimum, np.min)])
def test_activate2(trainium3, rng, pair, reduce_op, fold):
    (op0, imm0), (op1, imm1), reference = ACTIVATIONS[pair]
    kernel = with_sums(lambda dst, src, total: nisa.activate2(dst, nl.tanh, src, imm0, imm1, op0, op1, reduce_op=reduce_op, reduce_res=total))
    x = rng.standard_normal((128, 96)).astype(np.float32)
    out, sums = both_modes(kernel, x)
    close(out, reference(x), 2e-5)
    close(sums, fold(out.astype(np.float64), axis=1, keepdims=True), 2e-6)


def test_activate2_with_columns(trainium3, rng):
    @nki.jit
    def kernel(x, scale, bias):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        result = nl.ndarray(x.shape, dtype=x.dtype)
        nisa.activate2(result, nl.exp, nl.load(x), nl.load(scale), nl.load(bias), nl.multiply, nl.add)
        nl.store(out, result)
        return out

    x, scale, bias = (rng.uniform(-1, 1, shape).astype(np.float32) for shape in ((128, 96), (128, 1), (128, 1)))
    close(kernel(x, scale, bias), np.exp(x * scale + bias), 1e-5)


@pytest.mark.parametrize("maximum", ["column", 0.5])
def test_exponential_is_the_middle_of_a_softmax(trainium3, rng, maximum):
    def instruction(dst, src, total):
        largest = maximum
        if maximum == "column":
            largest = nl.ndarray((128, 1), dtype=nl.float32)
            nisa.tensor_reduce(largest, nl.maximum, src, axis=1)
        nisa.exponential(dst, src, largest, reduce_res=total)

    x = rng.standard_normal((128, 200)).astype(np.float32)
    out, sums = both_modes(with_sums(instruction), x)
    want = np.exp(x - (x.max(1, keepdims=True) if maximum == "column" else 0.5))
    close(out, want, 1e-5)
    close(sums, out.astype(np.float64).sum(1, keepdims=True), 2e-6)


def test_load_reduce_of_exponential_begins_with_reduce_init(trainium3, rng, refused):
    def instruction(dst, src, total):
        start = nl.ndarray((128, 1), dtype=nl.float32)
        nisa.tensor_reduce(start, nl.maximum, src, axis=1)
        nisa.exponential(dst, src, 0.5, reduce_res=total, reduce_cmd=nisa.reduce_cmd.load_reduce, reduce_init=start)

    x = rng.standard_normal((128, 200)).astype(np.float32)
    out, sums = both_modes(with_sums(instruction), x)
    close(out, np.exp(x - 0.5), 1e-5)
    close(sums, out.astype(np.float64).sum(1, keepdims=True) + x.max(1, keepdims=True), 2e-6)
    unused = with_sums(lambda dst, src, total: nisa.exponential(dst, src, reduce_res=total, reduce_init=1.0))
    refused(unused, x, code="E-NKI-014", says="reduce_init=1.0 with reduce_cmd=reset_reduce; expected reduce_cmd=load_reduce")


@pytest.mark.parametrize("function, reference", [(nl.square, np.square), (nl.relu, lambda x: np.maximum(x, 0))])
@pytest.mark.parametrize("second", [None, "column", "reversed"])
def test_tensor_scalar_begins_with_a_function(trainium3, rng, function, reference, second):
    @nki.jit
    def kernel(x, column):
        result, more = nl.ndarray(x.shape, dtype=nl.float32), {}
        if second is not None:
            more = {"op1": nl.subtract, "operand1": nl.load(column), "reverse1": second == "reversed"}
        nisa.tensor_scalar(result, nl.load(x), function, **more)
        return result_of(result)

    x, column = rng.standard_normal((128, 96)).astype(np.float32), rng.standard_normal((128, 1)).astype(np.float32)
    want = reference(x)
    want = want if second is None else want - column if second == "column" else column - want
    np.testing.assert_array_equal(both_modes(kernel, x, column), want)
    tahoma.configure(machine="trainium2_chip")
    with pytest.raises(tahoma.KernelError, match=f"E-NKI-031.*op0=nl.{function.name}: of Trainium3"):
        kernel(x, column)


def test_rand2_has_the_range_and_the_moments_of_a_uniform_distribution(trainium3):
    @nki.jit
    def kernel(x):
        out = nl.ndarray((128, 2048), dtype=nl.float32, buffer=nl.shared_hbm)
        tile = nl.ndarray((128, 2048), dtype=nl.float32)
        nisa.rand2(tile, -1.0, 3.0)
        nl.store(out, tile)
        return out

    values = kernel(np.zeros((1, 1), np.float32))
    assert values.min() >= -1 and values.max() <= 3 and len(np.unique(values)) > 200_000
    assert abs(values.mean() - 1) < 0.01 and abs(values.var() - 16 / 12) < 0.02


@pytest.mark.parametrize("name, call", [
    ("activate2", lambda t: nisa.activate2(t, nl.exp, t)), ("exponential", lambda t: nisa.exponential(t, t)), ("rand2", lambda t: nisa.rand2(t, 0.0, 1.0))])
def test_trainium2_refuses_them_by_name(refused, name, call):
    @nki.jit
    def kernel(x):
        tile = nl.load(x)
        call(tile)

    refused(kernel, np.zeros((128, 64), np.float32), code="E-NKI-031", says=f"nisa.{name}: of Trainium3.*trainium3_chip")


def test_a_reversed_difference_is_refused(trainium3, refused):
    @nki.jit
    def kernel(x):
        tile = nl.load(x)
        nisa.activate2(tile, nl.exp, tile, 1.0, 1.0, nl.multiply, nl.subtract, reverse1=True)  # here

    refused(kernel, np.zeros((128, 64), np.float32), code="E-NKI-014", says="reverse1 of subtract")


def listed(columns, partitions, width):
    """Offsets as an index holds them: number j of each `width` partitions is element j / width of partition j % width."""
    tile = np.zeros((partitions, -(-len(columns[0]) // width)), np.uint16)
    for p in range(partitions):
        for j, column in enumerate(columns[p // width]):
            if j % width == p % width:
                tile[p, j // width] = column
    return tile


def result_of(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


@nki.jit
def gathered(x, index, count):
    tile, result = nl.load(x), nl.ndarray((x.shape[0], count), dtype=x.dtype)
    nisa.tensor_copy(result, tile.indirect(nl.load(index), num_elem=count))
    return result_of(result)


@nki.jit
def gathered_operands(x, index, count):
    """exp of listed columns plus other listed columns of the same tile."""
    tile, numbers = nl.load(x), nl.load(index)
    first, total = nl.ndarray((x.shape[0], count), dtype=x.dtype), nl.ndarray((x.shape[0], count), dtype=x.dtype)
    nisa.activation(first, nl.exp, tile.indirect(numbers, count))
    nisa.tensor_tensor(total, tile[:, 8:].indirect(numbers, count), first, nl.add)
    return result_of(total)


@nki.jit
def scattered(x, index, count):
    result, tile = nl.ndarray((x.shape[0], 40), dtype=x.dtype), nl.load(x)
    nisa.memset(result, -1.0)
    nisa.tensor_scalar(result.indirect(nl.load(index), num_elem=count), tile, nl.multiply, 2.0)
    return result_of(result)


@nki.jit
def multiplied(w, x, index, count):
    """The tensor engine takes listed columns of its moving operand; its lists are those of 32 partitions."""
    sums = nl.ndarray((w.shape[1], count), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(sums, nl.load(w), nl.load(x).indirect(nl.load(index), count))
    return result_of(nl.copy(sums))


def test_listed_columns_are_gathered_and_scattered(trainium3, rng):
    x, columns = rng.standard_normal((64, 40)).astype(np.float32), [rng.permutation(32)[:21] for _ in range(4)]
    index, rows = listed(columns, 64, 16), np.arange(64)[:, None]
    every = np.repeat(columns, 16, axis=0)
    np.testing.assert_array_equal(both_modes(gathered, x, index, 21), x[rows, every])
    close(gathered_operands(x, index, 21), np.exp(x[rows, every]) + x[rows, every + 8], 2e-6)
    want = np.full((64, 40), -1, np.float32)
    want[rows, every] = 2 * x[:, :21]
    np.testing.assert_array_equal(both_modes(scattered, x[:, :21].copy(), index, 21), want)


def test_the_tensor_engine_takes_lists_of_32_partitions(trainium3, rng):
    w, x = (rng.standard_normal(shape).astype(np.float16) for shape in ((64, 16), (64, 40)))
    columns = [rng.integers(0, 40, 33) for _ in range(2)]
    picked = x[np.arange(64)[:, None], np.repeat(columns, 32, axis=0)]
    close(multiplied(w, x, listed(columns, 64, 32), 33), w.T.astype(np.float64) @ picked, 2e-6)


@nki.jit
def multiplied_into(w, x, index, accumulate):
    """The columns of a product go to listed columns of PSUM."""
    sums = nl.ndarray((w.shape[1], 40), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(sums, -1.0)
    nisa.nc_matmul(sums.indirect(nl.load(index), x.shape[1]), nl.load(w), nl.load(x), accumulate=accumulate)  # here
    return result_of(nl.copy(sums))


def test_the_tensor_engine_writes_listed_columns(trainium3, rng, refused):
    w, x = rng.standard_normal((64, 32)).astype(np.float16), rng.standard_normal((64, 21)).astype(np.float16)
    columns = [rng.permutation(40)[:21]]
    want = np.full((32, 40), -1.0)
    want[:, columns[0]] = w.T.astype(np.float64) @ x
    index = listed(columns, 32, 32)
    close(both_modes(multiplied_into, w, x, index, False), want, 2e-6)
    for accumulate in (True, None):
        refused(multiplied_into, w, x, index, accumulate, code="E-NKI-014", says="lists columns; expected accumulate=False")


@nki.jit
def gathered_from_ranks(x, ranks, priority):
    out = nl.ndarray((ranks * x.shape[0], x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    cc.all_gather([x], [out], cc.ReplicaGroup([list(range(ranks))]), 0, priority=priority)
    return out


@pytest.mark.parametrize("machine, priority, service", [("trainium3_chip", 0, 3), ("trainium3_chip", 2, 1), ("trainium3_chip", None, 0),
                                                        ("trainium2_chip", 0, 0)])
def test_priorities_of_collectives_are_classes_of_service(rng, machine, priority, service):
    tahoma.configure(machine=machine)
    xs = [rng.standard_normal((64, 32)).astype(np.float32) for _ in range(2)]
    for got in tahoma.launch_ranks(gathered_from_ranks, [(x, 2, priority) for x in xs]):
        np.testing.assert_array_equal(got, np.concatenate(xs))
    calls = [Call(gathered_from_ranks, (), (x, 2, priority), {}) for x in xs]
    text = programs_of(calls)[0].tracer.lower()["text"]()
    assert text.count("service=") == (2 if service else 0) and (not service or text.count(f"service={service}") == 2)  # ready, and the part


def test_priorities_of_collectives_have_four_classes(trainium3, rng):
    with pytest.raises(tahoma.KernelError, match="E-NKI-014.*collectives.all_gather: priority=4; expected 0, the highest, to 3"):
        tahoma.launch_ranks(gathered_from_ranks, [(np.zeros((64, 32), np.float32), 2, 4)] * 2)


def test_states_of_the_vector_engines_generators_are_refused(trainium3, refused):
    @nki.jit
    def kernel(x):
        nisa.rand_get_state(nl.ndarray((128, 24), dtype=nl.uint32), engine=nisa.engine.vector)  # here

    refused(kernel, np.zeros((1, 1), np.float32), code="E-NKI-031", says="rand_get_state.*vector")


def test_wrong_lists_of_columns(trainium3, refused):
    @nki.jit
    def too_many(x, index):
        tile = nl.load(x)
        nisa.tensor_copy(nl.ndarray((64, 33), dtype=x.dtype), tile.indirect(nl.load(index), 33))  # here

    @nki.jit
    def in_hbm(x, index):
        x.indirect(nl.load(index), 3)  # here

    x, index = np.zeros((64, 40), np.float32), np.zeros((64, 2), np.uint16)
    refused(too_many, x, index, code="E-ISA-040", says="'valid' is 33; expected 1..32")
    refused(in_hbm, x, index, code="E-NKI-003", says="expected a tensor in SBUF or PSUM")
    with pytest.raises(tahoma.KernelError, match="E-ISA-402.*holds index 99; expected below 40"):
        gathered(x, np.full((64, 2), 99, np.uint16), 32)
    tahoma.configure(machine="trainium2_chip")
    with pytest.raises(tahoma.KernelError, match="E-NKI-031.*NkiTensor.indirect: of Trainium3"):
        gathered(x, index, 32)


@nki.jit
def magnitudes(x, y, bound):
    tiles = [nl.ndarray(x.shape, dtype=x.dtype) for _ in range(3)]
    nisa.tensor_tensor(tiles[0], nl.load(x), nl.load(y), nl.abs_max)
    nisa.tensor_scalar(tiles[1], nl.load(x), nl.abs_min, nl.load(bound), op1=nl.subtract, operand1=1.0)
    largest = nl.ndarray((x.shape[0], 1), dtype=nl.float32)
    nisa.activate2(tiles[2], nl.copy, nl.load(x), reduce_op=nl.abs_max, reduce_res=largest)
    return tuple(result_of(tile) for tile in (*tiles, largest))


def test_the_larger_and_the_smaller_of_absolute_values(trainium3, rng):
    x, y, bound = (rng.standard_normal(shape).astype(np.float32) for shape in ((128, 96), (128, 96), (128, 1)))
    larger, smaller, copied, largest = both_modes(magnitudes, x, y, bound)
    np.testing.assert_array_equal(larger, np.maximum(np.abs(x), np.abs(y)))
    np.testing.assert_array_equal(smaller, np.minimum(np.abs(x), np.abs(bound)) - np.float32(1))
    np.testing.assert_array_equal(copied, x)
    np.testing.assert_array_equal(largest, np.abs(x).max(axis=1, keepdims=True))
