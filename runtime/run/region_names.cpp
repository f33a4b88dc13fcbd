// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/region_names.h"

#include <algorithm>

namespace tahoma::runtime {

RegionStretch stretch_at(const isa::Program& program, std::uint8_t queue, std::uint32_t index) {
  const std::vector<isa::RegionMark>& marks = program.marks[queue];
  const auto behind =
      std::upper_bound(marks.begin(), marks.end(), index,
                       [](std::uint32_t at, const isa::RegionMark& mark) { return at < mark.first; });
  RegionStretch stretch;
  stretch.first = behind == marks.begin() ? 0 : std::prev(behind)->first;
  stretch.last =
      (behind == marks.end() ? static_cast<std::uint32_t>(program.streams[queue].size()) : behind->first) - 1;
  if (behind != marks.begin()) stretch.region = std::prev(behind)->region;
  return stretch;
}

const std::string& region_name_at(const isa::Program& program, std::uint8_t queue, std::uint32_t index) {
  const std::optional<std::uint16_t> region = stretch_at(program, queue, index).region;
  return region ? program.regions[*region] : program.name;
}

}  // namespace tahoma::runtime
