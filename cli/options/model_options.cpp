// SPDX-License-Identifier: Apache-2.0
#include "cli/options/model_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <span>
#include <thread>

#include "cli/options/common_options.h"
#include "cli/options/whole_numbers.h"
#include "model/base/error.h"
#include "model/base/quantity.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime {

namespace {

void add_generation_options(CLI::App& sub, ModelCommand& command) {
  CLI::Option* weights =
      sub.add_option(
             "--weights", command.weights,
             "Folder with model.safetensors: generate tokens with values instead, all layers executed")
          ->type_name("DIR")
          ->default_str("none");
  sub.add_option("--prompt-ids", command.prompt_ids, "With --weights: token ids of the prompt")
      ->type_name("N,...")
      ->default_str("")
      ->needs(weights);
  sub.add_option("--generate", command.generated, "With --weights: number of tokens to generate, greedily")
      ->type_name("N")
      ->check(whole_numbers(1, 4096), "")
      ->default_str("1")
      ->needs(weights);
}

CLI::Option* add_numbers(CLI::App& sub, const char* option, std::vector<std::uint64_t>& values,
                         const std::string& what) {
  CLI::Option* made =
      sub.add_option(option, values, what)->type_name("N,...")->delimiter(',')->check(whole_numbers(1), "");
  if (values.empty()) made->default_str("");
  return made;
}

void add_words(CLI::App& sub, const char* option, std::vector<std::string>& values,
               const std::vector<std::string>& words, const std::string& what) {
  sub.add_option(option, values, what)
      ->type_name(fmt::format("{},...", fmt::join(words, "|")))
      ->delimiter(',')
      ->check(one_of(words), "");
}

// The values that these words have in a table.
template <class E>
std::vector<E> values_of_words(const base::Choice<E>& table, const std::vector<std::string>& words) {
  std::vector<E> values;
  for (const std::string& word : words)
    values.push_back(
        table.values[std::find(table.names.begin(), table.names.end(), word) - table.names.begin()]);
  return values;
}

// Errors are at the option; 0 for no text.
template <class Parse>
auto parsed(const char* option, const std::string& text, const Parse& parse) -> decltype(parse(text)) {
  if (text.empty()) return {};
  try {
    return parse(text);
  } catch (const base::UserError& error) {
    throw base::UserError(error.code, option, error.message);
  }
}

void add_layout_options(CLI::App& sub, ModelCommand& command) {
  LayoutAxes& axes = command.axes;
  add_numbers(
      sub, "--chips", axes.chips,
      "Numbers of chips, of a block of a torus of 4 x 4 x 4 such as 1, 2, 3, 4, 6, 8, 12, 16, 32 or 64; a "
      "row for each");
  sub.add_option("--machine", axes.machine,
                 "Preset, or YAML file, of the machine whose chips these are; default: Trainium2")
      ->type_name("NAME|FILE")
      ->default_str("");
  add_numbers(sub, "--lnc", axes.lnc, "Physical cores of a logical core: 1 or 2; a row for each");
  add_numbers(sub, "--tensor", command.tensor,
              "Tensor degrees, a row for each; default: the highest possible");
  sub.add_option("--data", axes.data,
                 "Replicas, each with its own sequences; default: as many as there are ranks for")
      ->type_name("N")
      ->check(whole_numbers(1), "")
      ->default_str("");
  add_numbers(
      sub, "--sequence", axes.sequence,
      "Groups of ranks that share the tokens of each sequence, and its cache in decoding steps; a row for "
      "each");
  add_numbers(sub, "--pipeline", axes.pipeline,
              "Numbers of stages, with as equal numbers of layers as possible; a row for each");
  add_numbers(sub, "--stage-layers", axes.stages,
              "Layers of each stage, for one number of stages; default: as equal as possible");
  add_numbers(sub, "--microbatches", axes.microbatches,
              "Parts of a decoding step's batch, which follow each other through the stages of a pipeline; a "
              "row for each number");
  add_words(
      sub, "--placement", command.placement, base::Choice<GroupPlacement>(kPlacements).names,
      "Chips of a tensor-parallel group: rows, columns or depth of the torus, or spread, one rank on each "
      "chip; a row for each");
  add_words(sub, "--dtype", command.dtype, base::Choice<isa::DType>(std::span(kWeightTypes)).names,
            "Element type of the layers' weights, a row for each");
  add_words(sub, "--activations", command.activations,
            base::Choice<isa::DType>(std::span(kActivationTypes)).names,
            "Element type of what these weights are multiplied by, a row for each; an fp8 type needs the "
            "same one as "
            "--dtype, and doubles the rate of the tensor engine");
}

void add_demand_options(CLI::App& sub, ModelCommand& command) {
  add_numbers(sub, "--batch", command.batch, "Sequences that are decoded together; a row for each number");
  add_numbers(sub, "--prompt", command.prompt,
              "Tokens of a prompt, a row for each number; it is padded to a number that the cores of a group "
              "can share; default: 1024, or one less than the model allows");
  add_numbers(sub, "--context", command.context,
              "Tokens of each sequence in the caches of a decoding step, a row for each number; default: "
              "those of the prompt");
  sub.add_option("--prompts", command.prompts,
                 "Prompts that each replica prefills at once, in a pipeline as microbatches; TTFT is that of "
                 "the last one")
      ->type_name("N")
      ->check(whole_numbers(1), "");
  sub.add_option(
         "--beside", command.beside,
         "Other accelerators, by their published peaks: names of tahoma cards or YAML files, :N for N "
         "devices")
      ->type_name("CARD[:N],...")
      ->delimiter(',')
      ->default_str("none");
}

void add_study_options(CLI::App& sub, ModelCommand& command) {
  CLI::Option* steps = sub.add_flag(
      "--steps", command.steps,
      "Write the steps of all batches, contexts and prompts as a table, and a server that uses it, for "
      "tahoma serve");
  add_numbers(sub, "--chunk", command.chunk,
              "With --steps: execute chunks of prompts of so many tokens behind each context instead of "
              "whole prompts")
      ->needs(steps);
  CLI::Option* search = sub.add_flag(
      "--search", command.search,
      "Find the front over all tensor degrees: closed forms prune, and what may be on the front is executed");
  sub.add_flag("--exhaustive", command.exhaustive, "With --search: prune nothing")->needs(search);
  sub.add_flag("--plan", command.plan,
               "Print the points with lower bounds of their times; execute and write nothing")
      ->excludes(steps);
  sub.add_option("--most-ttft", command.most_ttft, "With --search: the longest TTFT that is wanted")
      ->type_name("TIME")
      ->default_str("none")
      ->needs(search);
  sub.add_option("--most-hbm", command.most_hbm, "The most HBM of a chip that a layout may take")
      ->type_name("SIZE")
      ->default_str("all of it");
  sub.add_option("--most-tpot", command.most_tpot, "With --search: the longest TPOT that is wanted")
      ->type_name("TIME")
      ->default_str("none")
      ->needs(search);
}

void add_execution_options(CLI::App& sub, ModelCommand& command) {
  ModelExecution& execution = command.execution;
  sub.add_option("--layers", execution.layers,
                 "Layers of the shortest stage that are executed, if it has more; the difference to one "
                 "layer less is "
                 "scaled")
      ->type_name("N")
      ->check(whole_numbers(2, 1000), "");
  add_choice(sub, "--mode", execution.mode, {"functional", "timing"},
             "With values and their check, or times only");
  const std::vector<std::string> models = base::Choice<model::HbmModel>(model::kHbmModels).names;
  add_choice(sub, "--prefill-hbm", execution.prefill_hbm, models, "machine.chip.hbm.model of the prefill");
  add_choice(sub, "--decode-hbm", execution.decode_hbm, models, "machine.chip.hbm.model of a decoding step");
  add_overrides(sub, execution.overrides,
                "Set a value below machine. or workload. of all runs; repeatable, the last one wins");
  sub.add_option("--prices", execution.prices, "Price list: a shipped name or a YAML file, as for tahoma run")
      ->type_name("NAME|FILE")
      ->default_str("");
  sub.add_option("--jobs", execution.jobs, "Number of parallel runs; default: one per host core")
      ->type_name("N")
      ->check(whole_numbers(1, kMostJobs), "")
      ->default_str("");
}

}  // namespace

