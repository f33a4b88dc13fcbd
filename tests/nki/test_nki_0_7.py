# SPDX-License-Identifier: Apache-2.0
"""Names of NKI 0.4 to 0.7: scalars, schedules, environment variables, classes, results of bool."""
import inspect

import numpy as np
import pytest

import nki
import nki.collectives as nkc
import nki.isa as nisa
import nki.language as nl
import tahoma
from tahoma import environment
from tahoma.settings import from_environment
from values import both_modes

X = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)


def scalar_kernel(compute, dtype=nl.int32):
    @nki.jit
    def kernel(a, b):
        out = nl.ndarray((1, 1), dtype=dtype, buffer=nl.shared_hbm)
        value = compute(nisa.scalar_load(nl.load(a)), nisa.scalar_load(b))
        tile = nl.ndarray((1, 1), dtype=dtype, buffer=nl.sbuf)
        nisa.scalar_store(tile, value)
        nisa.dma_copy(out, tile)
        return out

    return kernel


@pytest.mark.parametrize("compute", [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: -a, lambda a, b: 3 - b,
                                     lambda a, b: a * 4 + 1, lambda a, b: +b],
                         ids=["add", "subtract", "multiply", "negative", "from number", "affine", "positive"])
@pytest.mark.parametrize("a, b", [(5, -7), (2**31 - 1, 1), (100000, 100000)])
def test_arithmetic_of_scalars_wraps_at_32_bits(compute, a, b):
    got = scalar_kernel(compute)(np.array([[a]], np.int32), np.array([[b]], np.int32))
    assert int(got[0, 0]) == (int(compute(a, b)) + 2**31) % 2**32 - 2**31


def test_a_scalar_is_an_offset_and_a_bound(rng):
    @nki.jit
    def kernel(x, numbers):
        out = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        row = nisa.scalar_load(numbers[0:1, 0:1])
        assert isinstance(row, nisa.NkiScalar) and row.dtype == nl.int32
        tile = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(tile, x.ap([[64, 1], [1, 64]], scalar_offset=row, indirect_dim=0))
        kinds = []

        def double(counter):
            kinds.append(type(counter))
            nisa.tensor_scalar(tile, tile, nl.multiply, 2.0)

        nl.fori_loop(0, nisa.scalar_load(numbers[0:1, 1:2]), double)
        assert kinds == [nisa.NkiScalar]
        nisa.dma_copy(out, tile)
        return out

    x = rng.standard_normal((128, 64)).astype(np.float32)
    assert np.array_equal(kernel(x, np.array([[37, 3]], np.int32)), 8 * x[37:38])


def test_a_number_is_no_scalar(refused):
    @nki.jit
    def kernel(x):
        nisa.scalar_store(nl.ndarray((1, 1), dtype=nl.int32), 5)  # here

    refused(kernel, X, code="E-NKI-014", says="nisa.memset writes a number")

    @nki.jit
    def of_floats(x):
        nisa.scalar_load(x[0:1, 0:1])  # here

    refused(of_floats, X, code="E-NKI-014", says="expected one element of nl.int32 or nl.int64")


def test_64_bit_integers_are_held_in_32(rng):
    @nki.jit
    def kernel(x):
        assert x.dtype == nl.int64
        out = nl.ndarray(x.shape, dtype=nl.int64, buffer=nl.shared_hbm)
        nisa.dma_copy(out, x)
        return out

    x = rng.integers(-(2**31), 2**31, (8, 8))
    assert np.array_equal(kernel(x), x)
    with pytest.raises(TypeError, match="beyond int32"):
        kernel(np.array([[2**31]]))


def scheduled(edges, names=("recip", "plus1")):
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.load(x)
        a, b = nl.empty_like(tile), nl.empty_like(tile)
        nisa.activation(dst=a, data=tile, op=nl.exp, name=names[0])
        nisa.tensor_scalar(dst=b, data=tile, op0=nl.add, operand0=1.0, name=names[1])
        nisa.tensor_tensor(dst=a, data1=a, data2=b, op=nl.add)
        nl.store(out, a)
        return out

    return kernel.with_schedule(edges)


@pytest.mark.parametrize("producers", ["recip", ["recip"]])
def test_a_schedule_makes_an_instruction_wait(producers):
    """The two instructions are on different engines and overlap; a schedule makes one wait for the other."""
    x = np.ones((128, 4096), np.float32)
    free, ordered = scheduled([]), scheduled([("plus1", producers)])
    result = both_modes(free, x)
    before = tahoma.last().time_ns
    assert np.array_equal(both_modes(ordered, x), result)
    assert tahoma.last().time_ns > before
    assert "with_schedule" in dir(free)


