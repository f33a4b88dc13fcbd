// SPDX-License-Identifier: Apache-2.0
// Checks a program against the table and the sizes of the machine that will run it: what each instruction may
// touch, and what it refers to. It proves neither the absence of races nor that every wait will be satisfied.
#pragma once

#include "isa/core/program.h"
#include "isa/table/table.h"

namespace tahoma::isa {

// Defaults: one NeuronCore of Trainium2 (AWS Trainium2 architecture guide).
struct Limits {
  unsigned partitions = 128;  // of SBUF and PSUM
  unsigned array_rows = 128, array_columns = 128;
  std::uint32_t sbuf_bytes = 229376;     // per partition
  std::uint32_t sbuf_reserved = 8;       // of these at the end, the runtime's own (device traces)
  std::uint32_t psum_bytes = 16384;      // per partition
  std::uint32_t psum_bank_bytes = 2048;  // per partition: a matmul's destination stays inside one bank
  unsigned moving_columns = 512;
};

// Free elements of one instruction: at most 64 K (AWS NKI, tile size limits).
inline constexpr std::uint64_t kMostFreeElements = 65536;

// Throws ProgramError at the first thing that breaks a limit, naming queue, index and mnemonic (or the
// descriptor) and what was expected. Codes E-ISA-001..045 are listed in isa/README.md.
void validate(const Program& program, const Limits& limits);

// E-ISA-002 for an instruction that NeuronCore-v3 does not have; the assembler says so already.
void require_available(const OpRow& row, const std::string& place);

// "" unless destinations and other operands lie on one another in a way that no order of elements gives a
// meaning to (in place is one tile for both, dtype included), or a destination on itself: E-ISA-044.
std::string overlap_of(const Instruction& instruction);

// The part of validate() that a row alone decides: E-ISA-002 unavailable, E-ISA-003 a queue that cannot run
// it.
void require_runs_on(const OpRow& row, Queue queue, const std::string& place);

}  // namespace tahoma::isa
