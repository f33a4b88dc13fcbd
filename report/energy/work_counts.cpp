// SPDX-License-Identifier: Apache-2.0
#include "report/energy/work_counts.h"

#include <algorithm>

#include "isa/table/access.h"
#include "isa/table/table.h"

namespace tahoma::runtime {

namespace {

// The events follow the order of isa::DType. Integers are multiplied like fp8 or fp16 of their size.
constexpr std::array<EnergyEvent, isa::kDTypeCount> kMacs{
    EnergyEvent::kMacFp32,  // fp32
    EnergyEvent::kMacBf16,  // bf16
    EnergyEvent::kMacFp16,  // fp16
    EnergyEvent::kMacFp32,  // int32
    EnergyEvent::kMacFp32,  // uint32
    EnergyEvent::kMacFp8,   // uint8
    EnergyEvent::kMacFp16,  // tf32
    EnergyEvent::kMacFp8,   // fp8_e4m3
    EnergyEvent::kMacFp8,   // fp8_e5m2
    EnergyEvent::kMacFp8,   // fp8_e3m4
    EnergyEvent::kMacFp8,   // int8
    EnergyEvent::kMacFp16,  // int16
    EnergyEvent::kMacFp16,  // uint16
    EnergyEvent::kMacFp8,   // fp8_e4m3fn
};

std::uint64_t pattern_bytes(const isa::Pattern& pattern) {
  std::uint64_t bytes = std::uint64_t{pattern.partitions} * pattern.element;
  for (const std::uint32_t count : pattern.count) bytes *= count;
  return bytes;
}

void book(const isa::OperandAccess& access, InstructionWork& work) {
  if (access.pattern.space == isa::Space::kHbm) return;
  const bool sbuf = access.pattern.space == isa::Space::kSbuf;
  const std::uint64_t bytes = pattern_bytes(access.pattern);
  if (access.reads) (sbuf ? work.sbuf_read : work.psum_read) += bytes;
  if (access.writes) (sbuf ? work.sbuf_write : work.psum_write) += bytes;
}

bool rings_doorbell(const isa::Instruction& i) { return isa::row_of(i.op).cost == isa::CostClass::kDoorbell; }

}  // namespace

WorkCounts& WorkCounts::operator+=(const WorkCounts& other) {
  for (std::size_t n = 0; n < events.size(); ++n) events[n] += other.events[n];
  for (std::size_t n = 0; n < busy_fs.size(); ++n) busy_fs[n] += other.busy_fs[n];
  hbm_bytes += other.hbm_bytes;
  sent_bytes += other.sent_bytes;
  return *this;
}

InstructionWork work_of(const isa::Program& program, std::uint8_t queue, std::uint32_t index) {
  const isa::Instruction& i = program.streams[queue][index];
  InstructionWork work;
  if (rings_doorbell(i)) {
    for (std::uint32_t n = 0; n < i.sources; ++n)
      book(isa::source_access(program.descriptors.at(i.descriptor + n), 0), work);
    book(isa::destination_access(program.descriptors.at(i.descriptor), 0), work);
    return work;
  }
  const isa::AccessList accesses = isa::accesses_of(i);
  for (const isa::OperandAccess& access : accesses.all()) book(access, work);
  if (accesses.all().empty()) return work;
  std::uint64_t elements = i.shape.partitions;
  for (const std::uint16_t count : i.shape.count) elements *= count;
  work.elements = elements;
  return work;
}

EnergyEvent mac_event(isa::DType weights, isa::DType moving) {
  return std::max(kMacs[static_cast<std::size_t>(weights)], kMacs[static_cast<std::size_t>(moving)]);
}

std::uint64_t cell_cycles(const isa::Instruction& matmul, isa::DType weights, std::uint64_t macs) {
  const bool split_weights =
      weights == isa::DType::kFp32 && matmul.mode != isa::MatmulMode::kOneZeroStationary;
  const bool split_moving =
      matmul.src0.dtype == isa::DType::kFp32 && matmul.mode != isa::MatmulMode::kOneZeroMoving;
  const unsigned passes = (split_weights ? 2U : 1U) * (split_moving ? 2U : 1U);
  return macs * passes / isa::weights_per_cell(isa::mode_of(matmul));
}

}  // namespace tahoma::runtime
