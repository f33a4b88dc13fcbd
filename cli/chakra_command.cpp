// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "cli/commands.h"
#include "cli/options/whole_numbers.h"
#include "studies/chakra/trace_command.h"

namespace tahoma::runtime {

namespace {

// The value with that name, one of which add_choice() has accepted.
template <class Enum, std::size_t N>
Enum chosen(const base::Named<Enum> (&table)[N], const std::string& word) {
  return std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return word == row.name; })
      ->value;
}

struct ChakraCommand {
  chakra::TraceCommand traces;
  std::string rank = "chips", compute = "recorded", exchanges = "executed", format = "text";
};

base::ExitStatus replay_chakra(ChakraCommand& command) {
  chakra::TimeSources& sources = command.traces.sources;
  sources.rank = chosen(collective::kRankKinds, command.rank);
  sources.compute = chosen(chakra::kComputeTimes, command.compute);
  sources.exchanges = chosen(chakra::kExchangeTimes, command.exchanges);
  command.traces.command_line = own_command_line();
  const chakra::TraceOutcome outcome = chakra::replay_traces(command.traces);
  const bool json = command.format == "json";
  fmt::print("{}", json ? outcome.summary_json : outcome.summary_text);
  if (!json)
    fmt::print(
        "\nfiles in {}: nodes.csv, exchanges.csv, ranks.csv, replayed.N.et, groups.json, summary.json\n",
        outcome.folder);
  return base::ExitStatus::kOk;
}

}  // namespace

void add_chakra_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<ChakraCommand>();
  chakra::TraceCommand& traces = command->traces;
  traces.out = "out-chakra";
  traces.sources.jobs = std::max(1U, std::thread::hardware_concurrency());
  sub.add_option("PREFIX", traces.prefix,
                 "Beginning of the names of the traces: PREFIX.0.et, PREFIX.1.et, ..., one of each rank")
      ->required()
      ->type_name("");
  sub.add_option("--machine", traces.sources.machine, "Preset, or YAML file of the machine")
      ->type_name("NAME|FILE");
  add_overrides(sub, traces.sources.overrides, "Set a value below machine.; repeatable, the last one wins");
  add_choice(sub, "--ranks", command->rank, base::Choice<collective::RankKind>(collective::kRankKinds).names,
             "What a rank of the traces is");
  sub.add_option("--groups", traces.groups, "Communicator groups as JSON: {\"1\": [0, 1, 2, 3]}")
      ->type_name("FILE");
  add_choice(sub, "--compute", command->compute,
             base::Choice<chakra::ComputeTimes>(chakra::kComputeTimes).names,
             "Time of a computation: its recorded duration, or the roofline of its operations and bytes");
  sub.add_option("--table", traces.sources.table,
                 "CSV with times of nodes: columns name (a pattern with *) and time, or name and case (a "
                 "file to run)")
      ->type_name("FILE");
  add_choice(sub, "--exchanges", command->exchanges,
             base::Choice<chakra::ExchangeTimes>(chakra::kExchangeTimes).names,
             "Time of a collective or message: a simulation of it, or an estimate");
  sub.add_option("--out", traces.out, "Folder for the results")->type_name("DIR");
  sub.add_option("--jobs", traces.sources.jobs, "Number of parallel runs; default: one per host core")
      ->type_name("N")
      ->check(whole_numbers(1, kMostJobs), "")
      ->default_str("");
  add_choice(sub, "--format", command->format, {"text", "json"}, "What to print");
  sub.callback([command, &action] { action = [command] { return replay_chakra(*command); }; });
}

}  // namespace tahoma::runtime
