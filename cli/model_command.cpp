// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/options/model_options.h"
#include "cli/options/owned_parameters.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/output/manifest.h"
#include "runtime/host/output/output_dir.h"
#include "runtime/host/progress.h"
#include "studies/cards/beside.h"
#include "studies/model/generation.h"
#include "studies/model/model_weights.h"
#include "studies/model/results/encoder_report.h"
#include "studies/model/results/model_report.h"
#include "studies/model/results/plan_text.h"
#include "studies/model/results/study_folder.h"
#include "studies/model/results/study_points.h"
#include "studies/model/server/server_steps.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

StudySpace space_of(const ModelCommand& command) {
  return {command.all_axes(), command.tensor, command.demands(), command.search};
}

// Decoding steps have the more demanding model of the HBM.
std::vector<std::string> overrides_to_check(const ModelCommand& command) {
  return command.execution.overrides_of(ModelPhase::kDecode);
}

// Refuses a command with more than one layout.
ModelLayout only_layout(const ModelCommand& command, const ModelConfig& config, const ModelDemand& demand) {
  const std::vector<LayoutSpace> spaces = command.all_axes().spaces();
  if (spaces.size() > 1 || command.tensor.size() > 1)
    throw base::UserError("E-CLI-003", "model",
                          "--steps and --weights: expected one layout, so one value of each of its options");
  LayoutSpace space = spaces.front();
  space.data = 1;
  return one_layout(config, space, command.tensor.empty() ? 0 : command.tensor.front(), demand,
                    overrides_to_check(command));
}

// A command prints this and writes it beside its folders.
struct Answer {
  std::string text, json;
  std::string counts{};  // of runs, for the last line: they differ between equal commands
};

// A row for each card and demand, in that order.
std::vector<CardRow> rows_beside(const ModelCommand& command, const ModelConfig& config) {
  std::vector<CardRow> rows;
  for (const std::string& card : command.beside)
    for (const ModelDemand& demand : command.demands()) rows.push_back(card_row(config, card, demand));
  return rows;
}

LayoutSearch search_of(const ModelCommand& command) {
  return {command.limits(), !command.search || command.exhaustive,
          command.search ? command.execution.jobs : SIZE_MAX};
}

std::string counts_text(const ModelCommand& command, const ModelRunner& runner) {
  return command.keep.empty() ? ""
                              : fmt::format("; {} runs executed, {} taken from {}", runner.counts().executed,
                                            runner.counts().kept, command.keep);
}

// Of a model that does not decode.
Answer encode(const ModelCommand& command, const ModelConfig& config, OutputDir& out) {
  const std::vector<SearchedPoint> points =
      study_points(config, space_of(command), command.execution.overrides_of(ModelPhase::kPrefill));
  const StudyFolder folder = study_folder(command.keep, out);
  ModelRunner runner(config, command.execution, folder.path.string());
  std::vector<PhasePoint> phases;
  for (const SearchedPoint& one : points)
    if (one.refused.empty()) phases.push_back({one.point, ModelPhase::kPrefill});
  ProgressLine line;
  const std::vector<PhaseFigures> figures =
      runner.run_phases(phases, [&](std::size_t done, std::size_t of) { line.count(done, of, "runs"); });
  line.clear();
  out.write("points.csv", encoder_csv(points, figures));
  return {encoder_text(config, points, figures), encoder_json(config, points, figures),
          counts_text(command, runner)};
}

Answer study(const ModelCommand& command, const ModelConfig& config, OutputDir& out) {
  const LayoutSearch search = search_of(command);
  std::vector<SearchedPoint> points = study_points(config, space_of(command), overrides_to_check(command));
  const std::vector<CardRow> beside = rows_beside(command, config);
  const StudyFolder folder = study_folder(command.keep, out);
  ModelRunner runner(config, command.execution, folder.path.string());
  KeptPoints kept(folder.path, config, command.execution);
  ProgressLine line;
  points = search_and_keep(search, std::move(points), kept, [&](const std::vector<ModelPoint>& wanted) {
    return runner.run(wanted, [&](std::size_t done, std::size_t of) { line.count(done, of, "runs"); });
  });
  line.clear();
  const ModelReport report{config, command.execution, search, points, folder.from_page};
  out.write("points.csv", model_csv(report));
  out.write("index.html", model_page(report));
  if (!beside.empty()) out.write("beside.csv", beside_csv(beside));
  nlohmann::ordered_json json = model_json(report);
  json["beside"] = beside_json(beside);
  return {model_text(report) + beside_text(beside), dump_json(json, 2) + "\n", counts_text(command, runner)};
}

std::vector<std::int64_t> prompt_of(const ModelConfig& config, const std::string& text) {
  std::vector<std::int64_t> ids;
  for (const std::string& word : CLI::detail::split(text, ',')) {
    std::int64_t id = 0;
    if (!CLI::detail::lexical_cast(word, id))
      throw base::UserError("E-HFC-022", "--prompt-ids", fmt::format("expected token ids, got '{}'", word));
    ids.push_back(id);
  }
  check_prompt(config, ids);
  return ids;
}

