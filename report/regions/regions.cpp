// SPDX-License-Identifier: Apache-2.0
#include "report/regions/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "isa/table/table.h"
#include "isa/table/table_fields.h"
#include "model/base/error.h"
#include "model/system/machine/fabric_ways.h"

namespace tahoma::runtime {

using base::Duration, base::Time;

namespace {

constexpr std::size_t index_of(RooflineResource resource) { return static_cast<std::size_t>(resource); }

// The engines of the first queues are resources in the same order.
constexpr std::size_t kEngines = 4;
static_assert(index_of(RooflineResource::kGpSimd) == static_cast<std::size_t>(isa::Queue::kGpSimd) &&
              index_of(RooflineResource::kTensor) == static_cast<std::size_t>(isa::Queue::kTensor));

Duration time_of(std::uint64_t bytes, double bytes_per_second) {
  return {static_cast<std::int64_t>(static_cast<double>(bytes) / bytes_per_second * 1e15)};
}

std::uint64_t elements_of(const isa::Instruction& i) {
  return isa::row_of(i.op).cost == isa::CostClass::kDoorbell
             ? 0
             : i.shape.partitions * isa::free_elements(i.shape);
}

}  // namespace

const char* name_of(RooflineResource resource) {
  static constexpr std::array<const char*, kResources> kNames{"tensor", "vector",    "scalar", "gpsimd",
                                                              "dma",    "generator", "hbm",    "link"};
  return kNames[index_of(resource)];
}

RooflineResource RegionSummary::bound_by() const {
  return static_cast<RooflineResource>(std::max_element(needs.begin(), needs.end()) - needs.begin());
}

double RegionSummary::bound_percent() const {
  return time().fs <= 0 ? 0 : 100 * static_cast<double>(bound().fs) / static_cast<double>(time().fs);
}

double RegionSummary::intensity() const {
  return hbm_bytes == 0 ? 0 : operations / static_cast<double>(hbm_bytes);
}

RegionRecorder::Region::Region(const std::string& its_name, const model::MachineParams& machine)
    : name(its_name), cores(machine.cores()), stacks(machine.chips() * machine.chip.hbm.stacks) {}

void RegionRecorder::Region::touch(std::uint32_t core, Time from, Time until) {
  start = std::min(start, from);
  end = std::max(end, until);
  cores[core].used = true;
}

void RegionRecorder::Region::count_bytes(std::size_t stack, std::uint64_t bytes) {
  hbm_bytes += bytes;
  stacks[stack] += bytes;
}

void RegionRecorder::Region::add(const Region& other) {
  start = std::min(start, other.start);
  end = std::max(end, other.end);
  operations += other.operations;
  hbm_bytes += other.hbm_bytes;
  for (std::size_t c = 0; c < cores.size(); ++c) {
    cores[c].used = cores[c].used || other.cores[c].used;
    for (std::size_t r = 0; r < kResources; ++r) cores[c].busy[r] += other.cores[c].busy[r];
    for (std::size_t q = 0; q < isa::kQueueCount; ++q) cores[c].generating[q] += other.cores[c].generating[q];
  }
  for (std::size_t s = 0; s < stacks.size(); ++s) stacks[s] += other.stacks[s];
  for (const auto& [chips, bytes] : other.flows) flows[chips] += bytes;
  awaited = awaited || other.awaited;
}

void RegionRecorder::Region::count_flow(std::uint64_t bytes, std::uint32_t from, std::uint32_t to) {
  if (from != to) flows[(std::uint64_t{from} << 32) | to] += bytes;
}

RegionRecorder::RegionRecorder(const model::MachineParams& machine)
    : machine_(machine),
      numbers_(machine.cores()),
      instructions_(numbers_, machine.cores()),
      transfers_(numbers_, machine.cores()),
      times_(machine.cores()) {}

void RegionRecorder::program(std::uint32_t core, std::shared_ptr<const isa::Program> program) {
  numbers_.program(core, std::move(program));
  while (regions_.size() < numbers_.names().size())
    regions_.emplace_back(numbers_.names()[regions_.size()], machine_);
}

void RegionRecorder::instruction(const base::InstructionActivity& a) {
  const isa::Instruction& i = numbers_.program_of(a.core).streams[a.queue][a.index];
  const RegionNumbers::Place& place = instructions_.at(a.core, a.queue, a.index);
  // The range ends with its last instruction or with a jump.
  if (a.index == place.stretch.last || isa::row_of(i.op).cost == isa::CostClass::kBranch)
    times_.book(a.core, a.queue, place.region, a.engine_time);
  if (a.released_by != 0) arrived(a);
  if (a.busy.fs == 0) return;  // waits and register instructions are waiting time, not work
  const bool tensor = a.queue == static_cast<std::uint8_t>(isa::Queue::kTensor);
  book(regions_[place.region], a, static_cast<double>(tensor ? a.hardware_flops : elements_of(i)));
}

void RegionRecorder::book(Region& region, const base::InstructionActivity& a, double operations) const {
  // With a slow clock, the issue may end after the result.
  region.touch(a.core, a.start, std::max(a.complete, a.start + a.busy));
  if (a.queue >= kEngines) return;
  region.cores[a.core].busy[a.queue] += a.busy;
  region.operations += operations;
}

void RegionRecorder::transfer(const base::TransferActivity& a) {
  const std::uint32_t region = transfers_.at(a.core, a.queue, a.index).region;
  book(regions_[region], a);
  if (numbers_.program_of(a.core).streams[a.queue][a.index].dge == isa::Dge::kHw) {
    regions_[region].touch(a.core, a.rung, a.end);
    regions_[region].cores[a.core].generating[a.queue] += machine_.chip.core.dma.hardware_dge;
  }
  if (a.write_bytes > 0 && isa::GlobalAddress::from(a.write_address).chip != a.core / machine_.chip.cores)
    senders_[a.cause] = region;
}

// A transfer to another chip is recorded when its data have been read; the record of what waits for them
// shows that they have arrived.
void RegionRecorder::arrived(const base::InstructionActivity& a) {
  const auto sender = senders_.find(a.released_by);
  if (sender == senders_.end()) return;
  Region& region = regions_[sender->second];
  region.end = std::max(region.end, a.start);
  region.awaited = true;
}

void RegionRecorder::book(Region& region, const base::TransferActivity& a) const {
  region.touch(a.core, a.rung, a.end);  // the first data have left HBM before they arrive
  region.cores[a.core].busy[index_of(RooflineResource::kDma)] += a.busy;
  const auto own = static_cast<std::uint32_t>(a.core / machine_.chip.cores);
  const auto stack_of = [&](const isa::GlobalAddress& at) {
    return at.chip * machine_.chip.hbm.stacks + at.stack;
  };
  a.for_each_read([&](std::uint64_t address, std::uint64_t bytes) {
    const isa::GlobalAddress from = isa::GlobalAddress::from(address);
    region.count_bytes(stack_of(from), bytes);
    region.count_flow(bytes, from.chip, own);
  });
  if (a.write_bytes > 0) {
    const isa::GlobalAddress to = isa::GlobalAddress::from(a.write_address);
    region.count_bytes(stack_of(to), a.write_bytes);
    region.count_flow(a.write_bytes, own, to.chip);
  }
}

Duration RegionRecorder::link_time(const Region& region) const {
  if (region.flows.empty()) return Duration{0};
  const model::FabricWays ways(machine_);
  std::vector<double> seconds(ways.links().size());
  for (const auto& flow : region.flows) {
    const auto bytes = static_cast<double>(flow.second);
    ways.certainly_along(static_cast<std::uint32_t>(flow.first >> 32), static_cast<std::uint32_t>(flow.first),
                         [&](std::uint32_t link) { seconds[link] += bytes / ways.links()[link].rate; });
  }
  return {static_cast<std::int64_t>(*std::max_element(seconds.begin(), seconds.end()) * 1e15)};
}

RegionSummary RegionRecorder::summary_of(const Region& region, const KindTimes& engines) const {
  RegionSummary s;
  s.name = region.name;
  s.engines = engines;
  if (region.start == base::kNever) return s;
  s.start = region.start;
  s.end = region.end;
  s.operations = region.operations;
  s.hbm_bytes = region.hbm_bytes;
  for (const auto& [chips, bytes] : region.flows) s.sent_bytes += bytes;
  for (const OnCore& core : region.cores) {
    s.cores += core.used ? 1 : 0;
    for (std::size_t r = 0; r < kEngines; ++r) s.needs[r] = std::max(s.needs[r], core.busy[r]);
    const Duration dma{core.busy[index_of(RooflineResource::kDma)].fs / isa::kDmaEngines};
    s.needs[index_of(RooflineResource::kDma)] = std::max(s.needs[index_of(RooflineResource::kDma)], dma);
    Duration& generator = s.needs[index_of(RooflineResource::kGenerator)];
    for (const Duration& queue : core.generating) generator = std::max(generator, queue);
  }
  const base::Bandwidth peak = machine_.chip.hbm.bandwidth;
  if (!peak.ideal)
    s.needs[index_of(RooflineResource::kHbm)] =
        time_of(*std::max_element(region.stacks.begin(), region.stacks.end()),
                static_cast<double>(peak.bytes_per_second));
  s.needs[index_of(RooflineResource::kLink)] = link_time(region);
  if (!region.awaited)
    s.needs[index_of(RooflineResource::kLink)] =
        std::min(s.needs[index_of(RooflineResource::kLink)], s.time());
  TAHOMA_INVARIANT(s.bound() <= s.time(), fmt::format("region {}: its {} needs {} fs of {} fs", s.name,
                                                      name_of(s.bound_by()), s.bound().fs, s.time().fs));
  return s;
}

RegionRecorder::Summaries RegionRecorder::summarise(const base::RunMeasurement& run) {
  times_.finish(run);
  Summaries all;
  Region whole("all", machine_);
  for (std::uint32_t n = 0; n < regions_.size(); ++n) {
    if (regions_[n].start == base::kNever) continue;
    whole.add(regions_[n]);
    all.regions.push_back(summary_of(regions_[n], times_.of(n)));
  }
  all.whole = summary_of(whole, times_.whole());
  std::sort(all.regions.begin(), all.regions.end(), [](const RegionSummary& a, const RegionSummary& b) {
    return a.start != b.start ? a.start < b.start : a.name < b.name;
  });
  return all;
}

}  // namespace tahoma::runtime
