// SPDX-License-Identifier: Apache-2.0
// Golden definitions of products with an epilogue and of the MLP must accept every correct machine and reject
// wrong ones. The machines here are naive loops in fp32.
#include <catch2/catch.hpp>
#include <cmath>

#include "runtime/golden/golden_rule.h"
#include "workloads/common/golden_activation.h"
#include "workloads/gemm/golden_gemm.h"
#include "workloads/mlp/golden_mlp.h"

using namespace tahoma;
using namespace tahoma::runtime;
using namespace tahoma::workloads;
using isa::ActFn, isa::DType;

namespace {

std::string one_core(std::uint64_t, std::uint64_t) { return "core 0"; }

void set(HostTensor& t, std::uint64_t row, std::uint64_t column, double value) {
  isa::store_from_fp32(t.values.data() + (row * t.columns() + column) * isa::size_of(t.dtype), t.dtype,
                       static_cast<float>(value));
}

float dot(const HostTensor& a, const HostTensor& b, std::uint64_t row, std::uint64_t column) {
  float sum = 0;
  for (std::uint64_t k = 0; k < a.columns(); ++k) sum = std::fma(a.at(row, k), b.at(k, column), sum);
  return sum;
}

float silu(float x) { return x / (1 + std::exp(-x)); }

struct Layer {
  HostTensor a, b, bias, residual, c;
  explicit Layer(DType dtype)
      : a(generate_input("a", dtype, {9, 200}, 1)),
        b(generate_input("b", dtype, {200, 11}, 1)),
        bias(generate_input("bias", DType::kFp32, {1, 11}, 1)),
        residual(generate_input("residual", dtype, {9, 11}, 1)),
        c(make_tensor("c", dtype, {9, 11})) {
    for (std::uint64_t i = 0; i < 9; ++i)
      for (std::uint64_t j = 0; j < 11; ++j)
        set(c, i, j, silu(dot(a, b, i, j) + bias.at(0, j)) + residual.at(i, j));
  }
  GoldenResult check(ActFn fn = ActFn::kSilu, bool with_bias = true, bool with_residual = true) const {
    return check_gemm(a, b, c, one_core,
                      {nullptr, with_bias ? &bias : nullptr, fn, with_residual ? &residual : nullptr});
  }
};

struct Mlp {
  HostTensor x, gate, up, down, y;
  explicit Mlp(DType dtype)
      : x(generate_input("x", dtype, {5, 40}, 2)),
        gate(generate_input("gate", dtype, {40, 1100}, 2)),
        up(generate_input("up", dtype, {40, 1100}, 2)),
        down(generate_input("down", dtype, {1100, 40}, 2)),
        y(make_tensor("y", dtype, {5, 40})) {
    multiply();
  }
  // Omits the hidden feature `dropped`.
  void multiply(std::uint64_t dropped = UINT64_MAX) {
    HostTensor h = make_tensor("h", x.dtype, {5, 1100});
    for (std::uint64_t i = 0; i < 5; ++i)
      for (std::uint64_t f = 0; f < 1100; ++f)
        if (f != dropped) set(h, i, f, silu(dot(x, gate, i, f)) * dot(x, up, i, f));
    for (std::uint64_t i = 0; i < 5; ++i)
      for (std::uint64_t o = 0; o < 40; ++o) set(y, i, o, dot(h, down, i, o));
  }
  GoldenResult check(ActFn fn = ActFn::kSilu) const {
    return check_mlp({x, &gate, up, down, nullptr, nullptr}, fn, y, one_core);
  }
};

}  // namespace

TEST_CASE("golden epilogue: bias, activation and residual in fp32 pass", "[golden]") {
  const Layer layer(GENERATE(DType::kBf16, DType::kFp16, DType::kFp32));
  const GoldenResult result = layer.check();
  INFO(result.first_mismatch);
  CHECK(result.passed());
  CHECK(result.elements == 99);
}

