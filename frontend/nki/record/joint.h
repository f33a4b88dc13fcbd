// SPDX-License-Identifier: Apache-2.0
// Common counts of several views. The operands of an instruction and the two sides of a transfer correspond
// element by element in row-major order, whatever their shapes; the instruction has one list of counts. This
// finds it: every dimension of every view is split until all views have the same counts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frontend/nki/record/inline_vector.h"
#include "frontend/nki/record/view.h"

namespace tahoma::runtime::nki {

// A dimension of one view. `partition`: it walks partitions, and is never joined with a free dimension.
struct Axis {
  std::int64_t stride = 0, count = 1;
  bool partition = false;
  friend bool operator==(const Axis&, const Axis&) = default;
};
using Axes = InlineVector<Axis, 5>;  // outermost first

Axes free_axes(const View& view);  // without the partition of an on-chip view
Axes all_axes(const View& view);   // the partition first

// The same axes for all: result[v][d].count is the same for every view v. Neighbours that all views allow to
// join are joined, and dimensions of one element are left out. Nothing if no such counts exist: 3 x 4
// elements of one view cannot be taken as 4 x 3 of another unless one of them is contiguous.
std::optional<std::vector<Axes>> joint(std::span<const Axes> views);

}  // namespace tahoma::runtime::nki
