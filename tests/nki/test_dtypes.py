# SPDX-License-Identifier: Apache-2.0
"""Element types on the host: bytes and values agree with their definition, for every code of the 8-bit types."""
import numpy as np
import pytest

from tahoma import dtypes


def value_of(code, exponent_bits, mantissa, bias):
    sign = -1.0 if code >> 7 else 1.0
    field, digits = (code & 0x7F) >> mantissa, code & ((1 << mantissa) - 1)
    if field == (1 << exponent_bits) - 1:
        return sign * np.inf if digits == 0 else np.nan
    if field == 0:
        return sign * digits * 2.0 ** (1 - bias - mantissa)
    return sign * (1 + digits / 2**mantissa) * 2.0 ** (field - bias)


@pytest.mark.parametrize("name, bits", [("float8_e4m3", (4, 3, 7)), ("float8_e5m2", (5, 2, 15)), ("float8_e3m4", (3, 4, 3))])
def test_every_code_of_an_8_bit_type(name, bits):
    codes = bytes(range(256))
    want = np.array([value_of(code, *bits) for code in range(256)], np.float32)
    got = dtypes.decode(codes, name, (256,)).astype(np.float32)
    np.testing.assert_array_equal(got, want)
    finite = [code for code in range(256) if not np.isnan(want[code])]
    again = dtypes.encode(got[finite], name)
    assert list(again) == finite


def test_rounding_is_to_nearest_even_and_beyond_the_largest_value_to_infinity():
    assert dtypes.rounded([1.0625, 1.1875, 239.0, 247.9, 248.1], "float8_e4m3").tolist() == [1.0, 1.25, 240.0, 240.0, np.inf]
    assert dtypes.rounded([1 + 2**-9, 1 + 3 * 2**-9], "bfloat16").tolist() == [1.0, 1 + 2**-7]


def test_bfloat16_bytes_are_the_upper_half_of_float32(rng):
    values = dtypes.rounded(rng.standard_normal(1000), "bfloat16")
    np.testing.assert_array_equal(np.frombuffer(dtypes.encode(values, "bfloat16"), np.uint16), values.view(np.uint32) >> 16)
    np.testing.assert_array_equal(dtypes.decode(dtypes.encode(values, "bfloat16"), "bfloat16", (1000,)), values)


def test_names_of_numpy_and_torch():
    torch = pytest.importorskip("torch")
    assert dtypes.dtype_of(torch.bfloat16) == "bfloat16"
    assert dtypes.dtype_of(np.float16) == np.float16 == dtypes.ALL["float16"]
    assert str(dtypes.dtype_of("float32")) == "float32"
    with pytest.raises(TypeError):
        dtypes.dtype_of("float31")


def test_64_bit_integers_must_fit_the_core():
    assert dtypes.array_bytes(np.array([1, 2], np.int64))[0] == "int32"
    with pytest.raises(TypeError, match="beyond int32"):
        dtypes.array_bytes(np.array([1 << 40]))
