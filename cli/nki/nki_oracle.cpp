// SPDX-License-Identifier: Apache-2.0
#include "cli/nki/nki_oracle.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "frontend/nki/bundle/tracing.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/process.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace {

// Runs the package's module with the streams of this process; its exit status is that of this command.
base::ExitStatus run_oracle(const std::vector<std::string>& arguments) {
  const ProcessEnd end = Process(nki::python_words("tahoma.oracle", arguments)).wait().end;
  if (end.reason != ProcessEnd::Reason::kExited)
    throw base::UserError("E-ORA-002", "nki", fmt::format("the Python package {}", end.text()),
                          base::ExitStatus::kHost);
  return static_cast<base::ExitStatus>(end.number);
}

}  // namespace

void add_oracle_options(CLI::App& sub, OracleOptions& options) {
  sub.add_flag(
      "--verify", options.verify,
      "Print one JSON: correct or not, the first wrong element, time, bound, the largest losses by line "
      "with remedies, findings (examples/agents)");
  sub.add_option("--previous", options.previous, "With --verify: an earlier verdict to compare with")
      ->type_name("FILE")
      ->default_str("none");
  sub.add_flag(
      "--serve", options.serve,
      "Read verifications as lines of JSON from standard input and print their verdicts, each job in a "
      "process of its own");
  sub.add_option("--job-seconds", options.seconds, "With --serve: time limit of a job")->type_name("S");
  sub.add_option("--job-memory", options.memory_mib, "With --serve: memory limit of a job")->type_name("MIB");
}

base::ExitStatus verify_kernel(const OracleOptions& options, const VerificationRequest& request) {
  nlohmann::json document{{"kernel", request.kernel}, {"args", request.args}};
  if (!request.seed.empty()) {
    document["seed"] = nlohmann::json::parse(request.seed, nullptr, false);
    if (!document["seed"].is_number_unsigned())
      throw base::UserError("E-CLI-003", "nki",
                            fmt::format("--seed: expected a whole number, got '{}'", request.seed));
  }
  if (!request.reference.empty()) document["reference"] = request.reference;
  if (!request.machine.empty()) document["machine"] = request.machine;
  if (!request.overrides.empty()) document["set"] = request.overrides;
  if (request.grid != 0) document["grid"] = request.grid;
  if (request.rtol != 0 || request.atol != 0) document["tolerance"] = {request.rtol, request.atol};
  if (!options.previous.empty()) {
    document["previous"] = nlohmann::json::parse(read_file(options.previous), nullptr, false);
    if (!document["previous"].is_object())
      throw base::UserError("E-ORA-001", options.previous, "expected a verdict as --verify prints it");
  }
  return run_oracle({"verify", dump_json(document)});
}

base::ExitStatus serve_verifications(const OracleOptions& options) {
  return run_oracle({"serve", std::to_string(options.jobs), fmt::format("{}", options.seconds),
                     std::to_string(options.memory_mib << 20)});
}

}  // namespace tahoma::runtime
