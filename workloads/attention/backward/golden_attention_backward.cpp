// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/backward/golden_attention_backward.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "model/base/error.h"
#include "runtime/golden/golden_rule.h"
#include "workloads/common/definition.h"
#include "workloads/common/golden_matrix.h"

namespace tahoma::workloads {

using runtime::accumulation_slack, runtime::GoldenResult, runtime::HostTensor, runtime::kGoldenDeviations,
    runtime::MadeBy, runtime::rounded_size;
using runtime::unit_roundoff, runtime::WantedRow;

namespace {

Doubles rows_of(const HostTensor& tensor, std::uint64_t first, std::uint64_t rows) {
  return doubles_of(tensor, {first, 0, rows, tensor.columns()});
}

Doubles transposed(const Doubles& a, std::uint64_t rows, std::uint64_t columns) {
  Doubles t(a.size());
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < columns; ++c) t[c * rows + r] = a[r * columns + c];
  return t;
}

template <class F>
Doubles each(const Doubles& a, F&& f) {
  Doubles result(a.size());
  std::transform(a.begin(), a.end(), result.begin(), f);
  return result;
}
Doubles magnitudes(const Doubles& a) {
  return each(a, [](double x) { return std::fabs(x); });
}
Doubles squares(const Doubles& a) {
  return each(a, [](double x) { return x * x; });
}

// The left factor of a product with its errors. `variances` and `most`: of its roundings to the dtype, in
// units u^2 / 3 and u. `errors`: those that count in full. `sizes`: |a|, or the terms of a difference that
// may cancel.
struct Factor {
  Doubles a, variances, most, errors, sizes;
};

// Sums of products a_j b_j: the value, the variance and the largest size of the roundings of a, sum |a b|,
// the sum of full errors, and that of sizes.
struct Sums {
  Doubles want, square, most, mass, full, size;

  explicit Sums(std::uint64_t elements)
      : want(elements), square(elements), most(elements), mass(elements), full(elements), size(elements) {}

  // Rows [first, first + rows) += a b.
  void add(const Factor& f, const Doubles& b, std::uint64_t first, std::uint64_t rows,
           std::uint64_t columns) {
    const auto into = [&](Doubles& sum, const Doubles& x, const Doubles& y) {
      const Doubles more = product(x, y, rows, columns);
      for (std::size_t i = 0; i < more.size(); ++i) sum[first * columns + i] += more[i];
    };
    const Doubles b_abs = magnitudes(b);
    into(want, f.a, b);
    into(square, f.variances, squares(b));
    into(most, f.most, b_abs);
    into(mass, magnitudes(f.a), b_abs);
    into(full, f.errors, b_abs);
    into(size, f.sizes, b_abs);
  }
};

class BackwardCheck {
 public:
  BackwardCheck(const AttentionGradients& g, double scale, const AttentionMask& mask)
      : g_(g),
        scale_(scale),
        mask_(mask),
        heads_(g.q.shape[0]),
        kv_heads_(g.k.shape[0]),
        q_len_(g.q.shape[1]),
        kv_len_(g.k.shape[1]),
        d_(g.q.shape[2]),
        products_(g.q.dtype == isa::DType::kFp32 ? 2 : 1),
        dq(heads_ * q_len_ * d_),
        dk(kv_heads_ * kv_len_ * d_),
        dv(kv_heads_ * kv_len_ * d_) {
    for (std::uint64_t head = 0; head < heads_; ++head) add_head(head);
  }

  // `factor` multiplies the sum, which has `count` addends.
  WantedRow row(const Sums& sums, std::uint64_t row, double factor, double count) const {
    WantedRow wanted;
    const double u = unit_roundoff(g_.q.dtype);
    for (std::uint64_t c = 0; c < d_; ++c) {
      const std::size_t at = row * d_ + c;
      const double mass = sums.mass[at];
      const double rounding = u * std::min(kGoldenDeviations * std::sqrt(sums.square[at] / 3), sums.most[at]);
      const double sum = accumulation_slack(products_ * count, mass) + 4 * kUnit * std::fabs(sums.want[at]);
      wanted.want.push_back(factor * sums.want[at]);
      wanted.slack.push_back(factor * (rounding + sums.full[at] + sum));
      wanted.scale.push_back(factor * sums.size[at]);
    }
    return wanted;
  }

  double scale() const { return scale_; }
  double queries() const {
    const std::uint64_t sharers = heads_ / kv_heads_;  // of a key and value head
    return static_cast<double>(q_len_ * sharers);
  }
  double keys() const { return static_cast<double>(kv_len_); }

 private:
  struct Head {
    Doubles q, k, v, d_o, kt, vt;
    double score_range = 0, dp_range = 0;
  };

  void add_head(std::uint64_t head) {
    const std::uint64_t kv = head * kv_heads_ / heads_;
    Head h{rows_of(g_.q, head * q_len_, q_len_),
           rows_of(g_.k, kv * kv_len_, kv_len_),
           rows_of(g_.v, kv * kv_len_, kv_len_),
           rows_of(g_.d_o, head * q_len_, q_len_),
           {},
           {},
           0,
           0};
    h.kt = transposed(h.k, kv_len_, d_);
    h.vt = transposed(h.v, kv_len_, d_);
    h.score_range = largest_norm(h.q, d_) * largest_norm(h.k, d_);
    h.dp_range = largest_norm(h.d_o, d_) * largest_norm(h.v, d_);
    const std::uint64_t height = score_rows(q_len_, kv_len_);
    for (std::uint64_t first = 0; first < q_len_; first += height)
      add_rows(h, head, kv, first, std::min(height, q_len_ - first));
  }

