// SPDX-License-Identifier: Apache-2.0
#include "studies/model/results/plan_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/text/text_layout.h"
#include "studies/model/config/families.h"

namespace tahoma::runtime {

namespace {

std::string experts_text(const ModelConfig& c) {
  if (c.experts == 0) return "";
  return fmt::format(
      " of each of {} experts, {} for a token{}{}", c.experts, c.experts_per_token,
      c.shared_ffn > 0 ? fmt::format(" and one of {} for all", c.shared_ffn) : "",
      c.expert_every > 1 ? fmt::format(", in every {}th layer, the others of {} without experts",
                                       c.expert_every, c.dense_ffn)
      : c.dense_layers > 0
          ? fmt::format(", but {} without experts in the first {}", c.dense_ffn, c.dense_layers)
          : "");
}

std::string keys_text(const ModelConfig& c) {
  return c.latent.kv_rank > 0 ? fmt::format("with latent vectors of {}", c.latent.kv_rank)
                              : fmt::format("{} of keys", c.kv_heads);
}

}  // namespace

std::string dimensions_text(const ModelConfig& c) {
  return fmt::format("{}: {} layers, hidden {}, {} heads of {}, {}, ffn {}{}, vocabulary {}",
                     c.family->architecture, c.layers, c.hidden, c.heads, c.head_dim, keys_text(c), c.ffn,
                     experts_text(c), c.vocabulary);
}

std::string left_out_rows(const ModelConfig& c) {
  return c.left_out.empty() ? "" : wrapped_row("left out", fmt::format("{}", fmt::join(c.left_out, "; ")));
}

std::string warning_rows(const ModelConfig& c, const std::vector<SearchedPoint>& points) {
  std::vector<std::string> idle, padded, heads;
  const auto add = [](std::vector<std::string>& to, std::string text) {
    if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(std::move(text));
  };
  for (const SearchedPoint& one : points) {
    const ModelLayout& layout = one.point.layout;
    if (!one.refused.empty()) continue;
    if (layout.idle_cores() > 0)
      add(idle, fmt::format("{} of {} cores with {} on {}", layout.idle_cores(), layout.chips * layout.cores,
                            layout.text(), layout.chips_text()));
    if (const std::uint64_t all = padded_heads(c, layout.tensor); all != c.heads)
      add(heads, fmt::format("{} to {} with tensor {}", c.heads, all, layout.tensor));
    const std::uint64_t prompt = one.point.demand.prompt, tokens = layout.padded(prompt);
    if (tokens != prompt) add(padded, fmt::format("{} to {} tokens", prompt, tokens));
  }
  return (idle.empty() ? "" : wrapped_row("idle", fmt::format("{}", fmt::join(idle, "; ")))) +
         (padded.empty() ? ""
                         : wrapped_row("padded", fmt::format("prompts of {}", fmt::join(padded, ", ")))) +
         (heads.empty() ? ""
                        : wrapped_row("padded heads",
                                      fmt::format("{}; they count as no work", fmt::join(heads, ", "))));
}

std::string plan_text(const ModelConfig& config, const std::vector<SearchedPoint>& points) {
  std::size_t width = 25;
  for (const SearchedPoint& one : points) width = std::max(width, one.point.layout.text().size());
  std::string text =
      wrapped_row("model", dimensions_text(config)) + left_out_rows(config) + warning_rows(config, points);
  text += fmt::format("\nlower bounds; nothing was executed\n{:>5} {:<{}} {:>6} {:>7} {:>5} {:>9} {:>9}\n",
                      "chips", "layout", width, "prompt", "context", "batch", "TTFT", "TPOT");
  for (const SearchedPoint& one : points) {
    const ModelDemand& d = one.point.demand;
    text += fmt::format("{:>5} {:<{}} {:>6} {:>7} {:>5} ", one.point.layout.chips, one.point.layout.text(),
                        width, d.prompt, d.context, d.batch);
    text += one.refused.empty() ? fmt::format("{:>9} {:>9}\n", seconds_text(one.bounds.ttft),
                                              is_encoder(config) ? "-" : seconds_text(one.bounds.tpot))
                                : one.refused + "\n";
  }
  return text;
}

}  // namespace tahoma::runtime
