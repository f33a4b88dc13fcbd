// SPDX-License-Identifier: Apache-2.0
// Counts the energy events of instructions and transfers. Counts are whole numbers, so their sums do not
// depend on the order in which a run reports its events.
//
// How events are counted:
//   multiply-accumulates   of matmuls, useful or not, by the wider of the two operand dtypes; weights count
//                          as those loaded last
//   cells                  a multiply-accumulate takes one cell for one cycle and pass; a double row shares a
//                          cell
//   elements               partitions x free elements of an instruction of the vector, scalar or GpSimd
//                          engine, whatever it does
//   SBUF, PSUM             bytes of every operand; of a transfer, bytes of its sides on chip
//   DMA                    bytes of the larger side, each of which crosses the on-chip network once
// Not counted: rows that an indirect transfer skips are counted as if moved, the array's work for a transpose
// is not counted.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/core/program.h"
#include "model/base/activity.h"
#include "report/energy/energy_terms.h"

namespace tahoma::runtime {

// Engines whose clock counts: tensor, vector, scalar, GpSimd.
inline constexpr std::size_t kClockedEngines = 4;

struct WorkCounts {
  std::array<std::uint64_t, kWorkEvents> events{};       // by EnergyEvent
  std::array<base::Uint128, kClockedEngines> busy_fs{};  // by engine
  std::uint64_t hbm_bytes = 0, sent_bytes = 0;           // of HBM; to and from other chips, without hops

  std::uint64_t& operator[](EnergyEvent event) { return events[static_cast<std::size_t>(event)]; }
  std::uint64_t operator[](EnergyEvent event) const { return events[static_cast<std::size_t>(event)]; }
  WorkCounts& operator+=(const WorkCounts& other);
};

// The part of an instruction's work that its program already decides.
struct InstructionWork {
  std::uint64_t elements = 0, sbuf_read = 0, sbuf_write = 0, psum_read = 0, psum_write = 0;
  auto operator<=>(const InstructionWork&) const = default;
};
InstructionWork work_of(const isa::Program& program, std::uint8_t queue, std::uint32_t index);

// Energy event of a multiply-accumulate with operands of these dtypes.
EnergyEvent mac_event(isa::DType weights, isa::DType moving);
// Cells and cycles of a matmul with that many multiply-accumulates.
std::uint64_t cell_cycles(const isa::Instruction& matmul, isa::DType weights, std::uint64_t macs);

}  // namespace tahoma::runtime
