# SPDX-License-Identifier: Apache-2.0
"""The comparison with PyTorch finds differences."""
import unittest

import numpy as np
import torch

import golden_case


class Differences(unittest.TestCase):
    def setUp(self):
        self.case = golden_case.GoldenCase("x", "", {}, None, {"y": (0.0, 2**-8, "one rounding")})
        self.want = torch.tensor([1.0, -2.0, 0.0], dtype=torch.float64)

    def found(self, got):
        return self.case.differences({"y": np.array(got, dtype=np.float32)}, {"y": self.want})

    def test_values_within_the_tolerance_are_equal(self):
        self.assertEqual(self.found([1 + 2**-9, -2, 0]), [])

    def test_a_value_beyond_it_a_nan_and_another_size_are_named(self):
        self.assertIn("y[0] = 1.25", self.found([1.25, -2, 0])[0])
        self.assertIn("y[2] = nan", self.found([1, -2, float("nan")])[0])
        self.assertIn("y has (2,)", self.found([1, -2])[0])


class Rounding(unittest.TestCase):
    def test_small_floats_are_rounded_to_nearest_and_ties_to_even(self):
        self.assertEqual(golden_case.rounded([17, 19, 300], "fp8_e4m3").tolist(), [16, 20, 240])
        self.assertEqual(golden_case.rounded([2**-10, 3 * 2**-10], "fp8_e4m3").tolist(), [0, 2**-8])
        self.assertEqual(golden_case.rounded([9, 11], "fp8_e5m2").tolist(), [8, 12])
        self.assertEqual(golden_case.rounded([1 + 2**-11, 1 + 3 * 2**-11], "tf32").tolist(), [1, 1 + 2**-9])


if __name__ == "__main__":
    unittest.main()
