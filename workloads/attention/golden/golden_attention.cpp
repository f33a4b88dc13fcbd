// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/golden/golden_attention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "model/base/error.h"
#include "runtime/golden/golden_tally.h"
#include "runtime/host/host_threads.h"
#include "workloads/attention/golden/golden_attention_rows.h"
#include "workloads/common/golden_matrix.h"

namespace tahoma::workloads {

using runtime::accumulation_slack, runtime::bounds_of, runtime::ExaminedElement, runtime::GoldenResult,
    runtime::GoldenTally;
using runtime::HostTensor, runtime::kGoldenDeviations, runtime::MadeBy, runtime::smallest_normal,
    runtime::unit_roundoff, runtime::WantedRow, runtime::widen_window;

namespace {

// Returns one head's rows of a [heads, n, d] tensor.
Doubles head_of(const HostTensor& tensor, std::uint64_t head) {
  const std::uint64_t rows = tensor.shape[1], columns = tensor.shape[2];
  return doubles_of(tensor, {head * rows, 0, rows, columns});
}

struct Head {
  Doubles q, k, v, v_abs, v_squared;
  Doubles v_mass, v_square;  // of each column: the sums of |v| and v^2
  double score_range = 0;    // |q_i| |k_j| at most: bounds every running sum of a score
};

// attention_rows() computed this for some rows of one head.
struct Reference {
  std::uint64_t row = 0, rows = 0, columns = 0;
  Doubles want, mass, square, max_score, lse, spread;
};

bool fit(const HostTensor& q, const HostTensor& k, const AttentionMask& mask) {
  return q.shape.size() == 3 && k.shape.size() == 3 && q.shape[0] % k.shape[0] == 0 &&
         q.shape[2] == k.shape[2] && (!mask.causal || q.shape[1] <= k.shape[1]) &&
         (mask.causal || mask.window == 0);
}

class AttentionCheck {
 public:
  AttentionCheck(const HostTensor& q, const HostTensor& k, const HostTensor& v, const HostTensor& o,
                 double scale, const AttentionMask& mask)
      : q_(q), k_(k), v_(v), o_(o), scale_(scale), mask_(mask), q_len_(q.shape[1]), kv_len_(k.shape[1]) {}

  GoldenTally run() {
    GoldenTally tally;
    const std::uint64_t height = score_rows(q_len_, kv_len_);
    const std::uint64_t blocks = (q_len_ + height - 1) / height;
    for (std::uint64_t head = 0; head < q_.shape[0]; ++head) {
      enter(head);
      std::vector<GoldenTally> tallies(blocks);
      runtime::for_each_block(blocks, [&](std::uint64_t b) {
        tallies[b] = compare(reference(b * height, std::min(height, q_len_ - b * height)));
      });
      for (const GoldenTally& t : tallies) tally.merge(t);
    }
    return tally;
  }

  ExaminedElement examine(std::uint64_t row, std::uint64_t column) {
    if (row / q_len_ != head_) enter(row / q_len_);
    return element(reference(row % q_len_, 1), 0, column);
  }

  // Relative errors that all probabilities of a row may share, and those of the sums, as a multiple of sum p
  // |v|.
  double shared_error(double max_score) const {
    const double unit = 0x1p-24, products = o_.dtype == isa::DType::kFp32 ? 2 : 1;
    const double kv = static_cast<double>(kv_len_), d = static_cast<double>(q_.shape[2]);
    const double score = scale_ * accumulation_slack(products * d, held_.score_range);
    const double argument = 4 * max_score * unit;  // scaling and shifting a score, before the exponential
    const double function = 16 * unit;             // exponential, reciprocal, last product: a few units each
    const double rescaling =
        4 * unit * (1 + kv / 128);  // running sums change to a new maximum at most once per 128 keys
    const double sums = 2 * accumulation_slack(products * kv, 1);  // of p v and of p
    return score + argument + function + rescaling + sums;
  }

  // All queries of a head, some at a time.
  void for_each_reference(std::uint64_t head, const std::function<void(const Reference&)>& see) {
    enter(head);
    const std::uint64_t height = score_rows(q_len_, kv_len_);
    for (std::uint64_t first = 0; first < q_len_; first += height)
      see(reference(first, std::min(height, q_len_ - first)));
  }

