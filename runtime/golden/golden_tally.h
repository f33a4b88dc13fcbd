// SPDX-License-Identifier: Apache-2.0
// Book-keeping of a golden check: blocks of the output are tallied apart (in any order, on any thread),
// merged in block order, and concluded once. The largest errors are kept as candidates and examined exactly
// at the end, so that what is reported does not carry the rounding of the reference's blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/golden/golden.h"
#include "runtime/golden/golden_rule.h"

namespace tahoma::runtime {

// The places with the largest errors, largest first; of equal ones the first in reading order.
class WorstPlaces {
 public:
  struct Place {
    double error;
    std::uint64_t row, column;
  };
  void add(double error, std::uint64_t row, std::uint64_t column) {
    if (error > floor_) insert({error, row, column});
  }
  void merge(const WorstPlaces& later);
  const std::vector<Place>& places() const { return places_; }

 private:
  void insert(const Place& place);
  std::vector<Place> places_;
  double floor_ = 0;  // an error must be larger to enter
};

struct GoldenTally {
  std::uint64_t elements = 0, mismatches = 0;
  std::uint64_t first = UINT64_MAX;  // row-major index of the first mismatch
  WorstPlaces absolute, relative;

  void mismatch(std::uint64_t index);
  // `scale`: the size against which the relative error counts, beside |want|.
  void error(double got, double want, double scale, std::uint64_t row, std::uint64_t column);
  void merge(const GoldenTally& later);
};

// One element as the rule sees it.
struct ExaminedElement {
  double want = 0, scale = 0;
  Bounds bounds;
};
using Examine = std::function<ExaminedElement(std::uint64_t row, std::uint64_t column)>;

// `tolerance`: the rule's relative epsilon; `rule`: the rule in one line.
GoldenResult conclude(const GoldenTally& tally, const HostTensor& got, const Examine& examine,
                      double tolerance, const std::string& rule, const MadeBy& made_by);

}  // namespace tahoma::runtime
