// SPDX-License-Identifier: Apache-2.0
// Checks a program against the instruction table and the sizes of the target machine: what each
// instruction may access and what it refers to. It does not prove that races are absent or that every wait
// will be satisfied.
#pragma once

#include "isa/core/program.h"
#include "isa/table/table.h"

namespace tahoma::isa {

// The defaults are one NeuronCore of Trainium2 (AWS Trainium2 architecture guide).
struct Limits {
  CoreVersion core = CoreVersion::kV3;
  unsigned partitions = 128;  // of SBUF and PSUM
  unsigned array_rows = 128, array_columns = 128;
  std::uint32_t sbuf_bytes = 229376;  // per partition
  std::uint32_t sbuf_reserved = 8;    // of these, at the end, reserved for the runtime (device traces)
  std::uint32_t psum_bytes = 16384;   // per partition
  // A matmul's destination stays inside one bank of each partition, except on NeuronCore-v4.
  std::uint32_t psum_bank_bytes = 2048;
  unsigned moving_columns = 512;  // of an fp32 destination; twice as many of bf16
};

// Free elements of one instruction: at most 64 K (AWS NKI, tile size limits).
inline constexpr std::uint64_t kMostFreeElements = 65536;

// Throws ProgramError at the first violation and names the queue, index and mnemonic (or the descriptor) and
// what was expected. isa/README.md lists codes E-ISA-001..046.
void validate(const Program& program, const Limits& limits);

// The checks of validate() that need neither the weights that stand in the array nor the final addresses of
// the operands, which decide about their overlap. `program` has the arguments and descriptors that it refers
// to.
void validate_instruction(const Instruction& instruction, Queue queue, const Program& program,
                          const Limits& limits);

// Throws E-ISA-002 for an instruction that `core`, for which the program is, does not have; the assembler
// uses it to report this early.
void require_available(const OpRow& row, const std::string& place, CoreVersion core);

// Returns "" if the operands' overlap is legal. It is not (E-ISA-044) if destinations and other operands
// overlap so that the result depends on the element order (an in-place destination uses the same tile as its
// source, dtype included), or if a destination overlaps itself.
std::string overlap_of(const Instruction& instruction);

// The part of validate() that depends on the row alone: E-ISA-003 for a queue that cannot run the
// instruction.
void require_runs_on(const OpRow& row, Queue queue, const std::string& place);

}  // namespace tahoma::isa
