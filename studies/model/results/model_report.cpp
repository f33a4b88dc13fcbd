// SPDX-License-Identifier: Apache-2.0
#include "studies/model/results/model_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "report/text/text_layout.h"
#include "studies/model/config/families.h"
#include "studies/model/results/model_columns.h"
#include "studies/model/results/plan_text.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

constexpr double kGiB = 1 << 30;

std::string headline(const ModelReport& r) {
  const SearchedPoint* best = r.best();
  if (best == nullptr) return fmt::format("{}: no layout is within the limits\n", r.config.name);
  const ModelFigures& f = *best->figures;
  return fmt::format("{} on {}, {}, batch {}: TTFT {}, TPOT {}, {:.4g} tokens/s\n", r.config.name,
                     f.layout.chips_text(), f.layout.text(), f.demand.batch, seconds_text(f.ttft()),
                     seconds_text(f.tpot()), f.tokens_per_second());
}

// "1 and 2 of 32 layers", of each stage if any layout has several.
std::string executed_text(const ModelReport& r) {
  const auto executed = r.executed();
  const auto row = *std::max_element(executed.begin(), executed.end(), [](const auto* a, const auto* b) {
    return a->point.layout.pipeline < b->point.layout.pipeline;
  });
  const ModelLayout& layout = row->point.layout;
  const std::uint64_t stages = layout.pipeline, all = layout.shortest_stage(r.config.layers),
                      simulated = all - (r.config.layers - row->figures->prefill.executed) / stages;
  const std::string of_each = stages > 1 ? " of each stage" : "";
  if (simulated >= all && !layout.stages.empty())
    return fmt::format("all {} layers, embedding, last norm and logits", r.config.layers);
  if (simulated >= all) return fmt::format("all {} layers{}, embedding, last norm and logits", all, of_each);
  if (std::max(row->figures->prefill.runs.size(), row->figures->decode.runs.size()) > 3 ||
      r.config.delta.value_heads > 0)
    return fmt::format(
        "a layer of each kind, and two of different kinds, of {} layers, with embedding, last norm and "
        "logits. The "
        "other layers are scaled: each costs what the run of its kind takes without embedding, last norm and "
        "logits",
        r.config.layers);
  if (r.config.layers_without_experts() > 0)
    return fmt::format(
        "a layer without experts, one with experts, and both, of {} layers, with embedding, last norm and "
        "logits. The other layers are scaled: each costs what the run of both takes longer than the one "
        "without its kind",
        r.config.layers);
  if (row->figures->prefill.runs.size() > 2 || row->figures->decode.runs.size() > 2)
    return fmt::format(
        "a local layer, a global one, and both, of {} layers, wherever sequences exceed the sliding window "
        "of {} tokens, otherwise {} and {} layers; with embedding, last norm and logits. The other layers "
        "are scaled: each costs what the run of both takes longer than the one without its kind",
        r.config.layers, r.config.window, simulated - 1, simulated);
  if (stages > 1)
    return fmt::format(
        "{} and {} layers of {} stage, {}which are alike, with embedding, last norm, logits and the "
        "transfers between "
        "stages; the other layers are scaled: each costs the difference of the two runs",
        simulated - 1, simulated, layout.stages.empty() ? "each" : "the shortest",
        layout.stages.empty() ? "" : "and as many more of each other stage as it has, ");
  return fmt::format(
      "{} and {} of {} layers, which are alike, with embedding, last norm and logits; the other {} layers "
      "are scaled: "
      "each costs the difference of the two runs",
      simulated - 1, simulated, all, all - simulated);
}

std::size_t layout_width(const ModelReport& r) {
  std::size_t width = 25;
  for (const SearchedPoint* point : r.executed()) width = std::max(width, point->point.layout.text().size());
  return width;
}

std::string prompts_text(const ModelReport& r) {
  const std::uint64_t prompts = r.points.front().point.demand.prompts;
  return prompts == 1 ? "prompts of one sequence" : fmt::format("{} prompts at once", prompts);
}