@pytest.mark.parametrize("edges, names, says", [
    ([("plus2", "recip")], ("recip", "plus1"), "no instruction has the name 'plus2'; expected recip, plus1 .*did you mean 'plus1'"),
    ([("recip", "plus1")], ("recip", "plus1"), "the producer is recorded after"),
    ([("a", "a")], ("a", "a"), "2 instructions have the name 'a'"),
])
def test_wrong_schedules(refused, edges, names, says):
    refused(scheduled(edges, names), np.ones((128, 64), np.float32), code="E-NKI-013", says=says)


def test_kinds_of_dependencies():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        load = nisa.dma_copy(tile, x)
        nisa.dma_copy(out, tile).depends_on(load, kind=nisa.dependency.runtime).depends_on(load, kind=nisa.dependency.schedule)
        return out

    assert np.array_equal(kernel(X), X)


def test_collectives_are_instructions():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        kept = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        reduced = nkc.all_reduce(srcs=[x], dsts=[kept], replica_group=nkc.ReplicaGroup([[0, 1]]), op=nl.add, name="sum", priority=1)
        assert isinstance(reduced, nisa.NkiInstruction)
        nisa.dma_copy(out, kept, name="copy").depends_on(reduced)
        return out

    for result in tahoma.launch_ranks(kernel.with_schedule([("copy", "sum")]), [(X,), (2 * X,)]):
        assert np.array_equal(result, 3 * X)


def test_results_of_bool():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=nl.bool_, buffer=nl.shared_hbm)
        nl.store(out, nl.greater(nl.load(x), 100.0, dtype=nl.bool_))
        return out

    result = kernel(X)
    assert result.dtype == np.bool_ and np.array_equal(result, X > 100)
    torch = pytest.importorskip("torch")
    result = kernel(torch.from_numpy(X))
    assert result.dtype == torch.bool and np.array_equal(result.numpy(), X > 100)


def test_names_and_classes():
    assert nisa.VirtualRegister is nisa.NkiScalar
    assert issubclass(nisa.NkiValidationError, Exception) and nisa.get_nc_sub_version() == 0
    for memory in (nl.sbuf, nl.psum, nl.hbm, nl.private_hbm, nl.shared_hbm):
        assert isinstance(memory, nl.MemoryRegion) and getattr(nl.MemoryRegion, str(memory)) == memory
    assert isinstance(nl.float32, nl.DType) and nl.is_on_chip(nl.MemoryRegion.psum)
    for function, names in ((nl.tiles, ["source", "tile_shape"]), (nl.softmax, ["x", "axis", "dtype"]), (nisa.scalar_load, ["src"]),
                            (nl.rms_norm, ["x", "w", "axis", "n", "epsilon", "dtype", "compute_dtype"]), (nisa.scalar_store, ["dst", "value"]),
                            (nl.alloc_tiles, ["tile_shape", "element_shape", "buffer", "dtype", "address", "name"])):
        assert list(inspect.signature(function).parameters) == names


def test_a_rule_that_a_kernel_breaks_is_a_validation_error():
    @nki.jit
    def kernel(x):
        nl.ndarray((129, 4), dtype=nl.float32, buffer=nl.sbuf)

    with pytest.raises(nisa.NkiValidationError, match="at most 128"):
        kernel(X)


