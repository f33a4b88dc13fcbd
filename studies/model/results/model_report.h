// SPDX-License-Identifier: Apache-2.0
// The results of `tahoma model` as text, JSON, table and page: one row for each point.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "studies/model/search/layout_search.h"

namespace tahoma::runtime {

// The report is made from these.
struct ModelReport {
  const ModelConfig& config;
  const ModelExecution& execution;
  const LayoutSearch& search;
  const std::vector<SearchedPoint>& points;
  std::string study;  // its folder, as the page refers to it

  std::vector<const SearchedPoint*> executed() const;
  // Returns the point of the front with the most tokens per second and chip; that of all points if none is
  // within the limits; null if none was executed.
  const SearchedPoint* best() const;
};

std::string model_text(const ModelReport& report);
nlohmann::ordered_json model_json(const ModelReport& report);
// points.csv: executed and pruned points with bounds, figures and the reason.
std::string model_csv(const ModelReport& report);
// index.html: the points over any two quantities with the front; a point opens its decoding run.
std::string model_page(const ModelReport& report);

}  // namespace tahoma::runtime
