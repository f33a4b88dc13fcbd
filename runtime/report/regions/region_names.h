// SPDX-License-Identifier: Apache-2.0
// The region that an instruction of a program belongs to; what stands before a stream's first mark belongs to
// the program as a whole, and bears its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "isa/core/program.h"

namespace tahoma::runtime {

// Instructions of a stream between two marks, the first and the last included.
struct RegionStretch {
  std::uint32_t first = 1, last = 0;
  std::optional<std::uint16_t> region;  // index into Program::regions; none: the program as a whole
  bool contains(std::uint32_t index) const { return index >= first && index <= last; }
};
RegionStretch stretch_at(const isa::Program& program, std::uint8_t queue, std::uint32_t index);
const std::string& region_name_at(const isa::Program& program, std::uint8_t queue, std::uint32_t index);

}  // namespace tahoma::runtime
