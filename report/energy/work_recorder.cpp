// SPDX-License-Identifier: Apache-2.0
#include "report/energy/work_recorder.h"

#include <algorithm>
#include <utility>

#include "isa/table/table.h"

namespace tahoma::runtime {

namespace {

constexpr std::uint64_t kBitsOfByte = 8;

// The events are those of the queues after that of the tensor engine.
constexpr std::array<EnergyEvent, kClockedEngines - 1> kElements{
    EnergyEvent::kVectorElement, EnergyEvent::kScalarElement, EnergyEvent::kGpSimdElement};
constexpr auto kTensorQueue = static_cast<std::uint8_t>(isa::Queue::kTensor);
static_assert(kTensorQueue == 0 && static_cast<std::size_t>(isa::Queue::kGpSimd) == kClockedEngines - 1);

}  // namespace

WorkRecorder::WorkRecorder(std::uint64_t cores, std::uint64_t cores_per_chip)
    : cores_per_chip_(cores_per_chip),
      numbers_(cores),
      instructions_(numbers_, cores),
      transfers_(numbers_, cores),
      known_by_core_(cores, nullptr),
      weights_(cores, isa::DType::kBf16),
      cores_(cores) {}

void WorkRecorder::program(std::uint32_t core, std::shared_ptr<const isa::Program> program) {
  const auto [known, added] = known_.try_emplace(program.get());
  if (added)
    for (std::size_t queue = 0; queue < isa::kQueueCount; ++queue)
      known->second[queue].resize(program->streams[queue].size());
  known_by_core_.at(core) = &known->second;
  numbers_.program(core, std::move(program));
  regions_.resize(numbers_.names().size());
}

const InstructionWork& WorkRecorder::known_work(std::uint32_t core, std::uint8_t queue, std::uint32_t index) {
  const InstructionWork*& work = (*known_by_core_[core])[queue][index];
  if (work == nullptr) work = &*works_.insert(work_of(numbers_.program_of(core), queue, index)).first;
  return *work;
}

void WorkRecorder::book(std::uint32_t core, std::uint32_t region, const WorkCounts& work) {
  cores_[core] += work;
  regions_[region] += work;
}

void WorkRecorder::instruction(const base::InstructionActivity& a) {
  const InstructionWork& known = known_work(a.core, a.queue, a.index);
  WorkCounts work;
  work[EnergyEvent::kInstruction] = 1;
  work[EnergyEvent::kSbufRead] = known.sbuf_read;
  work[EnergyEvent::kSbufWrite] = known.sbuf_write;
  work[EnergyEvent::kPsumRead] = known.psum_read;
  work[EnergyEvent::kPsumWrite] = known.psum_write;
  if (a.queue < kClockedEngines) work.busy_fs[a.queue] = static_cast<base::Uint128>(a.busy.fs);
  if (a.queue == kTensorQueue) {
    const isa::Instruction& i = numbers_.program_of(a.core).streams[a.queue][a.index];
    if (isa::loads_weights(i)) weights_[a.core] = isa::array_dtype(i, i.src0.dtype);
    const std::uint64_t macs = a.hardware_flops / 2;
    work[mac_event(weights_[a.core], isa::array_dtype(i, i.src0.dtype))] = macs;
    work[EnergyEvent::kCellCycle] = cell_cycles(i, weights_[a.core], macs);
  } else if (a.queue < kClockedEngines) {
    work[kElements[a.queue - 1]] = known.elements;
  }
  book(a.core, instructions_.at(a.core, a.queue, a.index).region, work);
}

bool WorkRecorder::elsewhere(std::uint64_t address, std::uint32_t core) const {
  return isa::GlobalAddress::from(address).chip != core / cores_per_chip_;
}

void WorkRecorder::transfer(const base::TransferActivity& a) {
  WorkCounts work;
  work[EnergyEvent::kDmaByte] = a.bytes;
  work[EnergyEvent::kDmaPacket] = a.packets;
  work[EnergyEvent::kNetworkBit] = a.bytes * kBitsOfByte;
  work.hbm_bytes = a.read_bytes + a.write_bytes;
  a.for_each_read([&](std::uint64_t address, std::uint64_t bytes) {
    if (elsewhere(address, a.core)) work.sent_bytes += bytes;
  });
  if (a.write_bytes > 0 && elsewhere(a.write_address, a.core)) work.sent_bytes += a.write_bytes;
  book(a.core, transfers_.at(a.core, a.queue, a.index).region, work);
}

RecordedWork WorkRecorder::finish() const {
  RecordedWork recorded{cores_, {}};
  for (std::size_t n = 0; n < regions_.size(); ++n)
    if (regions_[n][EnergyEvent::kInstruction] > 0 || regions_[n][EnergyEvent::kDmaByte] > 0)
      recorded.regions.push_back({numbers_.names()[n], regions_[n]});
  std::sort(recorded.regions.begin(), recorded.regions.end(),
            [](const RegionWork& a, const RegionWork& b) { return a.name < b.name; });
  return recorded;
}

}  // namespace tahoma::runtime
