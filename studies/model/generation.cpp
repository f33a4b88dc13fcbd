// SPDX-License-Identifier: Apache-2.0
#include "studies/model/generation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/npy.h"
#include "runtime/host/text/whole_file.h"
#include "studies/batch/child_run.h"
#include "studies/model/model_origins.h"
#include "studies/model/token_ids.h"

namespace tahoma::runtime {

using base::UserError;
using Json = nlohmann::ordered_json;
using Path = std::filesystem::path;

namespace {

// The keys or the values of all layers: [layers, tokens, columns], which grows by tokens.
struct Cache {
  std::uint64_t layers = 0, tokens = 0, columns = 0;
  std::vector<std::byte> bytes;  // of fp32, which holds bf16 exactly

  // The first tokens of `more`; others are padding.
  void append(const NpyArray& more, std::uint64_t added) {
    const std::uint64_t before = tokens, made = more.shape.at(1);
    layers = more.shape.at(0);
    columns = more.shape.at(2);
    std::vector<std::byte> grown(layers * (before + added) * columns * sizeof(float));
    const std::size_t row = columns * sizeof(float);
    for (std::uint64_t l = 0; l < layers; ++l) {
      std::byte* to = grown.data() + l * (before + added) * row;
      std::copy_n(bytes.data() + l * before * row, before * row, to);
      std::copy_n(more.bytes.data() + l * made * row, added * row, to + before * row);
    }
    bytes = std::move(grown);
    tokens = before + added;
  }
  void write(const std::string& file) const { write_npy(file, {"<f4", {layers, tokens, columns}, bytes}); }
};

std::int64_t largest(const NpyArray& logits) {
  std::vector<float> values(logits.elements());
  std::memcpy(values.data(), logits.bytes.data(), logits.bytes.size());
  return std::max_element(values.begin(), values.end()) - values.begin();
}

}  // namespace

void check_prompt(const ModelConfig& config, const std::vector<std::int64_t>& prompt) {
  if (prompt.empty()) throw UserError("E-HFC-022", "--prompt-ids", "expected at least one token id");
  for (const std::int64_t id : prompt)
    if (id < 0 || id >= static_cast<std::int64_t>(config.vocabulary))
      throw UserError("E-HFC-022", "--prompt-ids",
                      fmt::format("expected ids from 0 to {}, got {}", config.vocabulary - 1, id));
}

Generation generate(const ModelConfig& config, const ModelLayout& layout, const ModelExecution& execution,
                    const GenerationRequest& request, const ModelRunner::Progress& progress) {
  const std::vector<std::int64_t>& prompt = request.prompt;
  Generation made{prompt, {}, {}, ""};
  Cache keys, values;
  for (std::uint64_t step = 0; step < request.tokens; ++step) {
    const bool first = step == 0;
    const Path of_step = Path(request.folder) / fmt::format("step{:03}", step);
    std::filesystem::create_directories(of_step);
    auto files = request.inputs;
    files.emplace_back("ids", (of_step / "ids.npy").string());
    std::vector<std::int64_t> ids = first ? prompt : std::vector<std::int64_t>{made.tokens.back()};
    const std::uint64_t added = ids.size();
    if (first) ids.resize(layout.padded(prompt.size()));
    write_npy(files.back().second, token_ids_array(ids, 1));
    if (!first) {
      files.emplace_back("k_cache", (of_step / "k_cache.npy").string());
      keys.write(files.back().second);
      files.emplace_back("v_cache", (of_step / "v_cache.npy").string());
      values.write(files.back().second);
    }
    const ModelDemand demand{1, prompt.size(), keys.tokens};
    const ModelPhase phase = first ? ModelPhase::kPrefill : ModelPhase::kDecode;
    for (auto& [name, file] : files)
      file = Path(file).lexically_relative(of_step).string();  // of the case's folder
    const Json text = model_case(config, layout, demand, phase, {config.layers}, files);
    ChildRun run;
    run.options.config.workload = (of_step / "case.yaml").string();
    write_new_file(run.options.config.workload, {dump_json(text, 2), "\n"});
    run.name = fmt::format("token {}", step + 1);
    run.options.config.origins = model_origins(config, {layout, demand}, phase);
    run.options.config.mode = "functional";
    run.options.config.overrides = execution.overrides;
    run.options.out = (of_step / "run").string();
    run.options.report = false;
    run.options.save_outputs = true;
    const Json summary = summaries_of({run}, 1, [](std::size_t) {}).front();
    made.seconds.push_back(summary["simulated_time_ns"].get<double>() * 1e-9);
    made.logits = (of_step / "run" / "logits.npy").string();
    made.tokens.push_back(largest(read_npy(made.logits)));
    keys.append(read_npy((of_step / "run" / "keys.npy").string()), added);
    values.append(read_npy((of_step / "run" / "values.npy").string()), added);
    progress(step + 1, request.tokens);
  }
  return made;
}

std::string generation_text(const ModelConfig& config, const ModelLayout& layout, const Generation& g) {
  std::string text = fmt::format("{}, {}: {} tokens after a prompt of {}, golden passed in every run\n\n",
                                 config.name, layout.text(), g.tokens.size(), g.prompt.size());
  text += fmt::format("tokens   {}\n", fmt::join(g.tokens, " "));
  text += fmt::format("time     prefill {}", seconds_text(g.seconds.front()));
  if (g.seconds.size() > 1) text += fmt::format(", last decoding step {}", seconds_text(g.seconds.back()));
  return text + "\n";
}

std::string generation_json(const ModelConfig& config, const ModelLayout& layout, const Generation& g) {
  Json times = Json::array();
  for (const double seconds : g.seconds) times.push_back(seconds * 1e9);
  return dump_json(Json{{"schema_version", 1},
                        {"model", config.name},
                        {"layout", layout.text()},
                        {"prompt", g.prompt},
                        {"tokens", g.tokens},
                        {"times_ns", times},
                        {"golden", "passed"}},
                   2) +
         "\n";
}

}  // namespace tahoma::runtime
