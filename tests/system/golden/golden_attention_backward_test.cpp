// SPDX-License-Identifier: Apache-2.0
// The golden checks of attention's gradients and of its log-sum-exp: gradients against differences of the
// forward pass, and errors that must be found.
#include "workloads/attention/backward/golden_attention_backward.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <functional>

#include "runtime/golden/golden_rule.h"

namespace {

using namespace tahoma;
using namespace tahoma::runtime;
using namespace tahoma::workloads;
using isa::DType;

struct Gradients {
  AttentionMask mask;
  std::uint64_t heads, kv_heads, q_len, kv_len, d;
  double scale;
  HostTensor q, k, v, d_o;

  Gradients(DType dtype, AttentionMask m, std::uint64_t h, std::uint64_t kvh, std::uint64_t n,
            std::uint64_t kv, std::uint64_t columns)
      : mask(m),
        heads(h),
        kv_heads(kvh),
        q_len(n),
        kv_len(kv),
        d(columns),
        scale(1 / std::sqrt(static_cast<double>(columns))),
        q(generate_input("q", dtype, {h, n, d}, 5, 0)),
        k(generate_input("k", dtype, {kvh, kv, d}, 5, 1)),
        v(generate_input("v", dtype, {kvh, kv, d}, 5, 2)),
        d_o(generate_input("do", dtype, {h, n, d}, 5, 3)) {}

  bool sees(std::uint64_t i, std::uint64_t j) const {
    const std::uint64_t end = i + kv_len - q_len + 1;
    return !mask.causal || (j < end && (mask.window == 0 || j + mask.window >= end));
  }

  // The sum of d_o o after a change of one element of q, k or v.
  double loss(const HostTensor* moved, std::uint64_t at, double by) const {
    const auto value = [&](const HostTensor& t, std::uint64_t row, std::uint64_t c) {
      return t.at(row, c) + (&t == moved && row * d + c == at ? by : 0.0);
    };
    double sum = 0;
    for (std::uint64_t h = 0; h < heads; ++h)
      for (std::uint64_t i = 0; i < q_len; ++i) {
        const std::uint64_t row = h * q_len + i, first = h * kv_heads / heads * kv_len;
        double weight = 0, dot = 0;
        for (std::uint64_t j = 0; j < kv_len; ++j) {
          if (!sees(i, j)) continue;
          double score = 0, dp = 0;
          for (std::uint64_t c = 0; c < d; ++c) {
            score += value(q, row, c) * value(k, first + j, c);
            dp += static_cast<double>(d_o.at(row, c)) * value(v, first + j, c);
          }
          weight += std::exp(scale * score);
          dot += std::exp(scale * score) * dp;
        }
        sum += dot / weight;
      }
    return sum;
  }

  HostTensor gradient(const char* name, const HostTensor& of) const {
    HostTensor result = make_tensor(name, of.dtype, of.shape);
    constexpr double kStep = 1e-4;
    for (std::uint64_t at = 0; at < of.elements(); ++at)
      set(result, at, (loss(&of, at, kStep) - loss(&of, at, -kStep)) / (2 * kStep));
    return result;
  }
  static void set(HostTensor& tensor, std::uint64_t at, double value) {
    isa::store_from_fp32(tensor.values.data() + at * isa::size_of(tensor.dtype), tensor.dtype,
                         static_cast<float>(value));
  }
};

GoldenResult check(const Gradients& g, const HostTensor& dq, const HostTensor& dk, const HostTensor& dv) {
  const AttentionSaved saved = attention_saved(g.q, g.k, g.v, g.d_o, g.scale, g.mask);
  return check_attention_backward({g.q, g.k, g.v, g.d_o, saved.lse, saved.delta, dq, dk, dv}, g.scale, g.mask,
                                  [](const std::string&) { return MadeBy{}; });
}

}  // namespace

TEST_CASE("golden attention backward: gradients are differences of the forward pass", "[golden]") {
  const DType dtype = GENERATE(DType::kBf16, DType::kFp16, DType::kFp32);
  for (const AttentionMask& mask : {AttentionMask{}, AttentionMask{true, 0}, AttentionMask{true, 3}}) {
    const Gradients g(dtype, mask, 4, 2, 5, 7, 6);
    const HostTensor dq = g.gradient("dq", g.q), dk = g.gradient("dk", g.k), dv = g.gradient("dv", g.v);
    const GoldenResult result = check(g, dq, dk, dv);
    INFO(result.first_mismatch);
    CHECK(result.passed());
    CHECK(result.elements == dq.elements() + dk.elements() + dv.elements());
    CHECK(result.max_rel_error <= result.tolerance);
  }
}

TEST_CASE("golden attention backward: a wrong element of each gradient is found", "[golden]") {
  const DType dtype = GENERATE(DType::kBf16, DType::kFp32);
  const Gradients g(dtype, {true, 0}, 2, 1, 5, 7, 6);
  const HostTensor dq = g.gradient("dq", g.q), dk = g.gradient("dk", g.k), dv = g.gradient("dv", g.v);
  REQUIRE(check(g, dq, dk, dv).passed());
  const int wrong = GENERATE(0, 1, 2);
  HostTensor moved[3] = {dq, dk, dv};
  Gradients::set(moved[wrong], 11, moved[wrong].at(1, 5) + 0.1);
  const GoldenResult result = check(g, moved[0], moved[1], moved[2]);
  CHECK(result.mismatches == 1);
  CHECK_THAT(result.first_mismatch, Catch::StartsWith(moved[wrong].name + "[1, 5] = "));
}

TEST_CASE("golden attention backward: a mask with an error of one key is found", "[golden]") {
  const Gradients g(DType::kBf16, {true, 0}, 1, 1, 5, 7, 6);
  Gradients other = g;
  other.mask.window = 6;
  CHECK_FALSE(
      check(g, other.gradient("dq", other.q), other.gradient("dk", other.k), other.gradient("dv", other.v))
          .passed());
}

TEST_CASE("golden attention: the log of the sum is checked, and a wrong one is found", "[golden]") {
  const Gradients g(DType::kBf16, {true, 3}, 4, 2, 5, 7, 6);
  HostTensor lse = attention_saved(g.q, g.k, g.v, g.d_o, g.scale, g.mask).lse;
  CHECK(check_attention_lse(g.q, g.k, lse, g.scale, g.mask, {}).passed());
  Gradients::set(lse, 12, lse.at(2, 2) + 0.1);
  const GoldenResult result = check_attention_lse(g.q, g.k, lse, g.scale, g.mask, {});
  CHECK(result.mismatches == 1);
  CHECK_THAT(result.first_mismatch, Catch::StartsWith("lse[2, 2] = "));
}
