// SPDX-License-Identifier: Apache-2.0
// The quantities of a point of `tahoma model`, declared once for JSON, CSV and page.
#pragma once

#include <optional>
#include <span>

#include "model/base/stats.h"
#include "runtime/huggingface/layout/layout_search.h"

namespace tahoma::runtime {

struct PointParameter {
  const char* name;
  std::uint64_t (*of)(const ModelPoint& point);
};
std::span<const PointParameter> point_parameters();

struct PointQuantity {
  const char* name;
  base::Better better;
  double (*of)(const ModelFigures& figures);
};
// A page begins with the first two.
inline constexpr std::size_t kQuantitiesOfFront = 3;  // the first ones
std::span<const PointQuantity> point_quantities();

}  // namespace tahoma::runtime
