// SPDX-License-Identifier: Apache-2.0
// The region that an instruction of a program belongs to. Instructions before a stream's first mark belong to
// the program as a whole, under its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "isa/core/program.h"

namespace tahoma::runtime {

// Instructions of a stream between two marks, including the first and the last.
struct RegionStretch {
  std::uint32_t first = 1, last = 0;
  std::optional<std::uint16_t> region;  // index into Program::regions; unset: the program as a whole
  bool contains(std::uint32_t index) const { return index >= first && index <= last; }
};
RegionStretch stretch_at(const isa::Program& program, std::uint8_t queue, std::uint32_t index);
const std::string& region_name_at(const isa::Program& program, std::uint8_t queue, std::uint32_t index);

}  // namespace tahoma::runtime
