// SPDX-License-Identifier: Apache-2.0
// A set of elements of one dtype in a core's memories or in HBM, and their values as a dense array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/table/access.h"
#include "runtime/run/machine.h"

namespace tahoma::runtime {

struct Box {
  isa::Pattern pattern;
  isa::DType dtype = isa::DType::kFp32;
  // In a scatter, the first dimension is mapped to these rows instead of 0, 1, ...
  bool scatters = false;
  std::vector<std::uint32_t> rows;
};

// Returns the partitions (in HBM the outermost dimension), then the other dimensions of more than 1; at least
// two.
std::vector<std::uint64_t> shape_of(const Box& box);
// The values in the order of that shape.
std::vector<std::byte> values_of(const Machine& machine, std::uint32_t core, const Box& box);
// "sbuf[0, 0x400]:fp32", "hbm[0x100]:bf16"
std::string text_of(const Box& box);

}  // namespace tahoma::runtime