  void add_rows(const Head& h, std::uint64_t head, std::uint64_t kv, std::uint64_t first,
                std::uint64_t rows) {
    const auto part = [&](const Doubles& all) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first * d_);
      return Doubles(begin, begin + static_cast<std::ptrdiff_t>(rows * d_));
    };
    const Doubles q = part(h.q), d_o = part(h.d_o);
    Doubles p = product(q, h.kt, rows, kv_len_), ds = product(d_o, h.vt, rows, kv_len_);
    const std::size_t n = p.size();
    Factor of_p{{}, Doubles(n), Doubles(n), Doubles(n), {}};
    Factor of_ds{{}, Doubles(n), Doubles(n), Doubles(n), Doubles(n)};
    for (std::uint64_t i = 0; i < rows; ++i) {
      const double lse = g_.lse.at(head, first + i), delta = g_.delta.at(head, first + i);
      for (std::uint64_t j = 0; j < kv_len_; ++j) {
        const std::size_t at = i * kv_len_ + j;
        const double score = scale_ * p[at], dp = ds[at];
        p[at] = sees(first + i, j) ? std::exp(score - lse) : 0;
        ds[at] = p[at] * (dp - delta);
        const double p_rounded = rounded_size(p[at], g_.q.dtype), apart = std::fabs(dp - delta),
                     ds_rounded = rounded_size(ds[at], g_.q.dtype);
        of_p.variances[at] = p_rounded * p_rounded;
        of_p.most[at] = p_rounded;
        // The rounded P times the difference, rounded again.
        of_ds.variances[at] = p_rounded * p_rounded * apart * apart + ds_rounded * ds_rounded;
        of_ds.most[at] = p_rounded * apart + ds_rounded;
        of_p.errors[at] =
            p[at] * (scale_ * accumulation_slack(products_ * static_cast<double>(d_), h.score_range) +
                     kUnit * (4 * (std::fabs(score) + std::fabs(lse)) + 16));
        of_ds.errors[at] = of_p.errors[at] * apart +
                           p[at] * (accumulation_slack(products_ * static_cast<double>(d_), h.dp_range) +
                                    2 * kUnit * (std::fabs(dp) + std::fabs(delta)));
        of_ds.sizes[at] = p[at] * (std::fabs(dp) + std::fabs(delta));
      }
    }
    of_p.a = of_p.sizes = p;
    of_ds.a = ds;
    const auto by_key = [&](const Factor& f) {
      const auto turned = [&](const Doubles& a) { return transposed(a, rows, kv_len_); };
      return Factor{turned(f.a), turned(f.variances), turned(f.most), turned(f.errors), turned(f.sizes)};
    };
    dq.add(of_ds, h.k, head * q_len_ + first, rows, d_);
    dk.add(by_key(of_ds), q, kv * kv_len_, kv_len_, d_);
    dv.add(by_key(of_p), d_o, kv * kv_len_, kv_len_, d_);
  }

  bool sees(std::uint64_t query, std::uint64_t key) const {
    if (!mask_.causal) return true;
    const std::uint64_t end = query + kv_len_ - q_len_ + 1;
    return key < end && (mask_.window == 0 || key + mask_.window >= end);
  }

  const AttentionGradients& g_;
  double scale_;
  AttentionMask mask_;
  std::uint64_t heads_, kv_heads_, q_len_, kv_len_, d_;
  double products_;

 public:
  Sums dq, dk, dv;
};

}  // namespace

GoldenResult check_attention_backward(const AttentionGradients& g, double scale, const AttentionMask& mask,
                                      const std::function<MadeBy(const std::string& output)>& maker) {
  TAHOMA_INVARIANT(g.q.shape.size() == 3 && g.k.shape.size() == 3 && g.q.shape[0] % g.k.shape[0] == 0 &&
                       g.q.shape[2] == g.k.shape[2] && g.q.shape == g.d_o.shape && g.q.shape == g.dq.shape &&
                       g.k.shape == g.v.shape && g.k.shape == g.dk.shape && g.k.shape == g.dv.shape,
                   fmt::format("golden gradients of q {}, k {}, dq {}, dk {}", g.q.shape, g.k.shape,
                               g.dq.shape, g.dk.shape));
  const BackwardCheck check(g, scale, mask);
  const double u = unit_roundoff(g.q.dtype);
  const std::string rule = fmt::format(
      "{} rounding of want +- ({:g} * 2^{:.0f} * sqrt(sum r^2 b^2 / 3) + errors of a times |b| + fp32 sums), "
      "with the roundings r of P, and of P and dS",
      isa::name_of(g.q.dtype), kGoldenDeviations, std::log2(u));
  const auto one = [&](const HostTensor& got, const Sums& sums, double factor, double roundings,
                       double count) {
    return runtime::check_rows(
        got, [&](std::uint64_t row) { return check.row(sums, row, factor, count); },
        (1 + roundings) * u + accumulation_slack(2 * count, 1) + 64 * kUnit, rule, maker(got.name));
  };
  GoldenResult result = one(g.dq, check.dq, scale, 2, check.keys());
  result.add(one(g.dk, check.dk, scale, 2, check.queries()));
  result.add(one(g.dv, check.dv, 1, 1, check.queries()));
  return result;
}

}  // namespace tahoma::workloads
