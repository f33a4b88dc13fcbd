// SPDX-License-Identifier: Apache-2.0
// Checks a program against the table and the sizes of the machine that will run it.
#pragma once

#include "isa/program.h"

namespace tahoma::isa {

struct Limits {
  unsigned partitions = 128;            // of SBUF and PSUM
  unsigned array_rows = 128, array_columns = 128;
  std::uint32_t sbuf_bytes = 229376;    // per partition
  std::uint32_t psum_bytes = 16384;     // per partition
  std::uint32_t psum_bank_bytes = 2048; // per partition: a matmul's destination stays inside one bank
  unsigned moving_columns = 512;
};

// Throws ProgramError at the first instruction that breaks a limit, naming queue, index, mnemonic and the limit.
void validate(const Program& program, const Limits& limits);

}  // namespace tahoma::isa
