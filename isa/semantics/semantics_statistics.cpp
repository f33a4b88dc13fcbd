// SPDX-License-Identifier: Apache-2.0
// Means and variances: bn_stats, bn_aggr. Every operation rounds once, in fp32. The silicon's order of
// operations is not published; this one is Tahoma's.
#include <array>
#include <cmath>

#include "isa/semantics/arithmetic/partition_row.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/simd/alu.h"

namespace tahoma::isa {
namespace {

struct Triple {
  float count = 0, mean = 0, spread = 0;  // spread: variance * count, the sum of squared distances
};

// Statistics of every second element: first the sum, from +0 in ascending order, and the mean; then the
// distances from the mean, each squared and added by one fused multiply-add, from +0 in ascending order.
Triple statistics(const std::vector<float>& values, std::size_t first) {
  Triple t;
  for (std::size_t i = first; i < values.size(); i += 2) {
    t.count += 1;
    t.mean += values[i];
  }
  if (t.count == 0) return t;
  t.mean = one_nan(t.mean / t.count);
  for (std::size_t i = first; i < values.size(); i += 2) {
    const float distance = values[i] - t.mean;
    t.spread = std::fma(distance, distance, t.spread);
  }
  t.spread = one_nan(t.spread);
  return t;
}

// Merges two groups: the mean moves by the difference of the means times the second group's share
// of the elements.
Triple joined(const Triple& a, const Triple& b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  Triple t;
  t.count = a.count + b.count;
  const float distance = b.mean - a.mean, share = b.count / t.count;
  t.mean = a.mean + distance * share;
  t.spread = (a.spread + b.spread) + (distance * distance) * (a.count * share);
  return t;
}

}  // namespace

void do_bn_stats(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0);
  std::vector<float> values;
  for (std::size_t p = 0; p < i.shape.partitions; ++p) {
    PartitionRow(src, i.shape.count, p).load(values);
    const Triple even = statistics(values, 0), odd = statistics(values, 1);
    const std::array<float, 6> both{even.count, even.mean, even.spread, odd.count, odd.mean, odd.spread};
    PartitionRow(dst, in_a_row(both.size()), p).store(both.data(), core);
  }
}

void do_bn_aggr(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0);
  std::vector<float> values;
  for (std::size_t p = 0; p < i.shape.partitions; ++p) {
    PartitionRow(src, i.shape.count, p).load(values);
    Triple all;
    for (std::size_t k = 0; k + 3 <= values.size(); k += 3)
      all = joined(all, {values[k], values[k + 1], values[k + 2]});
    const float variance = all.count == 0 ? 0 : all.spread / all.count;
    const std::array<float, 2> result{one_nan(all.mean), one_nan(variance)};
    PartitionRow(dst, in_a_row(result.size()), p).store(result.data(), core);
  }
}

}  // namespace tahoma::isa
