// SPDX-License-Identifier: Apache-2.0
#include "report/memory/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/text/saturation.h"

namespace tahoma::runtime {

using base::Duration, base::Time;
using isa::Space;

namespace {

// Returns `bytes` of `capacity` for `time`, as busy time of a series.
Duration share_of(Duration time, std::uint64_t bytes, std::uint64_t capacity) {
  return {static_cast<std::int64_t>(static_cast<base::Int128>(time.fs) * bytes / capacity)};
}

// Shares may overlap: each is spread over its own time.
void add_live(base::BusySeries& series, Time start, Time end, std::uint64_t bytes, std::uint64_t capacity) {
  series.add_share(start, end, share_of(end - start, bytes, capacity));
}

std::vector<double> live_bytes(const base::BusySeries& series, Duration elapsed, double capacity) {
  std::vector<double> bytes;
  for (const WindowShare& window : windows_of(series.series(), elapsed, {0}))
    bytes.push_back(window.busy_percent / 100 * capacity);
  return bytes;
}

// Keeps the fullest of several instances: footprint and the largest window.
void take_instance(SpaceOccupancy& o, const std::string& name, std::uint64_t footprint,
                   const base::BusySeries& series, Duration elapsed) {
  ++o.instances;
  if (footprint > o.footprint) {
    o.footprint = footprint;
    o.fullest = name;
  }
  for (const WindowShare& window : windows_of(series.series(), elapsed, {0})) {
    const double bytes = window.busy_percent / 100 * static_cast<double>(o.capacity);
    if (bytes <= o.most_live) continue;
    o.most_live = bytes;
    o.most_live_in = name;
    o.most_live_at = window.start;
  }
}

}  // namespace

OccupancyRecorder::OccupancyRecorder(const model::MachineParams& machine, const std::vector<Tensor>& tensors)
    : machine_(machine),
      tensors_(tensors),
      cores_(machine.cores()),
      stacks_(machine.chips() * machine.chip.hbm.stacks) {
  for (std::uint32_t n = 0; n < tensors.size(); ++n) {
    const isa::GlobalAddress at = isa::GlobalAddress::from(tensors[n].address);
    stacks_.at(at.chip * machine.chip.hbm.stacks + at.stack)
        .push_back({at.offset, at.offset + tensors[n].bytes(), n, base::kNever, {0}, false, false});
  }
  for (auto& stack : stacks_)
    std::sort(stack.begin(), stack.end(), [](const Kept& a, const Kept& b) { return a.offset < b.offset; });
}

std::uint32_t OccupancyRecorder::number_of(Space space, const std::string& what) {
  const auto [known, added] =
      numbers_.try_emplace({space, what}, static_cast<std::uint32_t>(fillings_.size()));
  if (added) {
    fillings_.push_back(known->first);
    by_filling_.emplace_back();
  }
  return known->second;
}

// A filler of both spaces has a number for each: 2 n for SBUF, 2 n + 1 for PSUM.
void OccupancyRecorder::program(std::uint32_t core, const std::shared_ptr<const isa::Program>& program) {
  Known& known = known_[program.get()];
  if (!known.buffers) {
    known.buffers = std::make_unique<ProgramBuffers>(*program);
    for (const std::string& filler : known.buffers->fillers())
      for (const Space space : {Space::kSbuf, Space::kPsum})
        known.fillers.push_back(number_of(space, filler));
  }
  Core& c = cores_.at(core);
  c.program = known.buffers.get();
  c.fillers = &known.fillers;
  c.live.resize(c.program->buffers().size());
}

void OccupancyRecorder::close(Core& core, std::uint32_t buffer) {
  Live& live = core.live[buffer];
  if (live.start == base::kNever) return;
  const OnChipBuffer& b = core.program->buffers()[buffer];
  const auto space = static_cast<std::size_t>(b.space);
  const std::uint64_t capacity = capacity_of(b.space);
  add_live(core.series[space], live.start, live.last, b.bytes(), capacity);
  add_live(by_filling_[(*core.fillers)[kOnChip * live.filler + space]], live.start, live.last, b.bytes(),
           capacity);
}

void OccupancyRecorder::touch(Core& core, const ProgramBuffers::Access& access, Time start, Time end) {
  Live& live = core.live[access.buffer];
  if (access.ends) {
    close(core, access.buffer);
    live = {};
    return;
  }
  // Bytes that several variables share belong to the one that was written last.
  if (!access.writes && live.start == base::kNever && core.program->knows_variables()) return;
  if (access.writes && !access.reads && (live.read || live.start == base::kNever)) {
    close(core, access.buffer);
    // Written in place: the old values stay live until the new ones are complete.
    const Time from = live.start == base::kNever ? start : std::max(start, live.last);
    live = {from, std::max(from, end), access.filler, false};
    return;
  }
  if (access.writes && core.program->says_more(access.filler, live.filler)) live.filler = access.filler;
  live.start = std::min(live.start, start);
  live.last = std::max(live.last, end);
  live.read = live.read || !access.writes;
}

void OccupancyRecorder::instruction(const base::InstructionActivity& a) {
  if (a.busy.fs == 0) return;  // waits access nothing
  Core& core = cores_[a.core];
  for (const ProgramBuffers::Access& access : core.program->of(a.queue, a.index))
    if (!access.by_transfer) touch(core, access, a.start, a.complete);
}

void OccupancyRecorder::transfer(const base::TransferActivity& a) {
  Core& core = cores_[a.core];
  for (const ProgramBuffers::Access& access : core.program->of(a.queue, a.index))
    if (access.by_transfer) touch(core, access, a.start, access.writes ? a.end : a.read_done);
  a.for_each_read(
      [&](std::uint64_t address, std::uint64_t) { touch_hbm(address, a.start, a.read_done, false); });
  if (a.write_bytes > 0) touch_hbm(a.write_address, a.start, a.end, true);
}

void OccupancyRecorder::touch_hbm(std::uint64_t address, Time start, Time end, bool writes) {
  const isa::GlobalAddress at = isa::GlobalAddress::from(address);
  std::vector<Kept>& stack = stacks_[at.chip * machine_.chip.hbm.stacks + at.stack];
  auto kept = std::upper_bound(stack.begin(), stack.end(), at.offset,
                               [](std::uint64_t offset, const Kept& k) { return offset < k.offset; });
  if (kept == stack.begin() || (--kept)->end <= at.offset) return;  // outside every tensor
  // Several chips may report accesses at the same instant in any order: a read then counts as first and a
  // write as last.
  if (start <= kept->first) kept->read_first = !writes || (start == kept->first && kept->read_first);
  if (end >= kept->last) kept->written_last = writes || (end == kept->last && kept->written_last);
  kept->first = std::min(kept->first, start);
  kept->last = std::max(kept->last, end);
}

std::uint64_t OccupancyRecorder::capacity_of(Space space) const {
  const model::CoreParams& core = machine_.chip.core;
  return space == Space::kSbuf   ? core.sbuf.partitions * core.sbuf.per_partition.count
         : space == Space::kPsum ? core.sbuf.partitions * core.psum.per_partition.count
                                 : machine_.chip.hbm.capacity.count;
}

// Names, sizes and series of everything in `footprint`, by the number of its filling.
void OccupancyRecorder::fill(SpaceOccupancy& o, const std::map<std::uint32_t, std::uint64_t>& footprint,
                             Duration elapsed) const {
  for (std::uint32_t n = 0; n < fillings_.size(); ++n) {
    if (fillings_[n].first != o.space) continue;
    const auto bytes = footprint.find(n);
    Filling filling{fillings_[n].second, bytes == footprint.end() ? 0 : bytes->second,
                    live_bytes(by_filling_[n], elapsed,
                               static_cast<double>(o.capacity) / static_cast<double>(o.instances))};
    const bool empty = std::all_of(filling.mean_bytes.begin(), filling.mean_bytes.end(),
                                   [](double mean) { return mean == 0; });
    if (filling.bytes > 0 || !empty) o.fillings.push_back(std::move(filling));
  }
  std::stable_sort(o.fillings.begin(), o.fillings.end(),
                   [](const Filling& a, const Filling& b) { return a.bytes > b.bytes; });
}

SpaceOccupancy OccupancyRecorder::of_cores(Space space, Duration elapsed, const Each& each) const {
  SpaceOccupancy o;
  o.space = space;
  o.capacity = capacity_of(space);
  const Core* fullest = nullptr;
  for (std::uint32_t n = 0; n < cores_.size(); ++n) {
    if (cores_[n].program == nullptr) continue;
    const std::uint64_t bytes = cores_[n].program->footprint(space);
    if (bytes == 0) continue;
    if (bytes > o.footprint) fullest = &cores_[n];
    const std::string name = fmt::format("{}.core{}", model::chip_name(machine_, n / machine_.chip.cores),
                                         n % machine_.chip.cores);
    const base::BusySeries& series = cores_[n].series[static_cast<std::size_t>(space)];
    take_instance(o, name, bytes, series, elapsed);
    if (each) each({name, n, space, o.capacity, series.series()});
  }
  if (fullest == nullptr) return o;
  std::map<std::uint32_t, std::uint64_t> footprint;
  for (const OnChipBuffer& b : fullest->program->buffers())
    if (b.space == space)
      footprint[(*fullest->fillers)[kOnChip * b.filler + static_cast<std::size_t>(space)]] += b.bytes();
  fill(o, footprint, elapsed);
  return o;
}

// A tensor is live from its first access to its last, an input from the beginning, a result to the end.
void OccupancyRecorder::close(const Kept& kept, base::BusySeries& stack, Duration elapsed) {
  if (kept.first == base::kNever) return;
  const Time start = kept.read_first ? Time{0} : kept.first, end = kept.written_last ? elapsed : kept.last;
  const std::uint64_t bytes = kept.end - kept.offset, capacity = capacity_of(Space::kHbm);
  add_live(stack, start, end, bytes, capacity);
  add_live(by_filling_[number_of(Space::kHbm, tensors_[kept.tensor].name)], start, end, bytes, capacity);
}

SpaceOccupancy OccupancyRecorder::of_stacks(Duration elapsed, const Each& each) {
  SpaceOccupancy o;
  o.space = Space::kHbm;
  o.capacity = capacity_of(Space::kHbm);
  const std::vector<Kept>* fullest = nullptr;
  for (std::size_t n = 0; n < stacks_.size(); ++n) {
    if (stacks_[n].empty()) continue;
    base::BusySeries series;
    std::uint64_t bytes = 0;
    for (const Kept& kept : stacks_[n]) {
      close(kept, series, elapsed);
      bytes += kept.end - kept.offset;
    }
    if (bytes > o.footprint) fullest = &stacks_[n];
    const std::uint64_t stacks = machine_.chip.hbm.stacks;
    const std::string name = model::stack_name(machine_, n / stacks, n % stacks);
    take_instance(o, name, bytes, series, elapsed);
    if (each) each({name, static_cast<std::uint32_t>(n / stacks), o.space, o.capacity, series.series()});
  }
  if (fullest == nullptr) return o;
  std::map<std::uint32_t, std::uint64_t> footprint;
  for (const Kept& kept : *fullest)
    footprint[number_of(Space::kHbm, tensors_[kept.tensor].name)] += kept.end - kept.offset;
  fill(o, footprint, elapsed);
  return o;
}

std::vector<SpaceOccupancy> OccupancyRecorder::summarise(Duration elapsed, const Each& each) {
  for (Core& core : cores_)
    for (std::uint32_t buffer = 0; buffer < core.live.size(); ++buffer) close(core, buffer);
  std::vector<SpaceOccupancy> spaces;
  spaces.push_back(of_cores(Space::kSbuf, elapsed, each));
  spaces.push_back(of_cores(Space::kPsum, elapsed, each));
  spaces.push_back(of_stacks(elapsed, each));
  std::erase_if(spaces, [](const SpaceOccupancy& o) { return o.instances == 0; });
  return spaces;
}

}  // namespace tahoma::runtime
