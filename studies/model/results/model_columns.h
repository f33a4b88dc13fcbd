// SPDX-License-Identifier: Apache-2.0
// The quantities of a point of `tahoma model`, declared once for JSON, CSV and page.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "model/base/stats.h"
#include "studies/model/search/layout_search.h"

namespace tahoma::runtime {

// A number, or a word of a table, whose place is then the number.
struct PointParameter {
  const char* name;
  std::uint64_t (*of)(const ModelPoint& point);
  std::string (*word)(std::uint64_t number) = nullptr;

  std::string text(const ModelPoint& point) const { return text_of(of(point)); }
  std::string text_of(std::uint64_t number) const {
    return word == nullptr ? std::to_string(number) : word(number);
  }
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
