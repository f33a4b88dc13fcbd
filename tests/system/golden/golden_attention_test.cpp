// SPDX-License-Identifier: Apache-2.0
// The golden check of attention against a naive machine: fp32 scores and sums, probabilities rounded to the
// dtype.
#include "workloads/attention/golden/golden_attention.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "runtime/golden/golden_rule.h"

namespace {

using namespace tahoma;
using namespace tahoma::runtime;
using namespace tahoma::workloads;
using isa::DType;

struct Case {
  DType dtype = DType::kBf16;
  std::uint64_t heads = 2, q_len = 40, kv_len = 70, d = 16;
  bool causal = false;
};

struct Attention {
  Case shape;
  HostTensor q, k, v, o;
  double scale;

  explicit Attention(const Case& c)
      : shape(c),
        q(generate_input("q", c.dtype, {c.heads, c.q_len, c.d}, 3)),
        k(generate_input("k", c.dtype, {c.heads, c.kv_len, c.d}, 3)),
        v(generate_input("v", c.dtype, {c.heads, c.kv_len, c.d}, 3)),
        o(make_tensor("o", c.dtype, {c.heads, c.q_len, c.d})),
        scale(1 / std::sqrt(static_cast<double>(c.d))) {
    for (std::uint64_t row = 0; row < c.heads * c.q_len; ++row) compute(row, visible(row), UINT64_MAX);
  }

  std::uint64_t visible(std::uint64_t row) const {
    return shape.causal ? row % shape.q_len + shape.kv_len - shape.q_len + 1 : shape.kv_len;
  }

  void set(std::uint64_t row, std::uint64_t column, double value) {
    isa::store_from_fp32(o.values.data() + (row * shape.d + column) * isa::size_of(o.dtype), o.dtype,
                         static_cast<float>(value));
  }

  // One query's row of o from its first `seen` keys without key `dropped`.
  void compute(std::uint64_t row, std::uint64_t seen, std::uint64_t dropped) {
    const std::uint64_t base = row / shape.q_len * shape.kv_len;
    std::vector<float> score(seen);
    float top = -1e30F;
    for (std::uint64_t j = 0; j < seen; ++j) {
      for (std::uint64_t c = 0; c < shape.d; ++c)
        score[j] = std::fma(q.at(row, c), k.at(base + j, c), score[j]);
      top = std::max(top, score[j] * static_cast<float>(scale));
    }
    float sum = 0;
    std::vector<float> out(shape.d);
    for (std::uint64_t j = 0; j < seen; ++j) {
      if (j == dropped) continue;
      const float p = std::exp(score[j] * static_cast<float>(scale) - top);
      sum += p;
      const auto rounded = static_cast<float>(round_to(p, shape.dtype));
      for (std::uint64_t c = 0; c < shape.d; ++c) out[c] = std::fma(rounded, v.at(base + j, c), out[c]);
    }
    for (std::uint64_t c = 0; c < shape.d; ++c) set(row, c, out[c] / sum);
  }

  GoldenResult check() const { return check_attention({q, k, v, o}, scale, {shape.causal}, {}); }
};

}  // namespace

TEST_CASE("golden attention: a machine that works in fp32 passes", "[golden]") {
  const DType dtype = GENERATE(DType::kBf16, DType::kFp16, DType::kFp32);
  for (const Case& c : {Case{dtype, 1, 1, 1, 1, false}, Case{dtype, 2, 40, 70, 16, false},
                        Case{dtype, 2, 33, 33, 64, true}, Case{dtype, 1, 5, 300, 128, true}}) {
    const GoldenResult result = Attention(c).check();
    INFO(result.first_mismatch);
    CHECK(result.passed());
    CHECK(result.elements == c.heads * c.q_len * c.d);
    CHECK(result.max_rel_error <= result.tolerance);
  }
}

TEST_CASE("golden attention: an omitted key is found", "[golden]") {
  const DType dtype = GENERATE(DType::kBf16, DType::kFp16, DType::kFp32);
  Attention attention({dtype, 2, 40, 70, 16, false});
  const std::uint64_t row = GENERATE(0, 17, 79);
  attention.compute(row, 70, 33);
  const GoldenResult result = attention.check();
  CHECK_FALSE(result.passed());
  CHECK(result.mismatches <= 16);
}

TEST_CASE("golden attention: in fp32 nearly every element shows a missing key of 300", "[golden]") {
  Attention attention({DType::kFp32, 1, 4, 300, 64, false});
  attention.compute(2, 300, 150);
  CHECK(attention.check().mismatches >= 60);
}

TEST_CASE("golden attention: a causal mask with an error of one key is found", "[golden]") {
  Attention attention({DType::kBf16, 1, 33, 40, 64, true});
  attention.compute(11, attention.visible(11) + 1, UINT64_MAX);
  CHECK_FALSE(attention.check().passed());
  attention.compute(11, attention.visible(11) - 1, UINT64_MAX);
  CHECK_FALSE(attention.check().passed());
  attention.compute(11, attention.visible(11), UINT64_MAX);
  CHECK(attention.check().passed());
}

TEST_CASE("golden attention: a wrong scale, a missing softmax row and a NaN are found", "[golden]") {
  Attention attention({DType::kBf16, 1, 20, 50, 64, false});
  const double right = attention.scale;
  attention.scale = 1.02 * right;
  CHECK_FALSE(attention.check().passed());
  attention.scale = right;
  attention.set(7, 3, std::numeric_limits<float>::quiet_NaN());
  const GoldenResult result = attention.check();
  CHECK(result.mismatches == 1);
  CHECK_THAT(result.first_mismatch, Catch::StartsWith("o[7, 3] = nan"));
}
