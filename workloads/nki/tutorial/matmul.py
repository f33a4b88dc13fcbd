# SPDX-License-Identifier: Apache-2.0
"""Matrix multiplication in five steps: result[M, N] = lhsT[K, M]^T rhs[K, N]. README.md tells the story."""
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np

TILE_K = 128  # rows of the array: the contraction of one nc_matmul
TILE_M = 128  # columns of the array: the width of a stationary tile
TILE_N = 512  # fp32 elements of a PSUM bank: the width of a moving tile


def reference(lhsT, rhs, **_):
    """The definition, in double precision."""
    return lhsT.astype(np.float64).T @ rhs.astype(np.float64)


def sbuf(rows, columns, like):
    return nl.ndarray((rows, columns), dtype=like.dtype, buffer=nl.sbuf)


def loaded(source):
    """A tile of SBUF with a copy of a two-dimensional view of HBM."""
    tile = sbuf(*source.shape, source)
    nisa.dma_copy(tile, source)
    return tile


def stored(destination, total):
    """PSUM is not reachable by DMA: the total goes through a tile of SBUF, where it is rounded."""
    rounded = sbuf(*total.shape, destination)
    nisa.tensor_copy(rounded, total)
    nisa.dma_copy(destination, rounded)


def new_total():
    return nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)


def new_result(lhsT, rhs):
    return nl.ndarray((lhsT.shape[1], rhs.shape[1]), dtype=lhsT.dtype, buffer=nl.shared_hbm)


def rows(n, size):
    return slice(n * size, (n + 1) * size)


@nki.jit
def basic(lhsT, rhs):
    """One tile: K = 128, M = 128, N = 512."""
    result = new_result(lhsT, rhs)
    total = new_total()
    nisa.nc_matmul(total, loaded(lhsT), loaded(rhs))
    stored(result, total)
    return result


@nki.jit
def tiled(lhsT, rhs):
    """Any multiple of the tile sizes: every matmul loads its two operands."""
    (K, M), N = lhsT.shape, rhs.shape[1]
    result = new_result(lhsT, rhs)
    for m in nl.affine_range(M // TILE_M):
        for n in nl.affine_range(N // TILE_N):
            total = new_total()
            for k in nl.affine_range(K // TILE_K):
                left = loaded(lhsT[rows(k, TILE_K), rows(m, TILE_M)])
                right = loaded(rhs[rows(k, TILE_K), rows(n, TILE_N)])
                nisa.nc_matmul(total, left, right)
            stored(result[rows(m, TILE_M), rows(n, TILE_N)], total)
    return result


@nki.jit
def hoisted(lhsT, rhs):
    """A tile of lhsT is loaded once, before the loop over n that uses it; rhs is still loaded for each m."""
    (K, M), N = lhsT.shape, rhs.shape[1]
    result = new_result(lhsT, rhs)
    for m in nl.affine_range(M // TILE_M):
        left = [loaded(lhsT[rows(k, TILE_K), rows(m, TILE_M)]) for k in range(K // TILE_K)]
        for n in nl.affine_range(N // TILE_N):
            right = [loaded(rhs[rows(k, TILE_K), rows(n, TILE_N)]) for k in range(K // TILE_K)]
            total = new_total()
            for k in nl.affine_range(K // TILE_K):
                nisa.nc_matmul(total, left[k], right[k])
            stored(result[rows(m, TILE_M), rows(n, TILE_N)], total)
    return result


@nki.jit
def blocked_free(lhsT, rhs, tiles_m=4, tiles_n=2):
    """The result is computed in blocks of tiles_m x tiles_n tiles, for which both operands are loaded once."""
    (K, M), N = lhsT.shape, rhs.shape[1]
    block_m, block_n = tiles_m * TILE_M, tiles_n * TILE_N
    result = new_result(lhsT, rhs)
    for bm in nl.affine_range(M // block_m):
        left = [loaded(lhsT[rows(k, TILE_K), rows(bm, block_m)]) for k in range(K // TILE_K)]
        for bn in nl.affine_range(N // block_n):
            right = [loaded(rhs[rows(k, TILE_K), rows(bn, block_n)]) for k in range(K // TILE_K)]
            for m in nl.affine_range(tiles_m):
                for n in nl.affine_range(tiles_n):
                    total = new_total()
                    for k in nl.affine_range(K // TILE_K):
                        nisa.nc_matmul(total, left[k][:, rows(m, TILE_M)], right[k][:, rows(n, TILE_N)])
                    stored(result[rows(bm * tiles_m + m, TILE_M), rows(bn * tiles_n + n, TILE_N)], total)
    return result


@nki.jit
def blocked(lhsT, rhs, tiles_m=4, tiles_n=2, tiles_k=4):
    """K is blocked, too: a block of K is used for a column of blocks as soon as it is loaded, and the sums wait in SBUF, in fp32."""
    (K, M), N = lhsT.shape, rhs.shape[1]
    block_m, block_n = tiles_m * TILE_M, tiles_n * TILE_N
    blocks_k = K // (tiles_k * TILE_K)
    result = new_result(lhsT, rhs)
    for bn in nl.affine_range(N // block_n):
        sums = [nl.ndarray((TILE_M, block_n), dtype=nl.float32, buffer=nl.sbuf) for _ in range(M // TILE_M)]
        for bk in nl.sequential_range(blocks_k):
            right = [loaded(rhs[rows(bk * tiles_k + k, TILE_K), rows(bn, block_n)]) for k in range(tiles_k)]
            for bm in nl.affine_range(M // block_m):
                left = [loaded(lhsT[rows(bk * tiles_k + k, TILE_K), rows(bm, block_m)]) for k in range(tiles_k)]
                for m in nl.affine_range(tiles_m):
                    row = bm * tiles_m + m
                    last = bk == blocks_k - 1
                    new = sbuf(TILE_M, block_n, result) if last else sums[row]  # the last addition rounds
                    for n in nl.affine_range(tiles_n):
                        total, columns = new_total(), rows(n, TILE_N)
                        for k in nl.affine_range(tiles_k):
                            nisa.nc_matmul(total, left[k][:, rows(m, TILE_M)], right[k][:, columns])
                        if bk == 0:
                            nisa.tensor_copy(new[:, columns], total)
                        else:
                            nisa.tensor_tensor(new[:, columns], sums[row][:, columns], total, op=nl.add)
                    if last:
                        nisa.dma_copy(result[rows(row, TILE_M), rows(bn, block_n)], new)
    return result