@nki.jit
def core_number(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows = 64 // nl.num_programs(0)
    first = nl.program_id(0) * rows
    tile = nl.load(x[first : first + rows, :])
    nisa.tensor_scalar(tile, tile, nl.add, float(nl.program_id(0)))
    nl.store(out[first : first + rows, :], tile)
    return out


@pytest.mark.parametrize("lnc", [None, 1, 2])
def test_simulate_kernel_as_frameworks_call_it(lnc):
    x = np.zeros((64, 8), np.float32)
    want = np.zeros((64, 8)) if lnc != 2 else np.repeat([[0], [1]], 32, 0) * np.ones(8)
    assert np.array_equal(nki.simulator.simulate_kernel(core_number, args=(x,), kwargs={}, _lnc=lnc), want)


def test_tensors_of_meta():
    tahoma.configure(mode="timing")
    assert core_number(nki.meta.tensor((64, 8), nl.float32)).shape == (64, 8)


@pytest.mark.parametrize("variables, want", [
    ({}, {}), ({"NEURON_PLATFORM_TARGET_OVERRIDE": "trn3"}, {"machine": "trainium3_chip"}),
    ({"NEURON_PLATFORM_TARGET_OVERRIDE": "GEN2"}, {"machine": "trainium1_chip"}), ({"NKI_SIMULATOR": "1"}, {"mode": "functional"}),
    ({"NKI_SIMULATOR": "0", "NKI_PRECISE_FP": "1", "NKI_COMPILER_FRONTEND": "parser"}, {})])
def test_variables_of_the_vendors_tools(variables, want):
    assert environment.vendor_settings(variables) == want


@pytest.mark.parametrize("name, value, says", [
    ("NEURON_PLATFORM_TARGET_OVERRIDE", "trn4", "expected trn1, gen2, trn2"), ("NKI_PRECISE_FP", "0", "expected 1"), ("NKI_SIMULATOR", "yes", "expected 0, 1")])
def test_variables_with_another_value_are_refused(name, value, says):
    with pytest.raises(ValueError, match=f"{name}={value}: {says}"):
        environment.vendor_settings({name: value})


def test_our_own_variable_wins(monkeypatch):
    monkeypatch.setenv("NEURON_PLATFORM_TARGET_OVERRIDE", "trn3")
    assert from_environment().machine == "trainium3_chip"
    monkeypatch.setenv("TAHOMA_MACHINE", "trainium1_chip")
    assert from_environment().machine == "trainium1_chip"


def test_cores_of_a_launch_are_those_that_are_configured(monkeypatch, refused):
    x = np.zeros((64, 8), np.float32)
    monkeypatch.setenv("NEURON_LOGICAL_NC_CONFIG", "1")
    core_number[1](x)
    with pytest.raises(tahoma.KernelError, match="E-NKI-043.*with NEURON_LOGICAL_NC_CONFIG=1; expected a grid of 1"):
        core_number[2](x)
    monkeypatch.setenv("NEURON_LOGICAL_NC_CONFIG", "2")
    core_number[2](x)
    core_number(x)
    with pytest.raises(tahoma.KernelError, match="expected a grid of 2"):
        core_number[1](x)


def variable_kernel(collective, has_rdispls=False, prepared=False):
    @nki.jit
    def kernel(x, metadata):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.zeros(x.shape, dtype=x.dtype))
        given = dict(srcs=[x], dsts=[out], replica_group=nkc.ReplicaGroup([[0, 1, 2, 3]]), metadata_tensor=metadata, has_rdispls=has_rdispls)
        if prepared:
            made = getattr(nkc, f"{collective}_prepare")(**given, name="prepare")
            assert isinstance(getattr(nkc, f"{collective}_trigger")(made), nisa.NkiInstruction)
        else:
            getattr(nkc, collective)(**given)
        return out

    return kernel


@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("has_rdispls", [False, True])
def test_all_to_all_with_sizes(rng, has_rdispls, prepared):
    counts = rng.integers(0, 16, (4, 4))  # [sender, receiver]
    places = np.array([[16 * sender + 3 if has_rdispls else 16 * sender for sender in range(4)]] * 4)
    counts = np.minimum(counts, 13)
    inputs = [rng.standard_normal((1, 64)).astype(np.float32) for _ in range(4)]
    metadata = [np.array([counts[r], [16 * k + 1 for k in range(4)], counts[:, r], places[r]], np.uint32) for r in range(4)]
    results = tahoma.launch_ranks(variable_kernel("all_to_all_v", has_rdispls, prepared), list(zip(inputs, metadata)))
    for receiver, got in enumerate(results):
        want = np.zeros(64, np.float32)
        for sender in range(4):
            count, start, place = counts[sender, receiver], 16 * receiver + 1, places[receiver][sender]
            want[place : place + count] = inputs[sender][0, start : start + count]
        assert np.array_equal(got[0], want)


@pytest.mark.parametrize("prepared", [False, True])
def test_all_gather_with_sizes(rng, prepared):
    inputs = [rng.standard_normal((1, 64)).astype(np.float32) for _ in range(4)]
    sizes = [(5, 0), (16, 8), (0, 0), (1, 63)]
    metadata = [np.array([[count] * 4, [start] * 4], np.uint32) for count, start in sizes]
    for got in tahoma.launch_ranks(variable_kernel("all_gather_v", prepared=prepared), list(zip(inputs, metadata))):
        want = np.zeros(64, np.float32)
        for sender, (count, start) in enumerate(sizes):
            want[16 * sender : 16 * sender + count] = inputs[sender][0, start : start + count]
        assert np.array_equal(got[0], want)


def test_sizes_that_are_not_known_or_do_not_fit(rng):
    x = np.zeros((1, 64), np.float32)
    with pytest.raises(tahoma.KernelError, match="E-NKI-013.*elements 60 to 70"):
        tahoma.launch_ranks(variable_kernel("all_gather_v"), [(x, np.array([[10] * 4, [60] * 4], np.uint32))] * 4)
    with pytest.raises(tahoma.KernelError, match="E-NKI-013.*have the shape"):
        tahoma.launch_ranks(variable_kernel("all_gather_v"), [(x, np.zeros((2, 3), np.uint32))] * 4)

    @nki.jit
    def computed(x):
        out, metadata = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm), nl.ndarray((2, 4), dtype=nl.uint32, buffer=nl.shared_hbm)
        nkc.all_gather_v([x], [out], nkc.ReplicaGroup([[0, 1, 2, 3]]), metadata)
        return out

    with pytest.raises(tahoma.KernelError, match="E-NKI-014.*known while the kernel is traced"):
        tahoma.launch_ranks(computed, [(x,)] * 4)