std::string not_executed(const ModelReport& r) {
  const auto count = [&](std::string SearchedPoint::*why) {
    return std::count_if(r.points.begin(), r.points.end(),
                         [&](const SearchedPoint& point) { return !(point.*why).empty(); });
  };
  const auto refused = count(&SearchedPoint::refused), pruned = count(&SearchedPoint::pruned),
             possible = static_cast<std::ptrdiff_t>(r.points.size()) - refused;
  std::string text;
  if (pruned > 0)
    text += fmt::format("{} of {} points were pruned by closed forms; points.csv has the reason of each\n",
                        pruned, possible);
  if (refused > 0)
    text += fmt::format("{} further {} refused, with the reason in points.csv\n", refused,
                        refused == 1 ? "point was" : "points were");
  return text.empty() ? "" : "\n" + text;
}

// Tabulates the pipelines among the points.
std::string full_pipelines(const ModelReport& r) {
  const std::size_t width = layout_width(r);
  std::string rows;
  for (const SearchedPoint* point : r.executed()) {
    const ModelFigures& f = *point->figures;
    const std::vector<double>& stages = f.decode.stage_seconds;
    if (stages.empty()) continue;
    const std::size_t slowest = f.decode.bottleneck();
    rows += fmt::format("{:>5} {:<{}} {:>7} {:>5} {:>9} {:>8.4g} {:>9} {:>10} {:>9}\n", f.layout.chips,
                        f.layout.text(), width, f.demand.context, f.demand.batch, seconds_text(f.full_tpot()),
                        f.full_tokens_per_second(), fmt::format("{} of 0-{}", slowest, stages.size() - 1),
                        seconds_text(stages[slowest]),
                        seconds_text(std::accumulate(stages.begin(), stages.end(), 0.0) /
                                     static_cast<double>(stages.size())));
  }
  if (rows.empty()) return rows;
  return fmt::format(
             "\npipelines that stay full, because step follows step; stages by their time for a microbatch\n"
             "{:>5} {:<{}} {:>7} {:>5} {:>9} {:>8} {:>9} {:>10} {:>9}\n",
             "chips", "layout", width, "context", "batch", "TPOT", "tokens/s", "slowest", "its time",
             "mean") +
         rows;
}

std::string table(const ModelReport& r) {
  const std::size_t width = layout_width(r);
  std::string text =
      fmt::format("{:>5} {:<{}} {:>6} {:>7} {:>5} {:>9} {:>9} {:>8} {:>8} {:>7} {:>6} {:>6} {:>7}\n", "chips",
                  "layout", width, "prompt", "context", "batch", "TTFT", "TPOT", "tokens/s", "per chip",
                  "J/token", "$/M", "MFU", "HBM GiB");
  for (const SearchedPoint* point : r.executed()) {
    const ModelFigures& f = *point->figures;
    text += trimmed(fmt::format("{:>5} {:<{}} {:>6} {:>7} {:>5} {:>9} {:>9} {:>8.4g} {:>8.4g} {:>7.3g} "
                                "{:>6.3g} {:>5.1f}% {:>7.1f} {}",
                                f.layout.chips, f.layout.text(), width, f.demand.prompt, f.demand.context,
                                f.demand.batch, seconds_text(f.ttft()), seconds_text(f.tpot()),
                                f.tokens_per_second(),
                                f.tokens_per_second() / static_cast<double>(f.layout.chips),
                                f.joules_per_token(), f.dollars_per_million_tokens(), 100 * f.prefill.mfu(),
                                f.footprint_bytes() / kGiB, point->front ? "front" : "")) +
            "\n";
  }
  return text + full_pipelines(r) + not_executed(r);
}

