// SPDX-License-Identifier: Apache-2.0
// Accounting of a golden check: blocks of the output are tallied separately (in any order, on any thread),
// merged in block order, and concluded once. The largest errors are kept as candidates and evaluated exactly
// at the end, so that the reported values do not contain the rounding of the reference's blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/golden/golden.h"
#include "runtime/golden/golden_rule.h"

namespace tahoma::runtime {

// The positions with the largest errors, largest first; among equal ones, the first in row-major order.
class LargestErrors {
 public:
  struct Entry {
    double error;
    std::uint64_t row, column;
  };
  void add(double error, std::uint64_t row, std::uint64_t column) {
    if (error > floor_) insert({error, row, column});
  }
  void merge(const LargestErrors& later);
  const std::vector<Entry>& places() const { return places_; }

 private:
  void insert(const Entry& place);
  std::vector<Entry> places_;
  double floor_ = 0;  // a new error must exceed it
};

struct GoldenTally {
  std::uint64_t elements = 0, mismatches = 0;
  std::uint64_t first = UINT64_MAX;  // row-major index of the first mismatch
  std::uint64_t not_finite = 0;      // results that are NaN or infinite
  std::pair<std::uint64_t, std::uint64_t> first_not_finite{UINT64_MAX, 0};  // row and column
  LargestErrors absolute, relative;

  void mismatch(std::uint64_t index);
  // `scale` is added to |want| as the base of the relative error.
  void error(double got, double want, double scale, std::uint64_t row, std::uint64_t column);
  void merge(const GoldenTally& later);
};

// One element and its acceptance rule.
struct ExaminedElement {
  double want = 0, scale = 0;
  Bounds bounds;
};
using Examine = std::function<ExaminedElement(std::uint64_t row, std::uint64_t column)>;

// `tolerance` is the rule's relative epsilon, `rule` the rule in one line.
GoldenResult conclude(const GoldenTally& tally, const HostTensor& got, const Examine& examine,
                      double tolerance, const std::string& rule, const MadeBy& made_by);

}  // namespace tahoma::runtime
