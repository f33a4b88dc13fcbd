// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/path/path_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "isa/core/source_place.h"
#include "isa/table/table.h"
#include "isa/table/table_names.h"
#include "model/base/shares.h"
#include "runtime/report/regions/region_names.h"

namespace tahoma::runtime {

using base::Duration;

namespace {

constexpr std::size_t kMostPathRows = 20;
constexpr std::size_t kMostPathHotSpots = 100;  // in summary.json

// What the reports say of an instruction.
struct InstructionNames {
  const isa::Program& program;
  const InstructionPlace& at;

  isa::Queue queue() const { return static_cast<isa::Queue>(at.queue); }
  isa::Opcode op() const { return program.stream(queue())[at.index].op; }
  std::string engine() const { return std::string(isa::name_of(queue())); }
  std::string opcode() const { return std::string(isa::row_of(op()).mnemonic); }
  std::string source() const {
    const std::uint32_t line = program.line_at(queue(), at.index);
    if (line != isa::kNoLine)
      return fmt::format("{}:{}", isa::file_name_of(program.lines[line].file), program.lines[line].line);
    const std::optional<std::uint16_t> region = stretch_at(program, at.queue, at.index).region;
    return region ? program.regions[*region] : "";
  }
};

// Steps that follow each other in time, with the longest of them.
struct Stretch {
  base::Time from{0}, to{0};
  std::uint64_t steps = 0;
  Duration longest;
  std::optional<InstructionPlace> at;  // of the longest
  std::string place;                   // "" once it unites several places

  Duration time() const { return to - from; }
  void unite(const Stretch& earlier) {
    from = earlier.from;
    steps += earlier.steps;
    if (place != earlier.place) place.clear();
    if (earlier.longest > longest) std::tie(longest, at) = std::tie(earlier.longest, earlier.at);
  }
};

// Unites the neighbours whose time together is the smallest until few enough are left.
void unite_smallest(std::vector<Stretch>& stretches) {
  while (stretches.size() > kMostPathRows) {
    std::size_t best = 0;
    for (std::size_t n = 1; n + 1 < stretches.size(); ++n)
      if (stretches[n].to - stretches[n + 1].from < stretches[best].to - stretches[best + 1].from) best = n;
    stretches[best].unite(stretches[best + 1]);
    stretches.erase(stretches.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

// Instructions that the reports tell apart: those of one opcode and one source line, or region, of an engine.
using SpotKey = std::tuple<const isa::Program*, isa::Queue, isa::Opcode, std::string>;

struct Spot {
  std::uint64_t steps = 0;
  Duration time;
  std::map<std::uint32_t, Duration> instructions;  // by index in the engine's stream
};

// The largest of the spot's instructions, the first of equal ones.
std::uint32_t largest_of(const Spot& spot) {
  return std::max_element(spot.instructions.begin(), spot.instructions.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

std::vector<PathHotSpot> hot_spots_of(const std::map<SpotKey, Spot>& spots, Duration elapsed) {
  std::vector<PathHotSpot> list;
  for (const auto& [key, spot] : spots) {
    const auto& [program, queue, opcode, source] = key;
    list.push_back({program->name, std::string(isa::name_of(queue)),
                    std::string(isa::row_of(opcode).mnemonic), spot.instructions.size(), largest_of(spot),
                    source, spot.steps, spot.time, base::percent_of(spot.time, elapsed)});
  }
  // Programs have no order of their own, so equal times are ordered by names.
  std::sort(list.begin(), list.end(), [](const PathHotSpot& a, const PathHotSpot& b) {
    return std::tie(b.time, a.program, a.engine, a.index) < std::tie(a.time, b.program, b.engine, b.index);
  });
  if (list.size() > kMostPathHotSpots) list.resize(kMostPathHotSpots);
  return list;
}

}  // namespace

PathSummary summarise_path(const CriticalPath& path, Duration elapsed, const Programs& programs,
                           const CoreName& name_of_core) {
  PathSummary summary{elapsed, 0, {}, {}};
  std::map<SpotKey, Spot> spots;
  std::vector<Stretch> stretches;
  path.follow(base::Time{0} + elapsed, [&](const PathStep& step) {
    ++summary.steps;
    Stretch stretch{step.from, step.to, 1, step.time(), step.at, "outside"};
    if (step.at) {
      const isa::Program& program = *programs.at(step.at->core);
      const InstructionNames names{program, *step.at};
      const std::string source = names.source();
      Spot& spot = spots[{&program, names.queue(), names.op(), source}];
      ++spot.steps;
      spot.time += step.time();
      spot.instructions[step.at->index] += step.time();
      stretch.place = fmt::format("{} {} {}", step.at->core, step.at->queue, source);
    }
    if (!stretches.empty() && stretches.back().place == stretch.place)
      stretches.back().unite(stretch);
    else
      stretches.push_back(stretch);
  });
  unite_smallest(stretches);
  summary.hot_spots = hot_spots_of(spots, elapsed);
  for (const Stretch& s : stretches) {
    PathRow row{s.from, s.to, s.steps, "", "", "", "", base::percent_of(s.time(), elapsed)};
    if (s.at) {
      const InstructionNames names{*programs.at(s.at->core), *s.at};
      row.core = name_of_core(s.at->core);
      row.engine = names.engine();
      row.opcode = names.opcode();
      row.source = names.source();
    }
    summary.rows.push_back(row);
  }
  return summary;
}

}  // namespace tahoma::runtime
