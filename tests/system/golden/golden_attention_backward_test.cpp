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
        q(generate_input("q", dtype, {h, n, d}, 5)),
        k(generate_input("k", dtype, {kvh, kv, d}, 5)),
        v(generate_input("v", dtype, {kvh, kv, d}, 5)),
        d_o(generate_input("do", dtype, {h, n, d}, 5)) {}

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

// A machine that rounds P and dS to the dtype and everything else to double, and the deviation of each
// gradient that follows: half a unit in the last place, even, of the value or of the smallest normal number.
struct RoundingMachine {
  HostTensor dq, dk, dv;
  std::vector<double> dq_deviation, dk_deviation, dv_deviation;

  explicit RoundingMachine(const Gradients& g)
      : dq(make_tensor("dq", g.q.dtype, g.q.shape)),
        dk(make_tensor("dk", g.q.dtype, g.k.shape)),
        dv(make_tensor("dv", g.q.dtype, g.v.shape)) {
    const AttentionSaved saved = attention_saved(g.q, g.k, g.v, g.d_o, g.scale, g.mask);
    const DType dtype = g.q.dtype;
    std::vector<double> q(dq.elements()), k(dk.elements()), v(dv.elements());
    std::vector<double> q_variance(q), k_variance(k), v_variance(v);
    const auto error = [&](double value) {
      return std::max(std::fabs(value), smallest_normal(dtype)) * unit_roundoff(dtype) / std::sqrt(3);
    };
    for (std::uint64_t h = 0; h < g.heads; ++h)
      for (std::uint64_t i = 0; i < g.q_len; ++i)
        for (std::uint64_t j = 0; j < g.kv_len; ++j) {
          const std::uint64_t row = h * g.q_len + i, key = h * g.kv_heads / g.heads * g.kv_len + j;
          double score = 0, dp = 0;
          for (std::uint64_t c = 0; c < g.d; ++c) {
            score += static_cast<double>(g.q.at(row, c)) * g.k.at(key, c);
            dp += static_cast<double>(g.d_o.at(row, c)) * g.v.at(key, c);
          }
          const double exact = std::exp(g.scale * score - saved.lse.at(h, i)), p = round_to(exact, dtype);
          const double apart = dp - saved.delta.at(h, i), ds = round_to(p * apart, dtype);
          const double ds_error = std::hypot(error(exact) * apart, error(exact * apart));
          for (std::uint64_t c = 0; c < g.d; ++c) {
            const auto add = [&](std::vector<double>& sum, std::vector<double>& variance, std::uint64_t at,
                                 double a, double by, double deviation) {
              sum[at] += a * by;
              variance[at] += deviation * deviation * by * by;
            };
            add(q, q_variance, row * g.d + c, ds, g.scale * g.k.at(key, c), ds_error);
            add(k, k_variance, key * g.d + c, ds, g.scale * g.q.at(row, c), ds_error);
            add(v, v_variance, key * g.d + c, p, g.d_o.at(row, c), error(exact));
          }
        }
    const auto finish = [](HostTensor& tensor, const std::vector<double>& sums,
                           std::vector<double>& variances) {
      for (std::uint64_t at = 0; at < tensor.elements(); ++at) Gradients::set(tensor, at, sums[at]);
      for (double& variance : variances) variance = std::sqrt(variance);
      return variances;
    };
    dq_deviation = finish(dq, q, q_variance);
    dk_deviation = finish(dk, k, k_variance);
    dv_deviation = finish(dv, v, v_variance);
  }
};

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

TEST_CASE(
    "golden attention backward: subnormal probabilities round absolutely, and four times the rule is found",
    "[golden]") {
  const DType dtype = GENERATE(DType::kFp16, DType::kBf16);
  for (const std::uint64_t keys : {7U, 700U, 5000U}) {
    const Gradients g(dtype, {}, 6, 6, 1, keys, 2);
    const RoundingMachine machine(g);
    const GoldenResult result = check(g, machine.dq, machine.dk, machine.dv);
    INFO(keys << " keys: " << result.first_mismatch);
    CHECK(result.passed());
    const HostTensor* good[3] = {&machine.dq, &machine.dk, &machine.dv};
    const std::vector<double>* deviations[3] = {&machine.dq_deviation, &machine.dk_deviation,
                                                &machine.dv_deviation};
    for (std::size_t which = 0; which < 3; ++which) {
      HostTensor all[3] = {machine.dq, machine.dk, machine.dv};
      const std::uint64_t at = good[which]->elements() / 2, row = at / 2, column = at % 2;
      const double value = good[which]->at(row, column),
                   last_place = 2 * unit_roundoff(dtype) * rounded_size(value, dtype);
      Gradients::set(all[which], at,
                     value + 4 * kGoldenDeviations * (*deviations[which])[at] + 4 * last_place);
      INFO(which);
      CHECK(check(g, all[0], all[1], all[2]).mismatches == 1);
    }
  }
}
