// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/serving_case.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <system_error>

#include "model/base/error.h"
#include "model/base/loader/config_loader.h"
#include "runtime/config/config_files.h"
#include "runtime/host/text/text_file.h"
#include "studies/serving/input/request_trace.h"
#include "studies/serving/simulation/kv_blocks.h"

namespace tahoma::runtime::serving {

using base::chosen, base::Leaf, base::UserError;

namespace {

const std::string kServing = "serving";

void refuse_other_roots(const std::vector<Leaf>& leaves) {
  for (const Leaf& leaf : leaves) {
    const std::string root = leaf.path.substr(0, leaf.path.find_first_of(".["));
    if (root != kServing)
      throw UserError("E-CFG-002", leaf.key_place.empty() ? leaf.place : leaf.key_place,
                      fmt::format("unknown key '{}': expected {}{}", root, kServing,
                                  base::did_you_mean(root, {kServing})));
  }
}

// An error of a parameter is reported where the parameter was set.
void check_at_values(const base::ParamTree& tree, const std::function<void()>& check) {
  try {
    check();
  } catch (const UserError& error) {
    for (const base::Param& param : tree.params())
      if (param.path == error.place && !param.set_at.empty())
        throw UserError(error.code, param.set_at, fmt::format("'{}': {}", param.path, error.message));
    throw;
  }
}

void check_keys(const ServingParams& params, const std::string& file) {
  const bool traced = !params.requests.trace.empty(), random = params.requests.poisson.rate > 0;
  if (traced == random)
    throw UserError(
        "E-SRV-020", file,
        fmt::format("expected either 'serving.requests.trace' or 'serving.requests.poisson.rate', got {}",
                    traced ? "both" : "neither"));
  if (params.steps.empty())
    throw UserError("E-SRV-020", file,
                    "key 'serving.steps' is missing: expected a CSV file of executed steps");
}

// Why a server could never complete the request; "" if it can.
std::string misfit(const Request& request, const ServerParams& server) {
  const std::uint64_t cached = most_cached(request), room = server.kv.blocks * server.kv.block_tokens;
  if (blocks_for(cached, server.kv.block_tokens) > server.kv.blocks)
    return fmt::format(
        "{} prompt and {} output tokens need room for {} tokens, and the KV cache of a server has room "
        "for {}: expected shorter requests or more blocks (serving.server.kv.blocks)",
        request.prompt, request.output, cached, room);
  // After a preemption, generated tokens are prefilled with the prompt.
  if (server.prefill == PrefillPolicy::kWhole && cached > server.max_tokens)
    return fmt::format(
        "{} prompt and {} output tokens may have to be prefilled in one step, which has at most {} "
        "tokens: expected shorter requests, a larger serving.server.max_tokens, or "
        "serving.server.prefill = chunked",
        request.prompt, request.output, server.max_tokens);
  return "";
}

// Finds the line of a request in its trace. Only an error needs it, so it is not kept.
std::string place_in_trace(const std::string& trace, std::size_t number) {
  if (std::error_code ignored; !std::filesystem::is_regular_file(trace, ignored))
    return fmt::format("{}: request {}", trace, number);  // a pipe
  CsvStream rows(trace, {}, OtherColumns::kIgnored);
  for (std::size_t n = 0; n <= number; ++n) rows.next();
  return rows.place();
}

}  // namespace

void RequestParams::declare(base::ParamTree& t) {
  t.add_files("trace", trace,
              "CSV file of requests: arrival_s,prompt_tokens,output_tokens, or an Azure LLM trace", chosen());
  t.group("poisson", poisson);
}

void ServingParams::declare(base::ParamTree& t) {
  t.add("title", title, "", {}, "title of the results", chosen());
  t.group("requests", requests);
  t.add_files("steps", steps, "CSV file of executed steps", chosen());
  t.add("chunk_times", chunk_times, ChunkTimes::kExecuted, kChunkTimes,
        "time of a chunk behind others of its prompt: of executed steps at its context, or the difference "
        "between two "
        "prompts without context",
        chosen());
  t.add_files("held_back", held_back,
              "CSV file of executed steps that are not used, to measure the interpolation", chosen());
  t.group("server", server);
  t.group("slo", slo);
}

std::string ServingCase::to_yaml(const base::PathMap& map) const {
  return base::to_yaml(tree, kServing, map);
}

std::unique_ptr<ServingCase> load_serving_case(const std::string& file,
                                               const std::vector<std::string>& overrides) {
  auto loaded = std::make_unique<ServingCase>();
  loaded->params.declare(loaded->tree);
  const base::FlatConfig config = base::flatten_keeping_empty(read_config_text(file), read_extended);
  refuse_other_roots(config.leaves);
  base::refuse_empty(config, {&loaded->tree});
  base::apply(config, loaded->tree);
  for (const std::string& argument : overrides) {
    const base::FlatConfig override_values{base::parse_override(argument)};
    refuse_other_roots(override_values.leaves);
    base::apply(override_values, loaded->tree);
  }
  check_keys(loaded->params, name_of_file(file));
  check_at_values(loaded->tree, [&] { loaded->params.server.check(kServing + ".server"); });
  return loaded;
}

Requests requests_of(const ServingCase& the_case) {
  const RequestParams& params = the_case.params.requests;
  Requests requests;
  check_at_values(the_case.tree, [&] {
    requests = params.trace.empty() ? poisson_requests(params.poisson, kServing + ".requests.poisson")
                                    : read_trace(params.trace);
  });
  for (std::size_t n = 0; n < requests.size(); ++n)
    if (const std::string why = misfit(requests[n], the_case.params.server); !why.empty())
      throw UserError("E-SRV-007",
                      params.trace.empty() ? fmt::format("request {} of serving.requests.poisson", n)
                                           : place_in_trace(params.trace, n),
                      why);
  return requests;
}

}  // namespace tahoma::runtime::serving