ModelCommand::ModelCommand() { execution.jobs = std::max(1U, std::thread::hardware_concurrency()); }

LayoutAxes ModelCommand::all_axes() const {
  LayoutAxes all = axes;
  // Cases are in other folders than the command.
  if (std::filesystem::is_regular_file(all.machine))
    all.machine = std::filesystem::absolute(all.machine).string();
  all.most_hbm =
      parsed("--most-hbm", most_hbm, [](const std::string& text) { return base::parse_bytes(text).count; });
  all.placements = values_of_words(base::Choice<GroupPlacement>(kPlacements), placement);
  if (!all.stages.empty() && all.pipeline.size() != 1)
    throw base::UserError(
        "E-CLI-003", "--stage-layers",
        fmt::format("expected one number of stages in --pipeline, got {}", all.pipeline.size()));
  all.weights = values_of_words(base::Choice<isa::DType>(std::span(kWeightTypes)), dtype);
  all.activations = values_of_words(base::Choice<isa::DType>(std::span(kActivationTypes)), activations);
  return all;
}

LayoutLimits ModelCommand::limits() const {
  const auto seconds = [](const std::string& text) { return base::parse_duration(text).seconds(); };
  return {parsed("--most-ttft", most_ttft, seconds), parsed("--most-tpot", most_tpot, seconds)};
}

void ModelCommand::fit(std::uint64_t most) {
  constexpr std::uint64_t kUsual = 1024;
  if (prompt.empty()) prompt = {most > 0 ? std::min(kUsual, most) : kUsual};
}

std::vector<ModelDemand> ModelCommand::demands() const {
  std::vector<ModelDemand> all;
  for (const std::uint64_t tokens : prompt)
    for (const std::uint64_t cached : context.empty() ? std::vector{tokens} : context)
      for (const std::uint64_t sequences : batch) all.push_back({sequences, tokens, cached, prompts});
  return all;
}

void add_model_options(CLI::App& sub, ModelCommand& command) {
  add_layout_options(sub, command);
  add_demand_options(sub, command);
  add_study_options(sub, command);
  add_generation_options(sub, command);
  add_execution_options(sub, command);
  sub.add_option("--ignore", command.ignored, "Keys of config.json that do not influence inference")
      ->type_name("KEY,...")
      ->delimiter(',')
      ->default_str("none");
  sub.add_option("--keep", command.keep,
                 "Keep the runs and sweep.db in this folder, and execute only what it does not have")
      ->type_name("DIR")
      ->default_str("below --out");
  sub.add_option("--out", command.out, "Folder for the results; an earlier one of this command is replaced")
      ->type_name("DIR");
}

}  // namespace tahoma::runtime