  WantedRow lse_of(std::uint64_t head) {
    WantedRow row;
    for_each_reference(head, [&](const Reference& r) {
      for (std::uint64_t i = 0; i < r.rows; ++i) {
        row.want.push_back(r.lse[i]);
        row.slack.push_back(unit_roundoff(q_.dtype) * relative_spread(r, i) + shared_error(r.max_score[i]) +
                            4 * 0x1p-24 * std::fabs(r.lse[i]));
      }
    });
    row.scale.assign(row.want.size(), 1);
    return row;
  }

 private:
  void enter(std::uint64_t head) {
    head_ = head;
    const std::uint64_t kv_head = head * k_.shape[0] / q_.shape[0];
    held_ = {head_of(q_, head), head_of(k_, kv_head), head_of(v_, kv_head), {}, {}, {}, {}, 0};
    for (const double x : held_.v) {
      held_.v_abs.push_back(std::fabs(x));
      held_.v_squared.push_back(x * x);
    }
    const std::size_t columns = v_.shape[2];
    held_.v_mass.resize(columns);
    held_.v_square.resize(columns);
    for (std::size_t i = 0; i < held_.v.size(); ++i) {
      held_.v_mass[i % columns] += held_.v_abs[i];
      held_.v_square[i % columns] += held_.v_squared[i];
    }
    held_.score_range = largest_norm(held_.q, q_.shape[2]) * largest_norm(held_.k, q_.shape[2]);
  }

  Reference reference(std::uint64_t row, std::uint64_t rows) const {
    const std::uint64_t d = q_.shape[2];
    Reference r{.row = row,
                .rows = rows,
                .columns = d,
                .want = Doubles(rows * d),
                .mass = Doubles(rows * d),
                .square = Doubles(rows * d),
                .max_score = Doubles(rows),
                .lse = Doubles(rows),
                .spread = Doubles(rows)};
    Doubles scores(rows * kv_len_);
    AttentionRows b;
    b.rows = static_cast<std::ptrdiff_t>(rows);
    b.kv = static_cast<std::ptrdiff_t>(kv_len_);
    b.d = static_cast<std::ptrdiff_t>(d);
    b.visible = static_cast<std::ptrdiff_t>(mask_.causal ? row + kv_len_ - q_len_ + 1 : kv_len_);
    b.visible_step = mask_.causal ? 1 : 0;
    b.window = static_cast<std::ptrdiff_t>(mask_.window);
    b.scale = scale_;
    b.q = held_.q.data() + row * d;
    b.k = held_.k.data();
    b.v = held_.v.data();
    b.v_abs = held_.v_abs.data();
    b.v_squared = held_.v_squared.data();
    b.scores = scores.data();
    b.want = r.want.data();
    b.mass = r.mass.data();
    b.square = r.square.data();
    b.max_score = r.max_score.data();
    b.lse = r.lse.data();
    b.spread = r.spread.data();
    attention_rows(b);
    return r;
  }

  // The error of the sum of rounded probabilities, in units of the dtype.
  double relative_spread(const Reference& r, std::uint64_t row) const {
    const double keys = static_cast<double>(kv_len_), least = smallest_normal(q_.dtype);
    return std::min(kGoldenDeviations * std::sqrt((r.spread[row] + keys * least * least) / 3),
                    1 + keys * least);
  }

  ExaminedElement element(const Reference& r, std::uint64_t row, std::uint64_t column) const {
    const std::size_t at = row * r.columns + column;
    // Probabilities are rounded to the inputs' dtype; together they cannot err by more than a unit.
    // A subnormal one has the error of the smallest normal one; the largest is 1 before it is divided by the
    // sum.
    const double least = smallest_normal(q_.dtype);
    const double square = r.square[at] + least * least * held_.v_square[column],
                 mass = r.mass[at] + least * held_.v_mass[column];
    const double spread = std::min(kGoldenDeviations * std::sqrt(square / 3), mass) +
                          std::fabs(r.want[at]) * relative_spread(r, row);
    const double slack = unit_roundoff(q_.dtype) * spread + shared_error(r.max_score[row]) * r.mass[at];
    return {r.want[at], r.mass[at], bounds_of(r.want[at], slack, o_.dtype)};
  }

