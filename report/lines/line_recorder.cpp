// SPDX-License-Identifier: Apache-2.0
#include "report/lines/line_recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/core/source_place.h"

namespace tahoma::runtime {

using base::Duration, base::StallReason;

namespace {

constexpr std::uint32_t kWithoutLine = 0;  // the first entry

void add_times(KindTimes& sum, const KindTimes& other) {
  for (std::size_t kind = 0; kind < sum.size(); ++kind)
    for (std::size_t n = 0; n < base::kStallReasons; ++n) sum[kind].time[n] += other[kind].time[n];
}

}  // namespace

LineCounts& LineCounts::operator+=(const LineCounts& other) {
  instructions += other.instructions;
  transfers += other.transfers;
  bytes += other.bytes;
  dma += other.dma;
  waited_for += other.waited_for;
  critical += other.critical;
  return *this;
}

Duration LineTime::total() const {
  Duration sum{0};
  for (const KindTime& kind : engines) sum += kind.total();
  return sum;
}

Duration LineTime::of(StallReason reason) const {
  Duration sum{0};
  for (const KindTime& kind : engines) sum += kind.time[static_cast<std::size_t>(reason)];
  return sum;
}

void LineTime::add(const LineTime& other) {
  add_times(engines, other.engines);
  counts += other.counts;
}

LineRecorder::LineRecorder(const model::MachineParams& machine, const CriticalPath& path)
    : by_core_(machine.cores(), nullptr),
      entries_(1),
      path_(path),
      waited_(machine.cores() * isa::kQueueCount),
      times_(machine.cores()) {}

void LineRecorder::program(std::uint32_t core, std::shared_ptr<const isa::Program> program) {
  if (program->lines.empty()) return;
  Known& known = programs_[program.get()];
  if (!known.program) {
    for (isa::SourceLine place : program->lines) {
      if (place.caller != isa::kNoLine) place.caller = known.numbers[place.caller];
      known.numbers.push_back(number_of(place));
    }
    known.program = std::move(program);
  }
  by_core_.at(core) = &known;
}

std::uint32_t LineRecorder::number_of(const isa::SourceLine& place) {
  const auto [known, added] = numbers_.try_emplace({place.caller, place.file, place.line, place.function},
                                                   static_cast<std::uint32_t>(entries_.size()));
  if (added) entries_.push_back({place, {}});
  return known->second;
}

std::uint32_t LineRecorder::number_at(const InstructionPlace& at) const {
  const Known* known = by_core_[at.core];
  if (known == nullptr) return kWithoutLine;
  const std::uint32_t line = known->program->line_at(static_cast<isa::Queue>(at.queue), at.index);
  return line == isa::kNoLine ? kWithoutLine : known->numbers[line];
}

void LineRecorder::instruction(const base::InstructionActivity& a) {
  if (by_core_[a.core] == nullptr) return;
  const std::uint32_t number = number_at({a.core, a.queue, a.index});
  ++entries_[number].counts.instructions;
  times_.book(a.core, a.queue, number, a.engine_time);
  Duration& before = waited_[a.core * isa::kQueueCount + a.queue];
  const Duration now = base::waited_for_semaphores(a.engine_time);
  if (const auto raiser = path_.raiser(a.released_by))
    entries_[number_at(*raiser)].counts.waited_for += now - before;
  before = now;
}

void LineRecorder::transfer(const base::TransferActivity& a) {
  if (by_core_[a.core] == nullptr) return;
  LineCounts& counts = entries_[number_at({a.core, a.queue, a.index})].counts;
  ++counts.transfers;
  counts.bytes += a.bytes;
  counts.dma += a.busy;
}

std::string LineRecorder::callers_of(const Entry& entry) const {
  std::string chain;
  for (std::uint32_t n = entry.place.caller; n != isa::kNoLine; n = entries_[n].place.caller)
    chain += fmt::format("{}{}:{} {}", chain.empty() ? "" : " < ", isa::file_name_of(entries_[n].place.file),
                         entries_[n].place.line, entries_[n].place.function);
  return chain;
}

LineTimes LineRecorder::summarise(const base::RunMeasurement& run) {
  LineTimes all;
  if (!any()) return all;
  times_.finish(run);
  path_.follow(run.elapsed, [&](const PathStep& step) {
    entries_[step.at ? number_at(*step.at) : kWithoutLine].counts.critical += step.time();
  });
  for (std::uint32_t n = 0; n < entries_.size(); ++n) {
    const Entry& entry = entries_[n];
    LineTime line;
    line.engines = times_.of(n);
    line.counts = entry.counts;
    if (entry.counts.instructions == 0 && entry.counts.critical.fs == 0) continue;
    all.whole.add(line);
    line.file = entry.place.file;
    line.function = entry.place.function;
    line.line = entry.place.line;
    line.callers = callers_of(entry);
    all.lines.push_back(std::move(line));
  }
  std::sort(all.lines.begin(), all.lines.end(), [](const LineTime& a, const LineTime& b) {
    return std::tie(a.file, a.line, a.function, a.callers) < std::tie(b.file, b.line, b.function, b.callers);
  });
  return all;
}

}  // namespace tahoma::runtime
