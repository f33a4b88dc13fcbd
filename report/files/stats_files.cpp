// SPDX-License-Identifier: Apache-2.0
#include "report/files/stats_files.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

#include "model/system/statistics/list_statistics.h"

namespace tahoma::runtime {

using base::Stat;

namespace {

constexpr std::size_t kLine = 170;  // typical length; there may be 100,000 lines

// Pads what was appended to `text` since `begin` to `width`; longer text is unchanged.
void pad(std::string& text, std::size_t begin, std::size_t width) {
  if (text.size() < begin + width) text.append(begin + width - text.size(), ' ');
}

}  // namespace

std::string stats_text(const std::vector<Stat>& stats) {
  std::string text = "---------- begin of statistics ----------\n";
  text.reserve(text.size() + kLine * stats.size());
  for (const Stat& stat : stats) {
    const std::size_t begin = text.size();
    text += stat.path;
    pad(text, begin, 52);
    text += ' ';
    const std::size_t value = text.size();
    std::visit([&](auto number) { fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), number); },
               stat.value);
    pad(text, value, 20);
    text += ' ';
    const std::size_t unit = text.size();
    text += base::name_of(stat.unit);
    pad(text, unit, 5);
    text += " # ";
    text += stat.doc;
    text += '\n';
  }
  text += "---------- end of statistics ----------\n";  // no copy: the text may have 20 MB
  return text;
}

namespace {

// A run with one instance of everything that declares statistics.
base::RunMeasurement run_of_everything() {
  const std::string chip = "server*.chip*", core = chip + ".core*";
  base::RunMeasurement run;
  for (std::size_t kind = 0; kind < base::kEngineKinds; ++kind) {
    base::EngineMeasurement& engine = run.engines.emplace_back();
    engine.kind = static_cast<base::EngineKind>(kind);
    engine.path = engine.kind == base::EngineKind::kCollective
                      ? core + ".cc*"
                      : fmt::format("{}.{}", core, base::name_of(engine.kind));
  }
  run.dma.emplace_back().path = core + ".dma";
  base::HbmMeasurement& stack = run.hbm.emplace_back();
  stack.path = chip + ".hbm*";
  stack.users.emplace_back();
  stack.channels.emplace_back().path = stack.path + ".channel*";
  run.crossings.emplace_back().path = chip + ".network.die*_to_die*";
  run.links.emplace_back().path = chip + ".link.*";
  return run;
}

}  // namespace

std::vector<Stat> known_statistics() {
  base::StatSink sink;
  model::list_declared(run_of_everything(), sink);
  std::vector<Stat> stats = sink.stats();
  const std::string user = ".users.core0.";  // a number, not a path, identifies the user of a stack
  for (Stat& stat : stats) {
    std::visit([](auto& value) { value = 0; }, stat.value);
    if (const std::size_t at = stat.path.find(user); at != std::string::npos)
      stat.path.replace(at, user.size(), ".users.core*.");
  }
  return stats;
}

}  // namespace tahoma::runtime
