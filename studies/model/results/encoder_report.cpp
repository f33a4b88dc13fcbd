// SPDX-License-Identifier: Apache-2.0
#include "studies/model/results/encoder_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/text/text_layout.h"
#include "runtime/host/json/json_text.h"
#include "studies/model/results/plan_text.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

std::uint64_t sequences_of(const ModelPoint& point) { return point.layout.data * point.demand.prompts; }

// Calls body(point, figures or null), in the order of the points.
template <class Body>
void each(const std::vector<SearchedPoint>& points, const std::vector<PhaseFigures>& figures, Body&& body) {
  std::size_t executed = 0;
  for (const SearchedPoint& one : points) body(one, one.refused.empty() ? &figures[executed++] : nullptr);
}

}  // namespace

std::string encoder_text(const ModelConfig& config, const std::vector<SearchedPoint>& points,
                         const std::vector<PhaseFigures>& figures) {
  std::size_t width = 25;
  for (const SearchedPoint& one : points) width = std::max(width, one.point.layout.text().size());
  std::string text =
      wrapped_row("model", dimensions_text(config)) + left_out_rows(config) + warning_rows(config, points);
  text += fmt::format("\n{:>5} {:<{}} {:>6} {:>9} {:>9} {:>6} {:>6} {:>8}\n", "chips", "layout", width,
                      "tokens", "sequences", "time", "bound", "MFU", "HBM GiB");
  each(points, figures, [&](const SearchedPoint& one, const PhaseFigures* f) {
    text += fmt::format("{:>5} {:<{}} {:>6} {:>9} ", one.point.layout.chips, one.point.layout.text(), width,
                        one.point.demand.prompt, sequences_of(one.point));
    text += f == nullptr ? one.refused + "\n"
                         : fmt::format("{:>9} {:>4.0f} % {:>4.1f} % {:>8.2f}\n", seconds_text(f->seconds),
                                       100 * one.bounds.ttft / f->seconds, 100 * f->mfu(),
                                       f->footprint_bytes / (1 << 30));
  });
  return text + "\nbound: the lower bound as a share of the time\n";
}

std::string encoder_json(const ModelConfig& config, const std::vector<SearchedPoint>& points,
                         const std::vector<PhaseFigures>& figures) {
  Json json{{"model", config.name}, {"left_out", config.left_out}, {"points", Json::array()}};
  each(points, figures, [&](const SearchedPoint& one, const PhaseFigures* f) {
    Json& row = json["points"].emplace_back(Json{{"chips", one.point.layout.chips},
                                                 {"layout", one.point.layout.text()},
                                                 {"tokens", one.point.demand.prompt},
                                                 {"sequences", sequences_of(one.point)}});
    if (f == nullptr) {
      row["refused"] = one.refused;
      return;
    }
    row.update(
        {{"seconds", f->seconds}, {"bound_seconds", one.bounds.ttft}, {"mfu_percent", 100 * f->mfu()}});
    row.update({{"hbm_bytes", f->hbm_bytes}, {"footprint_bytes", f->footprint_bytes}, {"runs", f->runs}});
  });
  return dump_json(json, 2) + "\n";
}

std::string encoder_csv(const std::vector<SearchedPoint>& points, const std::vector<PhaseFigures>& figures) {
  std::string text = "chips,layout,tokens,sequences,seconds,bound_seconds,mfu_percent,footprint_bytes\n";
  each(points, figures, [&](const SearchedPoint& one, const PhaseFigures* f) {
    if (f != nullptr)
      text += fmt::format("{},\"{}\",{},{},{},{},{},{}\n", one.point.layout.chips, one.point.layout.text(),
                          one.point.demand.prompt, sequences_of(one.point), f->seconds, one.bounds.ttft,
                          100 * f->mfu(), f->footprint_bytes);
  });
  return text;
}

}  // namespace tahoma::runtime
