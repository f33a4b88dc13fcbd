// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "model/base/loader/config_loader.h"
#include "report/text/text_layout.h"
#include "runtime/host/json/json_text.h"
#include "studies/model/server/server_steps.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kRounding = 128;  // chunks of prompts are rounded up to a divisor of it

std::uint64_t chunk_multiple(const ServerGrid& grid) {
  if (!grid.chunks.empty()) return grid.chunks.front();
  return std::accumulate(grid.prompts.begin(), grid.prompts.end(), kRounding,
                         [](std::uint64_t a, std::uint64_t b) { return std::gcd(a, b); });
}

// Returns the most tokens of a step.
std::uint64_t most_tokens(const ServerGrid& grid) {
  if (grid.chunks.empty()) return std::max(grid.prompts.back(), grid.batches.back());
  return grid.chunks.back() + grid.batches.back();
}

std::string prefill_text(const ServerGrid& grid) {
  return grid.chunks.empty() ? "whole" : fmt::format("chunked, chunk: {}", grid.chunks.back());
}

std::string server_text(const ModelConfig& config, const ServerGrid& grid) {
  return fmt::format("{} on {}, {}", config.name, grid.layout.chips_text(), grid.layout.text());
}

// Requests that stay within the executed range even when they are preempted and prefilled again.
struct StartingRequests {
  std::uint64_t shortest, longest, mean_output, most_output;
  double rate;
};

StartingRequests starting_requests(const ServerGrid& grid, const ServerSteps& steps) {
  const std::uint64_t room = std::min(grid.prompts.back(), grid.contexts.back());
  StartingRequests r{grid.prompts.front(), room / 2, std::max<std::uint64_t>(1, room / 8), room / 2, 0};
  const PhaseFigures &decode = steps.decodes.back().figures, &prefill = steps.prefills.back().figures;
  const double batch = static_cast<double>(steps.decodes.back().of.point.demand.batch),
               chunks =
                   grid.chunks.empty()
                       ? 1
                       : std::ceil(static_cast<double>(r.longest) / static_cast<double>(grid.chunks.back())),
               of_request =
                   chunks * prefill.seconds + static_cast<double>(r.mean_output) * decode.seconds / batch;
  r.rate = 0.5 / of_request;
  return r;
}

std::string range_row(const char* label, const std::vector<ServerStep>& steps) {
  const auto by_time = [](const ServerStep& a, const ServerStep& b) {
    return a.figures.seconds < b.figures.seconds;
  };
  const auto [least, most] = std::minmax_element(steps.begin(), steps.end(), by_time);
  return wrapped_row(label,
                     fmt::format("{} steps, {} to {}", steps.size(), seconds_text(least->figures.seconds),
                                 seconds_text(most->figures.seconds)));
}

Json step_json(const ServerStep& step) {
  const ModelDemand& demand = step.of.point.demand;
  Json json{{"phase", base::name_in(kModelPhases, step.of.phase)}};
  if (step.of.phase == ModelPhase::kPrefill) {
    json["tokens"] = demand.prompt;
    json["context"] = demand.cached;
  } else {
    json["batch"] = demand.batch;
    json["context"] = demand.context;
  }
  json["time_ns"] = step.figures.seconds * 1e9;
  json["wall_joules"] = step.figures.joules;
  json["runs"] = step.figures.runs;
  return json;
}

}  // namespace

std::string server_case(const ModelConfig& config, const ServerGrid& grid, const ServerSteps& steps) {
  const StartingRequests r = starting_requests(grid, steps);
  return fmt::format(
      "# A server of the steps in steps.csv, as a start: the requests are examples within the executed "
      "range, at half the\n"
      "# rate that the largest batch could decode. The KV cache has the HBM that weights and activations "
      "leave.\n"
      "serving:\n"
      "  title: {}\n"
      "  requests:\n"
      "    poisson: {{rate: {:.3g}, requests: 1000, seed: 1,\n"
      "              prompt: {{distribution: uniform, min: {}, max: {}}},\n"
      "              output: {{distribution: geometric, mean: {}, max: {}}}}}\n"
      "  steps: steps.csv\n"
      "  server: {{max_sequences: {}, max_tokens: {}, prefill: {}, chunk_multiple: {}, kv: "
      "{{block_tokens: {}, blocks: "
      "{}}}}}\n"
      "  slo: {{ttft: 1 s, tpot: 50 ms}}\n",
      base::yaml_scalar(server_text(config, grid)), r.rate, r.shortest, r.longest, r.mean_output,
      r.most_output, grid.batches.back(), most_tokens(grid), prefill_text(grid), chunk_multiple(grid),
      ServerSteps::kBlockTokens, steps.kv_blocks);
}

std::string steps_text(const ModelConfig& config, const ServerGrid& grid, const ServerSteps& steps) {
  const ServerStep& last = steps.decodes.back();
  std::string text = fmt::format(
      "{}: {:.4g} tokens/s at batch {} and context {}, room for {} cached tokens\n\n",
      server_text(config, grid), static_cast<double>(last.of.point.demand.batch) / last.figures.seconds,
      last.of.point.demand.batch, last.of.point.demand.context, steps.kv_blocks * ServerSteps::kBlockTokens);
  text += range_row("prefill", steps.prefills) + range_row("decoding", steps.decodes);
  return text + wrapped_row("layers", fmt::format("{} of {} executed in each step; the others are scaled",
                                                  last.figures.executed, config.layers));
}

std::string steps_json(const ModelConfig& config, const ServerGrid& grid, const ServerSteps& steps) {
  Json json{{"schema_version", 1}, {"model", {{"name", config.name}}}};
  json["layout"] = {{"chips", grid.layout.chips}, {"lnc", grid.layout.lnc}, {"tensor", grid.layout.tensor}};
  json["kv_blocks"] = steps.kv_blocks;
  json["kv_block_tokens"] = ServerSteps::kBlockTokens;
  json["steps"] = Json::array();
  for (const auto* all : {&steps.decodes, &steps.prefills})
    for (const ServerStep& step : *all) json["steps"].push_back(step_json(step));
  return dump_json(json, 2) + "\n";
}

}  // namespace tahoma::runtime
