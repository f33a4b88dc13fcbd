// SPDX-License-Identifier: Apache-2.0
#include "studies/model/server/server_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/base/error.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

using base::UserError;

[[noreturn]] void refuse(const std::string& option, const std::string& expected) {
  throw UserError("E-HFC-013", option, "--steps: expected " + expected);
}

void check_grid(const ServerGrid& grid) {
  if (grid.batches.front() != 1)
    refuse("--batch", "batches that begin with 1, because a server may decode one sequence");
  if (grid.contexts.size() < 2)
    refuse("--context", "two contexts or more, because every token adds to the context");
  if (grid.contexts.front() > grid.prompts.front())
    refuse("--context",
           fmt::format("a context of at most {} tokens, the shortest prompt", grid.prompts.front()));
  if (std::min(grid.prompts.back(), grid.contexts.back()) < 2 * grid.prompts.front())
    refuse("--prompt",
           "a longest prompt and context of at least twice the shortest prompt, to have room for outputs");
}

// Chunks begin behind nothing and behind each context, so that the points are a complete grid.
void check_chunks(const ServerGrid& grid) {
  if (grid.chunks.empty()) return;
  if (grid.chunks.back() > grid.prompts.front())
    refuse("--chunk", fmt::format("chunks of at most {} tokens, the shortest prompt", grid.prompts.front()));
  if (grid.chunks.back() % grid.chunks.front() != 0)
    refuse(
        "--chunk",
        fmt::format("a longest chunk that is a multiple of the shortest one, {} tokens, to which chunks are "
                    "rounded up",
                    grid.chunks.front()));
  if (grid.contexts.back() < grid.prompts.back())
    refuse("--context",
           fmt::format("contexts up to {} tokens, behind which the last chunk of the longest prompt may be",
                       grid.prompts.back()));
}

std::vector<ModelDemand> prefills_of(const ServerGrid& grid) {
  std::vector<ModelDemand> demands;
  if (grid.chunks.empty())
    for (const std::uint64_t prompt : grid.prompts) demands.push_back({1, prompt, prompt});
  std::vector<std::uint64_t> contexts = grid.contexts;
  contexts.insert(contexts.begin(), 0);
  for (const std::uint64_t chunk : grid.chunks)
    for (const std::uint64_t cached : contexts) demands.push_back({1, chunk, chunk, 1, cached, true});
  return demands;
}

double resident_tokens(const PhasePoint& decode) {
  return static_cast<double>(decode.point.demand.batch * decode.point.demand.context);
}

// The cached tokens that the HBM of a chip has room for. What a token takes is the difference between the
// executed footprints of the largest batch at its shortest and its longest context.
std::uint64_t kv_blocks(const ModelConfig& config, const ServerGrid& grid,
                        const std::vector<ServerStep>& decodes, const std::vector<std::string>& overrides) {
  const ServerStep &longest = decodes.back(), &shortest = decodes[decodes.size() - grid.contexts.size()];
  const double of_token = (longest.figures.footprint_bytes - shortest.figures.footprint_bytes) /
                          (resident_tokens(longest.of) - resident_tokens(shortest.of));
  if (of_token <= 0)
    refuse("--context",
           fmt::format("a shortest context within the sliding window of {} tokens: the caches of longer "
                       "ones have the same size",
                       config.window));
  const auto resolved = resolved_case(config, longest.of.point, ModelPhase::kDecode, overrides);
  const model::ChipParams& chip = resolved->machine.chip;
  const double capacity = static_cast<double>(chip.hbm.stacks * chip.hbm.capacity.count),
               tokens = resident_tokens(longest.of) + (capacity - longest.figures.footprint_bytes) / of_token;
  return static_cast<std::uint64_t>(tokens) / ServerSteps::kBlockTokens;
}

std::string step_row(const ServerStep& step) {
  const ModelDemand& demand = step.of.point.demand;
  const std::string where = step.of.phase == ModelPhase::kPrefill
                                ? fmt::format("prefill,1,{},{}", demand.cached, demand.prompt)
                                : fmt::format("decode,{},{},0", demand.batch, demand.context);
  return fmt::format("{},{},{}\n", where, shortest(step.figures.seconds), shortest(step.figures.joules));
}

}  // namespace

ServerSteps server_steps(const ModelConfig& config, const ServerGrid& grid, ModelRunner& runner,
                         const ModelRunner::Progress& progress) {
  check_grid(grid);
  check_chunks(grid);
  std::vector<PhasePoint> wanted;
  for (const ModelDemand& demand : prefills_of(grid))
    wanted.push_back({{grid.layout, demand}, ModelPhase::kPrefill});
  for (const std::uint64_t batch : grid.batches)
    for (const std::uint64_t context : grid.contexts)
      wanted.push_back({{grid.layout, {batch, context, context}}, ModelPhase::kDecode});
  const std::vector<PhaseFigures> figures = runner.run_phases(wanted, progress);
  ServerSteps steps;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    (wanted[i].phase == ModelPhase::kPrefill ? steps.prefills : steps.decodes)
        .push_back({wanted[i], figures[i]});
  steps.kv_blocks = kv_blocks(config, grid, steps.decodes, runner.overrides());
  const std::uint64_t longest = std::min(grid.prompts.back(), grid.contexts.back());
  if (steps.kv_blocks * ServerSteps::kBlockTokens < longest)
    refuse("--context", fmt::format("contexts that fit: the HBM has room for {} cached tokens",
                                    steps.kv_blocks * ServerSteps::kBlockTokens));
  return steps;
}

std::string steps_csv(const ServerSteps& steps) {
  std::string text = "phase,batch,context,tokens,seconds,joules\n";
  for (const ServerStep& step : steps.decodes) text += step_row(step);
  for (const ServerStep& step : steps.prefills) text += step_row(step);
  return text;
}

}  // namespace tahoma::runtime