  GoldenTally compare(const Reference& r) const {
    GoldenTally tally;
    std::vector<float> got(r.columns);
    for (std::uint64_t i = 0; i < r.rows; ++i) {
      const std::uint64_t row = head_ * q_len_ + r.row + i;
      widen_window(o_, {row, 0, 1, r.columns}, got.data());
      for (std::uint64_t column = 0; column < r.columns; ++column) {
        const ExaminedElement e = element(r, i, column);
        tally.error(got[column], e.want, e.scale, row, column);
        if (!e.bounds.accept(got[column])) tally.mismatch(row * r.columns + column);
      }
    }
    return tally;
  }

  const HostTensor &q_, &k_, &v_, &o_;
  double scale_;
  AttentionMask mask_;
  std::uint64_t q_len_, kv_len_;
  std::uint64_t head_ = UINT64_MAX;
  Head held_;
};

}  // namespace

GoldenResult check_attention(const AttentionTensors& tensors, double scale, const AttentionMask& mask,
                             const MadeBy& made_by) {
  const HostTensor &q = tensors.q, &k = tensors.k, &v = tensors.v, &o = tensors.o;
  TAHOMA_INVARIANT(
      fit(q, k, mask) && q.shape == o.shape && k.shape == v.shape,
      fmt::format("golden attention of q {}, k {}, v {}, o {}", q.shape, k.shape, v.shape, o.shape));
  AttentionCheck check(q, k, v, o, scale, mask);
  const GoldenTally tally = check.run();
  const double shared = check.shared_error(0);
  const std::string rule = fmt::format(
      "{} rounding of want +- ({:g} * 2^{:.0f} * (sqrt(sum p^2 v^2 / 3) + |want| sqrt(sum p^2 / 3)) + "
      "{:.2g} * sum p |v|)",
      isa::name_of(o.dtype), kGoldenDeviations, std::log2(unit_roundoff(q.dtype)), shared);
  return conclude(
      tally, o, [&](auto row, auto column) { return check.examine(row, column); },
      unit_roundoff(o.dtype) + 2 * unit_roundoff(q.dtype) + shared, rule, made_by);
}

GoldenResult check_attention_lse(const HostTensor& q, const HostTensor& k, const HostTensor& lse,
                                 double scale, const AttentionMask& mask, const MadeBy& made_by) {
  TAHOMA_INVARIANT(fit(q, k, mask) && lse.shape == std::vector<std::uint64_t>({q.shape[0], q.shape[1]}),
                   fmt::format("golden attention of q {}, k {}, lse {}", q.shape, k.shape, lse.shape));
  AttentionCheck check(q, k, k, q, scale, mask);
  const double shared = check.shared_error(0);
  const std::string rule =
      fmt::format("want +- ({:g} * 2^{:.0f} * sqrt(sum p^2 / 3) + {:.2g} + 4 * 2^-24 * (|scores| + |want|))",
                  kGoldenDeviations, std::log2(unit_roundoff(q.dtype)), shared);
  return runtime::check_rows(
      lse, [&](std::uint64_t head) { return check.lse_of(head); }, unit_roundoff(q.dtype) + shared, rule,
      made_by);
}

AttentionSaved attention_saved(const HostTensor& q, const HostTensor& k, const HostTensor& v,
                               const HostTensor& d_o, double scale, const AttentionMask& mask) {
  const std::uint64_t heads = q.shape[0], q_len = q.shape[1], d = q.shape[2];
  AttentionSaved saved{runtime::make_tensor("lse", isa::DType::kFp32, {heads, q_len}),
                       runtime::make_tensor("delta", isa::DType::kFp32, {heads, q_len})};
  const auto set = [](HostTensor& tensor, std::uint64_t at, double value) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(tensor.values.data() + at * sizeof narrow, &narrow, sizeof narrow);
  };
  AttentionCheck check(q, k, v, q, scale, mask);
  for (std::uint64_t head = 0; head < heads; ++head)
    check.for_each_reference(head, [&](const Reference& r) {
      for (std::uint64_t i = 0; i < r.rows; ++i) {
        const std::uint64_t row = head * q_len + r.row + i;
        double sum = 0;
        for (std::uint64_t c = 0; c < d; ++c) sum += d_o.at(row, c) * r.want[i * d + c];
        set(saved.lse, row, r.lse[i]);
        set(saved.delta, row, sum);
      }
    });
  return saved;
}

}  // namespace tahoma::workloads
