// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/region_names.h"

#include <algorithm>

namespace tahoma::runtime {

std::optional<std::uint16_t> region_at(const isa::Program& program, std::uint8_t queue, std::uint32_t index) {
  const std::vector<isa::RegionMark>& marks = program.marks[queue];
  const auto behind =
      std::upper_bound(marks.begin(), marks.end(), index,
                       [](std::uint32_t at, const isa::RegionMark& mark) { return at < mark.first; });
  if (behind == marks.begin()) return std::nullopt;
  return std::prev(behind)->region;
}

const std::string& region_name_at(const isa::Program& program, std::uint8_t queue, std::uint32_t index) {
  const std::optional<std::uint16_t> region = region_at(program, queue, index);
  return region ? program.regions[*region] : program.name;
}

}  // namespace tahoma::runtime
