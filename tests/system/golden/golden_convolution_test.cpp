// SPDX-License-Identifier: Apache-2.0
// The golden check of the convolution against a naive machine: fp32 sums in another order.
#include "workloads/convolution/golden_convolution.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace {

using namespace tahoma;
using namespace tahoma::runtime;
using namespace tahoma::workloads;
using isa::DType;

struct Convolution {
  HostTensor x, w, bias, y;

  explicit Convolution(DType dtype, std::uint64_t in = 40, std::uint64_t filter = 3)
      : x(generate_input("x", dtype, {2, in, 9, 7}, 3)),
        w(generate_input("w", dtype, {5, in, filter, filter}, 3)),
        bias(generate_input("bias", dtype, {5}, 3)),
        y(make_tensor("y", dtype, {2, 5, 10 - filter, 8 - filter})) {
    for (std::uint64_t row = 0; row < y.rows(); ++row)
      for (std::uint64_t column = 0; column < y.columns(); ++column) set(row, column, pixel(row, column));
  }

  // Tap by tap, in fp32, without weight number `dropped`.
  float pixel(std::uint64_t row, std::uint64_t column, std::uint64_t dropped = UINT64_MAX) const {
    const std::uint64_t height = y.shape[2], filter = w.shape[3], in = x.shape[1];
    const std::uint64_t image = row / height / 5, out = row / height % 5, r = row % height;
    float sum = 0;
    for (std::uint64_t tap = 0; tap < filter * filter; ++tap)
      for (std::uint64_t k = 0; k < in; ++k) {
        if (k * filter * filter + tap == dropped) continue;
        sum = std::fma(w.at((out * in + k) * filter + tap / filter, tap % filter),
                       x.at((image * in + k) * 9 + r + tap / filter, column + tap % filter), sum);
      }
    return sum + bias.at(0, out);
  }

  void set(std::uint64_t row, std::uint64_t column, float value) {
    isa::store_from_fp32(y.values.data() + (row * y.columns() + column) * isa::size_of(y.dtype), y.dtype,
                         value);
  }

  GoldenResult check() const {
    return check_convolution(x, w, bias, y,
                             [](std::uint64_t, std::uint64_t) { return std::string("core 0"); });
  }
};

}  // namespace

TEST_CASE("golden convolution: fp32 sums in any order pass", "[golden]") {
  const DType dtype = GENERATE(DType::kBf16, DType::kFp16, DType::kFp32);
  const std::uint64_t filter = GENERATE(1, 2, 3, 7);
  const GoldenResult result = Convolution(dtype, 40, filter).check();
  INFO(result.first_mismatch);
  CHECK(result.passed());
  CHECK(result.elements == 10 * (10 - filter) * (8 - filter));
  CHECK(result.max_rel_error <= result.tolerance);
}

TEST_CASE("golden convolution: in fp32 a missing product is found at its position", "[golden]") {
  Convolution c(DType::kFp32);
  const std::uint64_t row = GENERATE(0, 33, 69);
  c.set(row, 4, c.pixel(row, 4, 201));
  const GoldenResult result = c.check();
  CHECK(result.mismatches == 1);
  CHECK_THAT(result.first_mismatch, Catch::StartsWith("y[" + std::to_string(row) + ", 4]"));
}

TEST_CASE("golden convolution: a neighbour's pixel, another map's bias and a NaN are found", "[golden]") {
  const DType dtype = GENERATE(DType::kBf16, DType::kFp16, DType::kFp32);
  Convolution moved(dtype);
  moved.set(11, 2, moved.pixel(11, 3));
  CHECK(moved.check().mismatches == 1);
  Convolution unbiased(dtype);
  unbiased.set(20, 0, unbiased.pixel(20, 0) - unbiased.bias.at(0, 20 / 7) + unbiased.bias.at(0, 0));
  CHECK(unbiased.check().mismatches == 1);
  Convolution poisoned(dtype);
  poisoned.set(7, 1, std::numeric_limits<float>::quiet_NaN());
  CHECK(poisoned.check().mismatches == 1);
}

TEST_CASE("golden convolution: inputs rounded to 11 bits fail in fp32", "[golden]") {
  Convolution c(DType::kFp32, 256);
  Convolution rounded(c);
  const auto narrow = [](HostTensor& t) {
    auto* values = reinterpret_cast<float*>(t.values.data());
    for (std::uint64_t i = 0; i < t.elements(); ++i)
      values[i] = std::ldexp(std::round(std::ldexp(values[i], 11)), -11);
  };
  narrow(rounded.x);
  narrow(rounded.w);
  for (std::uint64_t row = 0; row < c.y.rows(); ++row)
    for (std::uint64_t column = 0; column < c.y.columns(); ++column)
      c.set(row, column, rounded.pixel(row, column));
  CHECK(c.check().mismatches * 2 > c.y.elements());
}

// Stride, padding and relu, against the definition with an if in its innermost loop.
TEST_CASE("golden convolution: padding, stride and relu are those of the definition", "[golden]") {
  const std::uint64_t stride = GENERATE(1, 2, 3), padding = GENERATE(0, 1);
  const bool relu = GENERATE(false, true);
  const HostTensor x = generate_input("x", DType::kFp32, {2, 3, 8, 7}, 4),
                   w = generate_input("w", DType::kFp32, {4, 3, 3, 3}, 4),
                   bias = generate_input("bias", DType::kFp32, {4}, 4);
  const std::uint64_t rows = (8 + 2 * padding - 3) / stride + 1, columns = (7 + 2 * padding - 3) / stride + 1;
  HostTensor y = make_tensor("y", DType::kFp32, {2, 4, rows, columns});
  const auto pixel = [&](std::uint64_t image, std::uint64_t out, std::uint64_t r, std::uint64_t c) {
    double sum = bias.at(0, out);
    for (std::uint64_t k = 0; k < 3; ++k)
      for (std::uint64_t s = 0; s < 3; ++s)
        for (std::uint64_t t = 0; t < 3; ++t) {
          const std::uint64_t row = r * stride + s, column = c * stride + t;
          if (row < padding || column < padding || row - padding >= 8 || column - padding >= 7) continue;
          sum += double{w.at((out * 3 + k) * 3 + s, t)} *
                 double{x.at((image * 3 + k) * 8 + row - padding, column - padding)};
        }
    return static_cast<float>(relu ? std::max(sum, 0.0) : sum);
  };
  for (std::uint64_t i = 0; i < y.elements(); ++i) {
    const std::uint64_t map = i / columns / rows;
    isa::store_from_fp32(y.values.data() + 4 * i, y.dtype,
                         pixel(map / 4, map % 4, i / columns % rows, i % columns));
  }
  const auto check = [&](const ConvolutionGeometry& geometry) {
    return check_convolution(
        x, w, bias, y, [](std::uint64_t, std::uint64_t) { return std::string("core 0"); }, geometry);
  };
  const GoldenResult right = check({stride, padding, relu});
  INFO(right.first_mismatch);
  CHECK(right.passed());
  CHECK_FALSE(check({stride, padding, !relu}).passed());
  isa::store_from_fp32(y.values.data(), y.dtype, y.at(0, 0) + 0.001F);
  CHECK(check({stride, padding, relu}).mismatches == 1);
}