TEST_CASE("golden epilogue: an omitted bias, residual or activation is found", "[golden]") {
  const Layer layer(DType::kBf16);
  CHECK_FALSE(layer.check(ActFn::kSilu, false, true).passed());
  CHECK_FALSE(layer.check(ActFn::kSilu, true, false).passed());
  CHECK_FALSE(layer.check(ActFn::kCopy).passed());
  CHECK_FALSE(layer.check(ActFn::kGeluSigmoid).passed());
}

TEST_CASE("golden epilogue: one wrong value is found at its position", "[golden]") {
  const DType dtype = GENERATE(DType::kBf16, DType::kFp32);
  Layer layer(dtype);
  // Four times what the rule allows at most: the rounding of the value, and the deviations of a sum of 201
  // terms, each at its size. The slope of silu is at most 1.1.
  double terms = std::fabs(layer.bias.at(0, 7));
  for (std::uint64_t k = 0; k < 200; ++k) terms += std::fabs(layer.a.at(4, k) * layer.b.at(k, 7));
  const double right = layer.c.at(4, 7);
  const double allowed = unit_roundoff(dtype) * std::fabs(right) +
                         1.1 * runtime::kGoldenDeviations * 0x1p-24 * std::sqrt(201 / 3.0) * terms;
  set(layer.c, 4, 7, right + 4 * allowed);
  const GoldenResult result = layer.check();
  CHECK(result.mismatches == 1);
  CHECK_THAT(result.first_mismatch, Catch::Contains("4") && Catch::Contains("7"));
}

TEST_CASE("golden activation: the definitions have the values of mathematical tables", "[golden]") {
  const auto value = [](ActFn fn, double x) { return golden_activation(fn).value(x); };
  CHECK(value(ActFn::kRelu, -2) == 0);
  CHECK(value(ActFn::kRelu, 2) == 2);
  CHECK(value(ActFn::kSigmoid, 0) == 0.5);
  CHECK(value(ActFn::kSilu, 1) == Approx(0.7310585786300049).epsilon(1e-15));
  CHECK(value(ActFn::kGelu, 1) == Approx(0.8413447460685429).epsilon(1e-15));
  CHECK(value(ActFn::kGelu, -1) == Approx(-0.15865525393145707).epsilon(1e-14));
  CHECK(value(ActFn::kTanh, 0.5) == Approx(0.46211715726000976).epsilon(1e-15));
  CHECK(value(ActFn::kGeluTanh, 1) == Approx(0.8411919906082768).epsilon(1e-14));
  CHECK(value(ActFn::kGeluSigmoid, 1) == Approx(0.8457957659328212).epsilon(1e-14));
  CHECK(value(ActFn::kSilu, -1e5) == 0);
}

TEST_CASE("golden activation: no slope is steeper than the slack assumes", "[golden]") {
  for (const ActFn fn : {ActFn::kRelu, ActFn::kGelu, ActFn::kGeluTanh, ActFn::kGeluSigmoid, ActFn::kSilu,
                         ActFn::kSigmoid, ActFn::kTanh}) {
    const GoldenActivation& f = golden_activation(fn);
    double steepest = 0;
    for (double x = -8; x < 8; x += 0x1p-8)
      steepest = std::max(steepest, std::fabs(f.value(x + 0x1p-8) - f.value(x)) * 0x1p8);
    CHECK(steepest <= f.slope);
    CHECK(steepest > 0.95 * f.slope);
  }
}

TEST_CASE("golden MLP: fp32 sums and a rounded hidden layer pass", "[golden]") {
  const GoldenResult result = Mlp(GENERATE(DType::kBf16, DType::kFp16, DType::kFp32)).check();
  INFO(result.first_mismatch);
  CHECK(result.passed());
  CHECK(result.elements == 200);
}

TEST_CASE("golden MLP: another activation is found", "[golden]") {
  CHECK_FALSE(Mlp(DType::kBf16).check(ActFn::kGelu).passed());
  CHECK_FALSE(Mlp(DType::kFp32).check(ActFn::kGeluSigmoid).passed());
}

TEST_CASE("golden MLP: one omitted hidden feature of 1100 is found in fp32", "[golden]") {
  Mlp mlp(DType::kFp32);
  mlp.multiply(GENERATE(0, 500, 1024, 1099));
  CHECK_FALSE(mlp.check().passed());
}
