// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/results/series_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/page/page.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/format.h"
#include "studies/serving/results/request_rows.h"
#include "studies/serving/results/serving_text.h"

namespace tahoma::runtime::serving {

namespace {

using SeriesJson = nlohmann::ordered_json;

struct WindowMeans {
  double busy_percent, waiting, running, blocks_percent;
};

// The last window may be shorter than the others.
Nanoseconds window_length(const WindowSeries& series, std::size_t n) {
  const Nanoseconds start{static_cast<std::int64_t>(n) * series.width().count};
  return std::min(series.width(), series.end() - start);
}

WindowMeans means_of(const WindowSeries& series, const GroupState& group, std::size_t g, std::size_t n) {
  const WindowSums& sums = series.windows()[g][n];
  const auto length = static_cast<double>(window_length(series, n).count);
  const auto mean = [&](Level level) {
    return static_cast<double>(sums.integrals[static_cast<std::size_t>(level)]) / length;
  };
  return {100 * mean(Level::kBusy) / static_cast<double>(group.servers), mean(Level::kWaiting),
          mean(Level::kRunning), 100 * mean(Level::kBlocks) / static_cast<double>(group.blocks)};
}

}  // namespace

std::string series_csv(const WindowSeries& series, const GroupStates& groups) {
  std::string text =
      "window_start_s,window_s,group,busy_percent,waiting,running,kv_blocks_percent,entered,left,prompt_"
      "tokens,"
      "output_tokens,steps,preemptions\n";
  const std::size_t windows = series.windows().front().size();
  for (std::size_t n = 0; n < windows; ++n)
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const WindowMeans means = means_of(series, groups[g], g, n);
      text += fmt::format(
          "{},{},{},{},{},{},{}", seconds_text({static_cast<std::int64_t>(n) * series.width().count}),
          seconds_text(window_length(series, n)), groups[g].name, shortest(means.busy_percent),
          shortest(means.waiting), shortest(means.running), shortest(means.blocks_percent));
      for (const std::uint64_t count : series.windows()[g][n].counts) text += fmt::format(",{}", count);
      text += '\n';
    }
  return text;
}

std::string serving_page(const ServingSummary& summary, const WindowSeries& series,
                         const GroupStates& groups) {
  SeriesJson data{{"kind", "serving"},
                  {"answer", serving_answer(summary)},
                  {"window_ns", series.width().count},
                  {"elapsed_ns", series.end().count},
                  {"groups", SeriesJson::array()}};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    SeriesJson group{{"name", groups[g].name}};
    for (const char* series_name : {"busy_percent", "waiting", "running", "kv_blocks_percent",
                                    "entered_per_s", "output_tokens_per_s", "prompt_tokens_per_s"})
      group[series_name] = SeriesJson::array();
    for (std::size_t n = 0; n < series.windows()[g].size(); ++n) {
      const WindowMeans means = means_of(series, groups[g], g, n);
      const auto length = window_length(series, n).seconds();
      const auto rate = [&](Count count) {
        return static_cast<double>(series.windows()[g][n].counts[static_cast<std::size_t>(count)]) / length;
      };
      group["busy_percent"].push_back(means.busy_percent);
      group["waiting"].push_back(means.waiting);
      group["running"].push_back(means.running);
      group["kv_blocks_percent"].push_back(means.blocks_percent);
      group["entered_per_s"].push_back(rate(Count::kEntered));
      group["output_tokens_per_s"].push_back(rate(Count::kOutputTokens));
      group["prompt_tokens_per_s"].push_back(rate(Count::kPromptTokens));
    }
    data["groups"].push_back(std::move(group));
  }
  data["summary"] = SeriesJson::parse(serving_json(summary));
  const std::string title = summary.title.empty() ? "Serving" : summary.title;
  return page_of(title + " - Tahoma", dump_json(data));
}

}  // namespace tahoma::runtime::serving
