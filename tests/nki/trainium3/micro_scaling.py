# SPDX-License-Identifier: Apache-2.0
"""The formats of the OCP's Microscaling Formats (MX) 1.0 by their definition, in float64: elements from their bits, scales, and the nearest
element. A tile of MX is [partitions, columns, 4]; 8 partitions by the 4 elements of a column share a scale."""
import numpy as np

import nki.language as nl

# Exponent bits, mantissa bits, bias, exponent of the largest power of two, largest number.
FORMATS = {"float8_e4m3fn": (4, 3, 7, 8, 448.0), "float8_e5m2": (5, 2, 15, 15, 57344.0), "float4_e2m1fn": (2, 1, 1, 2, 6.0)}
PACKED = {"float8_e4m3fn": nl.float8_e4m3fn_x4, "float8_e5m2": nl.float8_e5m2_x4, "float4_e2m1fn": nl.float4_e2m1fn_x4}


def numbers_of(name):
    """The number of every code; NaN for infinities and NaNs."""
    exponent_bits, mantissa, bias, _, largest = FORMATS[name]
    codes = np.arange(1 << (1 + exponent_bits + mantissa))
    field, digits = codes >> mantissa & (1 << exponent_bits) - 1, codes & (1 << mantissa) - 1
    size = np.where(field == 0, digits * 2.0 ** (1 - bias - mantissa), (1 + digits / 2**mantissa) * 2.0 ** (field - bias))
    return np.where(size > largest, np.nan, np.where(codes >> (exponent_bits + mantissa), -size, size))


def decoded(codes, scales, name):
    """The numbers of codes [partitions, columns, 4] with scales [partitions / 8, columns] of E8M0."""
    return numbers_of(name)[codes] * np.repeat(2.0 ** (scales.astype(np.float64) - 127), 8, axis=0)[:, :, None]


def random_codes(rng, shape, name):
    """Codes of finite numbers, and scales near 1."""
    legal = np.flatnonzero(np.isfinite(numbers_of(name)))
    return rng.choice(legal, shape).astype(np.uint8), rng.integers(120, 130, (shape[0] // 8, shape[1])).astype(np.uint8)


def packed(codes, name):
    """Codes [partitions, columns, 4] as packed elements: four bytes, or four numbers of four bits, the first in the lowest."""
    wide = codes.astype(np.uint32)
    bits = 4 if name == "float4_e2m1fn" else 8
    return sum(wide[:, :, n] << (bits * n) for n in range(4)).astype(np.uint16 if bits == 4 else np.uint32)


def spread(scales, first=0):
    """Scales [partitions / 8, columns] where a tile of 128 partitions has them: four at the same place in each 32."""
    tile = np.zeros((128, scales.shape[1]), np.uint8)
    for row, values in enumerate(scales):
        tile[row // 4 * 32 + row % 4 + first] = values
    return tile


def quantised(values, name):
    """[partitions, columns, 4] as codes and scales: twice the scale of the OCP's sample algorithm, then the nearest element, ties to even,
    saturated (nki.isa 2.32)."""
    _, _, _, emax, _ = FORMATS[name]
    partitions, columns, _ = values.shape
    largest = np.abs(values).reshape(partitions // 8, 8, columns, 4).max(axis=(1, 3))
    exponent = np.where(largest > 0, np.floor(np.log2(np.where(largest > 0, largest, 1))) - emax + 1, -127)
    elements = values / np.repeat(2.0**exponent, 8, axis=0)[:, :, None]
    numbers = numbers_of(name)
    order = np.argsort(numbers, kind="stable")[: np.isfinite(numbers).sum()]
    sorted_numbers = numbers[order]
    above = np.clip(np.searchsorted(sorted_numbers, elements), 1, len(order) - 1)
    low, high = order[above - 1], order[above]
    to_low, to_high = np.abs(elements - numbers[low]), np.abs(elements - numbers[high])
    codes = np.where((to_low < to_high) | ((to_low == to_high) & (low % 2 == 0)), low, high)
    codes = np.where(numbers[codes] == 0, np.where(np.signbit(elements), 1 << int(np.log2(len(numbers)) - 1), 0), codes)
    return codes.astype(np.uint8), (exponent + 127).astype(np.uint8)


def product(stationary, moving):
    """The product of decoded tiles, and the bound of its error: a chain of fused multiply-adds and a sum, each within half an ulp of fp32."""
    exact = np.einsum("pms,pns->mn", stationary, moving)
    return exact, (4 * stationary.shape[0] + 2) * 2.0**-24 * np.einsum("pms,pns->mn", np.abs(stationary), np.abs(moving))