Json phase_json(const PhaseFigures& f) {
  Json json{{"time_ns", f.seconds * 1e9},   {"flops", f.flops},
            {"mfu_percent", 100 * f.mfu()}, {"hbm_bytes", f.hbm_bytes},
            {"link_bytes", f.link_bytes},   {"hbm_footprint_bytes", f.footprint_bytes},
            {"executed_layers", f.executed}};
  if (f.worked_seconds > 0) {
    json["bubble_percent"] = 100 * f.bubble();
    json["hand_over_ns"] = f.hand_over_seconds * 1e9;
    json["bottleneck_stage"] = f.bottleneck();
    json["stage_times_ns"] = Json::array();
    for (const double stage : f.stage_seconds) json["stage_times_ns"].push_back(stage * 1e9);
  }
  json["wall_joules"] = f.joules;
  json["dollars"] = f.dollars;
  json["litres"] = f.litres;
  json["runs"] = Json::array();
  for (const std::string& run : f.runs) json["runs"].push_back("runs/" + run);
  return json;
}

}  // namespace

std::vector<const SearchedPoint*> ModelReport::executed() const {
  std::vector<const SearchedPoint*> all;
  for (const SearchedPoint& point : points)
    if (point.figures) all.push_back(&point);
  return all;
}

const SearchedPoint* ModelReport::best() const {
  const SearchedPoint* best = nullptr;
  const auto rate = [](const SearchedPoint* point) {
    return point->figures->tokens_per_second() / static_cast<double>(point->point.layout.chips);
  };
  for (const SearchedPoint* point : executed())
    if (point->front && (best == nullptr || rate(point) > rate(best))) best = point;
  return best;
}

std::string model_text(const ModelReport& r) {
  const ModelConfig& c = r.config;
  std::string text = headline(r) + "\n";
  text += wrapped_row("model", dimensions_text(c)) + left_out_rows(c) + warning_rows(c, r.points);
  text += wrapped_row("demand", fmt::format("{} for each replica; decoding steps of the batch, with the "
                                            "context of each sequence in the caches",
                                            prompts_text(r)));
  if (!r.executed().empty()) text += wrapped_row("executed", executed_text(r));
  text += wrapped_row("HBM model", fmt::format("{} for prefill, {} for decoding", r.execution.prefill_hbm,
                                               r.execution.decode_hbm));
  text += wrapped_row("excluded", "sampling, the host, and the network in front of it");
  text += wrapped_row("front",
                      "no other row of its prompt and context has a shorter TTFT, a shorter TPOT and more "
                      "tokens per second and chip");
  return text + "\n" + table(r);
}

Json model_json(const ModelReport& r) {
  const ModelConfig& c = r.config;
  Json json{{"schema_version", 1},
            {"model",
             {{"name", c.name},
              {"architecture", c.family->architecture},
              {"layers", c.layers},
              {"hidden", c.hidden},
              {"heads", c.heads},
              {"kv_heads", c.kv_heads},
              {"head_dim", c.head_dim},
              {"ffn", c.ffn},
              {"vocabulary", c.vocabulary},
              {"experts", c.experts},
              {"shared_ffn", c.shared_ffn},
              {"dense_layers", c.dense_layers},
              {"dense_ffn", c.dense_ffn},
              {"kv_lora_rank", c.latent.kv_rank}}},
            {"left_out", c.left_out},
            {"hbm_model", {{"prefill", r.execution.prefill_hbm}, {"decode", r.execution.decode_hbm}}},
            {"mode", r.execution.mode},
            {"points", r.points.size()}};
  Json layouts = Json::array();
  for (const SearchedPoint* point : r.executed()) {
    Json row = Json::object();
    for (const PointParameter& parameter : point_parameters())
      if (parameter.word == nullptr)
        row[parameter.name] = parameter.of(point->point);
      else
        row[parameter.name] = parameter.text(point->point);
    for (const PointQuantity& quantity : point_quantities())
      row[quantity.name] = quantity.of(*point->figures);
    row["front"] = point->front;
    row["prefill"] = phase_json(point->figures->prefill);
    row["decode"] = phase_json(point->figures->decode);
    layouts.push_back(std::move(row));
  }
  json["layouts"] = std::move(layouts);
  return json;
}

}  // namespace tahoma::runtime
