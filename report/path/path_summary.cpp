// SPDX-License-Identifier: Apache-2.0
#include "report/path/path_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "isa/table/table.h"
#include "model/base/shares.h"
#include "report/path/instruction_place.h"

namespace tahoma::runtime {

using base::Duration;

namespace {

constexpr std::size_t kMostPathRows = 20;
// So that a path of millions of steps takes little memory, its shortest stretches are united while it is
// followed.
constexpr std::size_t kMostStretches = std::size_t{1} << 16;
constexpr std::size_t kMostPathHotSpots = 100;  // in summary.json

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

// Unites the neighbours that are the shortest together, the last ones in time first among equal ones, until
// at most `most` parts are left. Works on stretches and on rows of the path, the last one in time first.
template <class Part>
void unite_smallest(std::vector<Part>& parts, std::size_t most) {
  most = std::max<std::size_t>(most, 1);
  if (parts.size() <= most) return;
  const std::size_t none = parts.size();
  std::vector<std::size_t> before(parts.size()), behind(parts.size());  // among those that are left
  std::set<std::pair<Duration, std::size_t>>
      pairs;  // time of a part and the one behind it, the former's index
  const auto pair_of = [&](std::size_t n) { return std::pair(parts[n].to - parts[behind[n]].from, n); };
  for (std::size_t n = 0; n < parts.size(); ++n) {
    before[n] = n == 0 ? none : n - 1;
    behind[n] = n + 1;
    if (n + 1 < parts.size()) pairs.insert(pair_of(n));
  }
  for (std::size_t left = parts.size(); left > most; --left) {
    const std::size_t n = pairs.begin()->second, united = behind[n];
    pairs.erase(pairs.begin());
    if (before[n] != none) pairs.erase(pair_of(before[n]));
    if (behind[united] != none) pairs.erase(pair_of(united));
    parts[n].unite(parts[united]);
    behind[n] = behind[united];
    if (behind[n] != none) {
      before[behind[n]] = n;
      pairs.insert(pair_of(n));
    }
    if (before[n] != none) pairs.insert(pair_of(before[n]));
  }
  std::vector<Part> rest;
  for (std::size_t n = 0; n != none; n = behind[n]) rest.push_back(std::move(parts[n]));
  parts = std::move(rest);
}

// Instructions that the reports distinguish: those of one opcode and one source line, or region, of an
// engine.
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
    list.push_back({.program = program->name,
                    .engine = std::string(isa::name_of(queue)),
                    .opcode = std::string(isa::row_of(opcode).mnemonic),
                    .instructions = spot.instructions.size(),
                    .index = largest_of(spot),
                    .source = source,
                    .steps = spot.steps,
                    .time = spot.time,
                    .share_percent = base::percent_of(spot.time, elapsed)});
  }
  // Programs have no order of their own, so equal times are ordered by names.
  std::sort(list.begin(), list.end(), [](const PathHotSpot& a, const PathHotSpot& b) {
    return std::tie(b.time, a.program, a.engine, a.index) < std::tie(a.time, b.program, b.engine, b.index);
  });
  if (list.size() > kMostPathHotSpots) list.resize(kMostPathHotSpots);
  return list;
}

}  // namespace

void PathRow::unite(const PathRow& earlier) {
  from = earlier.from;
  steps += earlier.steps;
  share_percent += earlier.share_percent;
  if (earlier.longest <= longest) return;
  longest = earlier.longest;
  std::tie(core, engine, opcode, source) =
      std::tie(earlier.core, earlier.engine, earlier.opcode, earlier.source);
}

std::vector<PathRow> united(std::vector<PathRow> rows, std::size_t most) {
  unite_smallest(rows, most);
  return rows;
}

PathSummary summarise_path(const CriticalPath& path, Duration elapsed, const Programs& programs,
                           const CoreName& name_of_core, const PathCosts& costs) {
  PathSummary summary;
  summary.elapsed = elapsed;
  summary.not_followed = path.forgotten();
  PathShares shares;
  std::map<SpotKey, Spot> spots;
  std::vector<Stretch> stretches;
  path.follow(base::Time{0} + elapsed, [&](const PathStep& step) {
    ++summary.steps;
    shares.add(step, step.at ? programs.at(step.at->core).get() : nullptr, costs);
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
    if (stretches.size() == kMostStretches) unite_smallest(stretches, kMostStretches / 2);
  });
  unite_smallest(stretches, kMostPathRows);
  summary.resources = shares.resources(elapsed);
  summary.operations = shares.operations(elapsed);
  summary.hot_spots = hot_spots_of(spots, elapsed);
  for (const Stretch& s : stretches) {
    PathRow row{.from = s.from,
                .to = s.to,
                .steps = s.steps,
                .core = "",
                .engine = "",
                .opcode = "",
                .source = "",
                .share_percent = base::percent_of(s.time(), elapsed),
                .longest = s.longest};
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
