// SPDX-License-Identifier: Apache-2.0
#include "runtime/huggingface/model_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "runtime/huggingface/families.h"
#include "runtime/report/summary/format.h"
#include "runtime/report/summary/text_layout.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

constexpr double kGiB = 1 << 30;

std::string time_of(double seconds) { return time_text({static_cast<std::int64_t>(seconds * 1e15)}); }

std::string headline(const ModelReport& r, const ModelFigures& f) {
  return fmt::format("{} on {} {}, {}: TTFT {}, TPOT {}, {:.4g} tokens/s\n", r.config.name, f.layout.chips,
                     f.layout.chips == 1 ? "chip" : "chips", f.layout.text(), time_of(f.ttft()),
                     time_of(f.tpot()), f.tokens_per_second());
}

std::string executed_text(const ModelReport& r) {
  const std::uint64_t executed = r.layouts.front().prefill.executed;
  if (executed >= r.config.layers)
    return fmt::format("all {} layers, embedding, last norm and logits", executed);
  return fmt::format(
      "{} and {} of {} layers, which are alike, with embedding, last norm and logits; the other {} layers "
      "are scaled: "
      "each costs the difference of the two runs",
      executed - 1, executed, r.config.layers, r.config.layers - executed);
}

std::string table(const ModelReport& r) {
  std::string text =
      fmt::format("{:>5} {:<28} {:>11} {:>11} {:>9} {:>9} {:>8} {:>8} {:>9}\n", "chips", "layout", "TTFT",
                  "TPOT", "tokens/s", "per chip", "MFU pre", "MFU dec", "HBM GiB");
  for (const ModelFigures& f : r.layouts)
    text += fmt::format("{:>5} {:<28} {:>11} {:>11} {:>9.4g} {:>9.4g} {:>7.1f}% {:>7.1f}% {:>9.1f}\n",
                        f.layout.chips, f.layout.text(), time_of(f.ttft()), time_of(f.tpot()),
                        f.tokens_per_second(), f.tokens_per_second() / static_cast<double>(f.layout.chips),
                        100 * f.prefill.mfu(), 100 * f.decode.mfu(), f.decode.footprint_bytes / kGiB);
  return text;
}

Json phase_json(const PhaseFigures& f) {
  Json json{{"time_ns", f.seconds * 1e9},   {"flops", f.flops},
            {"mfu_percent", 100 * f.mfu()}, {"hbm_bytes", f.hbm_bytes},
            {"link_bytes", f.link_bytes},   {"hbm_footprint_bytes", f.footprint_bytes},
            {"executed_layers", f.executed}};
  if (f.joules > 0) json["joules"] = f.joules;
  json["runs"] = Json::array();
  for (const std::string& run : f.runs) json["runs"].push_back("runs/" + run);
  return json;
}

}  // namespace

std::string model_text(const ModelReport& r) {
  const ModelConfig& c = r.config;
  std::string text = headline(r, r.layouts.front()) + "\n";
  text += wrapped_row(
      "model", fmt::format("{}: {} layers, hidden {}, {} heads of {}, {} of keys, ffn {}, vocabulary {}",
                           c.family->architecture, c.layers, c.hidden, c.heads, c.head_dim, c.kv_heads, c.ffn,
                           c.vocabulary));
  text += wrapped_row("demand",
                      fmt::format("prompts of {} tokens, one per replica at a time; decoding of {} sequences "
                                  "with {} tokens each",
                                  r.demand.prompt, r.demand.batch, r.demand.tokens()));
  text += wrapped_row("executed", executed_text(r));
  text += wrapped_row("HBM model", fmt::format("{} for prefill, {} for decoding", r.execution.prefill_hbm,
                                               r.execution.decode_hbm));
  text += wrapped_row("excluded", "sampling, the host, and the network in front of it");
  return text + "\n" + table(r);
}

std::string model_json(const ModelReport& r) {
  const ModelConfig& c = r.config;
  Json json{
      {"schema_version", 1},
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
        {"experts", c.experts}}},
      {"demand", {{"batch", r.demand.batch}, {"prompt", r.demand.prompt}, {"context", r.demand.tokens()}}},
      {"hbm_model", {{"prefill", r.execution.prefill_hbm}, {"decode", r.execution.decode_hbm}}},
      {"mode", r.execution.mode}};
  Json layouts = Json::array();
  for (const ModelFigures& f : r.layouts)
    layouts.push_back({{"chips", f.layout.chips},
                       {"lnc", f.layout.lnc},
                       {"tensor", f.layout.tensor},
                       {"data", f.layout.data},
                       {"expert", f.layout.expert},
                       {"ttft_ns", f.ttft() * 1e9},
                       {"tpot_ns", f.tpot() * 1e9},
                       {"tokens_per_second", f.tokens_per_second()},
                       {"prompt_tokens_per_second", f.prompt_tokens_per_second()},
                       {"prefill", phase_json(f.prefill)},
                       {"decode", phase_json(f.decode)}});
  json["layouts"] = std::move(layouts);
  return json.dump(2) + "\n";
}

}  // namespace tahoma::runtime