Answer generate_tokens(const ModelCommand& command, const ModelConfig& config, const std::string& folder) {
  const std::vector<std::int64_t> prompt = prompt_of(config, command.prompt_ids);
  require_sequence(config, prompt.size() + command.generated);
  const ModelLayout layout = only_layout(command, config, {1, prompt.size(), prompt.size()});
  require_unscaled(layout);
  const GenerationRequest request{.prompt = prompt,
                                  .tokens = command.generated,
                                  .inputs = convert_weights(config, command.weights, folder),
                                  .folder = folder};
  ProgressLine line;
  const Generation generation =
      generate(config, layout, command.execution, request,
               [&](std::size_t done, std::size_t of) { line.count(done, of, "tokens"); });
  line.clear();
  return {generation_text(config, layout, generation), generation_json(config, layout, generation)};
}

// A server is one replica of one layout.
ModelLayout layout_of_server(const ModelCommand& command, const ModelConfig& config) {
  ModelDemand largest;
  for (const ModelDemand& demand : command.demands())
    largest = {std::max(largest.batch, demand.batch), std::max(largest.prompt, demand.prompt),
               std::max(largest.context, demand.context)};
  return only_layout(command, config, largest);
}

std::vector<std::uint64_t> ascending(std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Answer execute_steps(const ModelCommand& command, const ModelConfig& config, OutputDir& out) {
  const ServerGrid grid{
      layout_of_server(command, config), ascending(command.batch), ascending(command.prompt),
      ascending(command.context.empty() ? command.prompt : command.context), ascending(command.chunk)};
  if (!grid.chunks.empty()) require_sequence(config, grid.contexts.back() + grid.chunks.back());
  const StudyFolder folder = study_folder(command.keep, out);
  ModelRunner runner(config, command.execution, folder.path.string());
  ProgressLine line;
  const ServerSteps steps = server_steps(
      config, grid, runner, [&](std::size_t done, std::size_t of) { line.count(done, of, "runs"); });
  line.clear();
  out.write("steps.csv", steps_csv(steps));
  out.write("server.yaml", server_case(config, grid, steps));
  return {steps_text(config, grid, steps), steps_json(config, grid, steps), counts_text(command, runner)};
}

ExitStatus run_model(ModelCommand command) {
  const auto begin = std::chrono::steady_clock::now();
  refuse_owned_parameters(command.execution.overrides);
  const ModelConfig config = read_model_config(command.config, command.ignored);
  const bool encodes = is_encoder(config);
  // A decoding step adds a token.
  command.fit(encodes || config.longest == 0 ? config.longest
                                             : std::max<std::uint64_t>(1, config.longest - 1));
  const bool generates = !command.weights.empty();
  if (encodes && (generates || command.steps || command.search || !command.beside.empty()))
    throw base::UserError("E-CLI-003", "model",
                          "--weights, --steps, --search and --beside: expected a model that decodes");
  if (generates && !command.keep.empty())
    throw base::UserError("E-CLI-003", "model", "--keep: a generation with --weights keeps no runs");
  if (!generates)
    for (const ModelDemand& demand : command.demands())
      require_sequence(config, encodes ? demand.prompt : std::max(demand.prompt, demand.context + 1));
  if (command.plan) {
    fmt::print("{}", plan_text(config, study_points(config, space_of(command), overrides_to_check(command))));
    return ExitStatus::kOk;
  }
  OutputDir out(command.out);
  const Answer answer = generates       ? generate_tokens(command, config, out.folder("generation"))
                        : command.steps ? execute_steps(command, config, out)
                        : encodes       ? encode(command, config, out)
                                        : study(command, config, out);
  out.write("summary.txt", answer.text);
  out.write("summary.json", answer.json);
  CommandManifest manifest{host_facts(), own_command_line(), 0, out.files(), ManifestCommand::kModel};
  manifest.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  manifest.files.emplace_back("manifest.json");
  out.write("manifest.json", manifest_json(manifest));
  out.commit();
  fmt::print("{}", command.format == "json" ? answer.json : answer.text);
  if (command.format != "json")
    fmt::print("\nfiles in {}{}; {}\n", out.path(), answer.counts,
               generates ? "generation has each run"
               : encodes ? "points.csv has the points; study/runs has each run"
               : command.steps
                   ? "steps.csv has the steps; tahoma serve runs server.yaml; study/runs has each run"
                   : "open index.html in a browser; study/runs has each run");
  return ExitStatus::kOk;
}

}  // namespace

void add_model_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<ModelCommand>();
  sub.add_option("CONFIG", command->config,
                 "config.json, or the folder that contains it; - for standard input")
      ->required()
      ->type_name("");
  add_model_options(sub, *command);
  add_choice(sub, "--format", command->format, {"text", "json"},
             "What to print: the summary as text or as JSON");
  sub.callback([command, &action] { action = [command] { return run_model(*command); }; });
}

}  // namespace tahoma::runtime
