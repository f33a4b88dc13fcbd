// SPDX-License-Identifier: Apache-2.0
// The changes of a case's outputs: how many parts of an output changed, where the first is, and the largest
// errors of the new values against the old ones.
//
// Errors are known of the kept values only (kept_values.h). They are those of all elements if the output is
// kept as a whole, and lower bounds otherwise. The absolute error is |new - old|; it is infinite if only one
// of both is finite or a number. The relative error is the absolute one over |old|, of elements whose old
// value is finite and not 0.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "studies/validation/regression/values/kept_values.h"

namespace tahoma::runtime {

struct ElementChange {
  std::uint64_t index = 0;  // row-major
  double before = 0, after = 0, error = 0;
};

struct OutputChange {
  std::string name;
  std::string incomparable;  // why errors are not known; "" if the following is known
  std::vector<std::uint64_t> shape;
  std::uint64_t block_length = 0, blocks = 0, blocks_changed = 0;
  BlockRange first{0, 0};                           // the first block that changed
  std::uint64_t values_changed = 0;                 // of the kept ones
  std::optional<ElementChange> absolute, relative;  // the first ones with the largest error
};

// The outputs that differ, in the order of `before`, then new ones.
std::vector<OutputChange> output_changes(const std::vector<KeptOutput>& before,
                                         const std::vector<KeptOutput>& after);

// "out: 3 of 128 elements differ, the first is [0, 17]; largest absolute error 0.5 at [0, 17] (1 -> 1.5),
// ..."
std::string change_text(const OutputChange& change);
nlohmann::ordered_json changes_json(const std::vector<OutputChange>& changes);

}  // namespace tahoma::runtime
