// SPDX-License-Identifier: Apache-2.0
#include "report/checkpoint/dump_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/table/table.h"
#include "model/base/error.h"
#include "runtime/run/region_names.h"

namespace tahoma::runtime {

namespace {

[[noreturn]] void refuse_point(const std::string& request, const std::string& why) {
  throw base::UserError("E-CKP-004", "dump '" + request + "'", why);
}

bool is_transfer(const isa::Instruction& i) { return isa::row_of(i.op).cost == isa::CostClass::kDoorbell; }

bool is_branch(const isa::Instruction& i) { return isa::row_of(i.op).cost == isa::CostClass::kBranch; }

std::uint64_t key(std::uint8_t queue, std::uint32_t index) { return (std::uint64_t{queue} << 32) | index; }

// Calls f(region, first, last) for every range of a stream between two marks.
template <class Visit>
void for_each_stretch(const isa::Program& program, std::uint8_t queue, Visit&& visit) {
  const std::vector<isa::RegionMark>& marks = program.marks[queue];
  const auto size = static_cast<std::uint32_t>(program.streams[queue].size());
  std::uint32_t first = 0;
  for (std::size_t m = 0; m <= marks.size(); ++m) {
    const std::uint32_t end = m < marks.size() ? marks[m].first : size;
    if (end > first) visit(region_name_at(program, queue, first), first, end - 1);
    first = end;
  }
}

}  // namespace

// A queue that never branches and has fewer ranges than the region has occurrences does
// nothing in the later ones.
bool DumpPoints::Visits::over(std::uint32_t occurrence) const {
  for (std::size_t q = 0; q < isa::kQueueCount; ++q) {
    const std::size_t most = stretches[q].empty() ? 0 : branches[q] ? occurrence : stretches[q].size();
    if (left[q] < std::min<std::size_t>(occurrence, most)) return false;
  }
  const bool came =
      std::any_of(left.begin(), left.end(), [&](std::uint32_t times) { return times >= occurrence; });
  return came && std::none_of(in_flight.begin(), in_flight.end(), [&](const auto& transfers) {
           return transfers.first <= occurrence && transfers.second > 0;
         });
}

std::size_t DumpPoints::add(std::uint32_t core, const DumpPoint& point, const std::string& request) {
  if (!programs_.contains(core)) refuse_point(request, fmt::format("core {} runs no program", core));
  const std::size_t number = named_.size();
  auto& wanted = point.kind == DumpPoint::Kind::kRegion ? visits_of(core, point.region, request).wanted
                                                        : executions_of(core, point, request).wanted;
  wanted.push_back({point.occurrence, number});
  named_.push_back({request, fmt::format("core {}{}", core, point.text())});
  return number;
}

DumpPoints::Visits& DumpPoints::visits_of(std::uint32_t core, const std::string& region,
                                          const std::string& request) {
  const auto [at, added] = regions_[core].try_emplace(region);
  Visits& visits = at->second;
  if (!added) return visits;
  std::vector<std::string> names;
  bool known = false;
  const isa::Program& program = *programs_.at(core);
  for (std::uint8_t q = 0; q < isa::kQueueCount; ++q) {
    visits.branches[q] = std::any_of(program.streams[q].begin(), program.streams[q].end(), is_branch);
    for_each_stretch(program, q, [&](const std::string& name, std::uint32_t first, std::uint32_t last) {
      names.push_back(clean_name(name));
      if (names.back() != region) return;
      known = true;
      visits.stretches[q].push_back({first, last});
    });
  }
  if (!known)
    refuse_point(request, fmt::format("core {} has no region '{}'{}", core, region,
                                      base::did_you_mean(region, names)));
  return visits;
}

DumpPoints::Executions& DumpPoints::executions_of(std::uint32_t core, const DumpPoint& point,
                                                  const std::string& request) {
  const auto& stream = programs_.at(core)->stream(point.queue);
  if (point.index >= stream.size())
    refuse_point(request, fmt::format("core {} has {} instructions in queue {}", core, stream.size(),
                                      isa::name_of(point.queue)));
  Executions& executions = instructions_[{core, static_cast<std::uint8_t>(point.queue), point.index}];
  executions.transfer = is_transfer(stream[point.index]);
  return executions;
}

void DumpPoints::reach(std::size_t point) {
  named_[point].reached = true;
  reached_.push_back(point);
}

void DumpPoints::check(Visits& visits) {
  for (const Wanted& wanted : visits.wanted)
    if (!named_[wanted.point].reached && visits.over(wanted.occurrence)) reach(wanted.point);
}

// A transfer counts when its values move, any other instruction when its engine accepts it.
void DumpPoints::execute(const Position& position, bool transfer) {
  const auto found = instructions_.find(position);
  if (found == instructions_.end() || found->second.transfer != transfer) return;
  Executions& executions = found->second;
  ++executions.count;
  for (const Wanted& wanted : executions.wanted)
    if (wanted.occurrence == executions.count) reach(wanted.point);
}

const std::vector<std::size_t>& DumpPoints::reached_by(const base::InstructionActivity& a) {
  reached_.clear();
  execute({a.core, a.queue, a.index}, false);
  const auto core = regions_.find(a.core);
  if (core == regions_.end()) return reached_;
  for (auto& [name, visits] : core->second) {
    for (const Stretch& stretch : visits.stretches[a.queue]) {
      if (a.index < stretch.first || a.index > stretch.last) continue;
      if (is_transfer(programs_.at(a.core)->streams[a.queue][a.index])) {
        const std::uint32_t occurrence = visits.left[a.queue] + 1;
        ++visits.in_flight[occurrence];
        visits.rung[key(a.queue, a.index)].push_back(occurrence);
      }
      if (a.index == stretch.last) ++visits.left[a.queue];
      check(visits);
    }
  }
  return reached_;
}

const std::vector<std::size_t>& DumpPoints::reached_by(const base::ResultActivity& a) {
  reached_.clear();
  execute({a.core, a.queue, a.index}, true);
  const auto core = regions_.find(a.core);
  if (core == regions_.end()) return reached_;
  for (auto& [name, visits] : core->second) {
    const auto rung = visits.rung.find(key(a.queue, a.index));
    if (rung == visits.rung.end() || rung->second.empty()) continue;
    --visits.in_flight[rung->second.front()];
    rung->second.pop_front();
    check(visits);
  }
  return reached_;
}

void DumpPoints::refuse_unreached() const {
  for (const Named& point : named_)
    if (!point.reached)
      throw base::UserError("E-CKP-005", "dump '" + point.request + "'",
                            "the run did not reach " + point.what);
}

}  // namespace tahoma::runtime
