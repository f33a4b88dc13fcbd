# SPDX-License-Identifier: Apache-2.0
"""Wrong kernels in the old style: each is refused at its line."""
import logging

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

X = np.ones((128, 64), np.float32)


def test_index_beyond_the_tensor(refused):
    @nki.jit
    def kernel(x):
        i, j = nl.mgrid[0:128, 0:64]
        nl.store(x[i, j], nl.load(x[i, j + 1]))  # here

    refused(kernel, X, code="E-NKI-002", says="runs from 1 to 64; expected 0 to 63")


def test_size_that_is_no_whole_number(refused):
    @nki.jit
    def kernel(x):
        nl.store(x, nl.load(x).reshape((128, 64 / 3, 3)))  # here

    refused(kernel, X, code="E-NKI-003", says="21.3")


def test_mask_that_is_no_rectangle(refused):
    @nki.jit
    def kernel(x):
        i, j = nl.mgrid[0:128, 0:64]
        nl.store(x, nl.load(x[i, j], mask=i > j))  # here

    refused(kernel, X, code="E-NKI-002", says="no rectangle")


def test_partition_in_a_free_dimension(refused):
    @nki.jit
    def kernel(x):
        i, j = nl.mgrid[0:32, 0:32]
        tile = nl.load(x)
        nl.store(x[0:32, 0:32], nl.copy(tile[i, i + j]))  # here

    refused(kernel, X, code="E-NKI-002", says="index 0 is the partition")


def test_shapes_that_do_not_broadcast(refused):
    @nki.jit
    def kernel(x):
        tile = nl.load(x)
        nl.store(x, tile + tile[:, 0:3])  # here

    refused(kernel, X, code="E-NKI-011", says="does not broadcast")


def test_mistake_in_an_instruction_that_waits(refused):
    @nki.jit
    def kernel(x):
        tile = nl.load(x)
        big = nisa.nc_matmul(tile, nl.ndarray((64, 64), dtype=nl.float32))  # here
        nl.store(x, big)

    refused(kernel, X, code="E-NKI-011", says="different partitions")


def test_arithmetic_in_hbm(refused):
    @nki.jit
    def kernel(x):
        nl.store(x, x + 1.0)  # here

    refused(kernel, X, code="E-NKI-014", says="load it with nl.load")


def test_tile_as_condition(refused):
    @nki.jit
    def kernel(x):
        if nl.load(x) > 0.0:  # here
            nl.store(x, 0.0)

    refused(kernel, X, code="E-NKI-015", says="as a condition")


def test_block_that_is_not_there(refused):
    @nki.jit
    def kernel(x):
        tiles = nl.ndarray((2, nl.par_dim(128), 64), dtype=x.dtype)
        tiles[2] = nl.load(x)  # here

    refused(kernel, X, code="E-NKI-002", says="block 2 of dimension 0")


def test_blocks_as_an_operand(refused):
    @nki.jit
    def kernel(x):
        tiles = nl.zeros((2, nl.par_dim(128), 64), dtype=x.dtype)
        nl.store(x, tiles * 2.0)  # here

    refused(kernel, X, code="E-NKI-002", says="are blocks")


def test_place_beyond_a_bank(refused):
    @nki.jit
    def kernel(x):
        tiles = nl.ndarray((2, nl.par_dim(128), 64), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=8))  # here
        tiles[0] = nisa.nc_transpose(nl.load(x))

    refused(kernel, X, code="E-NKI-001", says="bank 8")


def test_function_that_is_refused(refused):
    @nki.jit
    def kernel(x):
        nl.store(x, nl.abs_max(nl.load(x), 1.0))  # here

    refused(kernel, X, code="E-NKI-031", says="language.abs_max: of Trainium3")


def test_operator_that_the_alu_lacks(refused):
    @nki.jit
    def kernel(x):
        nl.store(x, nisa.tensor_tensor(nl.load(x), nl.load(x), op=np.exp))  # here

    refused(kernel, X, code="E-NKI-013", says="do not have this operation")


def test_result_on_chip(refused):
    @nki.jit
    def kernel(x):
        return nl.load(x) + 1.0

    refused(kernel, X, code="E-NKI-033", says="expected a tensor in shared_hbm")


def test_points_that_declare_different_tensors(refused):
    @nki.jit
    def kernel(x):
        out = nl.ndarray((128, 64 + nl.program_id(0)), dtype=x.dtype, buffer=nl.shared_hbm)  # here
        nl.store(out[:, 0:64], nl.load(x))
        return out

    refused(kernel, X, grid=(2,), code="E-NKI-034", says="point")


def test_mask_as_condition(refused):
    @nki.jit
    def kernel(x):
        at = nl.mgrid[0:128, 0:64]
        if at.p < 64 and at.x < 32:  # here
            return nl.load(x)

    refused(kernel, X, code="E-NKI-002", says="combine masks with &, | and ~")


def test_index_objects_that_do_not_suit_a_tile_of_row_numbers(refused):
    @nki.jit
    def kernel(x):
        numbers = nl.zeros((128, 1), dtype=nl.int32)
        at = nl.mgrid[0:128, 0:64]
        nisa.dma_copy(dst=nl.zeros((128, 64), dtype=x.dtype), src=x[numbers, at.p + at.x])  # here
        return x

    refused(kernel, X, code="E-NKI-002", says="run along one dimension each, in order")


def test_the_level_that_silences_everything():
    assert logging.OFF > logging.CRITICAL and logging.getLevelName(logging.OFF) == "OFF"
