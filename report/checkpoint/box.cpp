// SPDX-License-Identifier: Apache-2.0
#include "report/checkpoint/box.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/table/table_names.h"

namespace tahoma::runtime {

namespace {

std::uint64_t outermost(const Box& box) { return box.scatters ? box.rows.size() : box.pattern.count[0]; }

std::int64_t step_to(const Box& box, std::uint64_t row) {
  const std::uint64_t at = box.scatters ? box.rows[row] : row;
  return static_cast<std::int64_t>(at) * box.pattern.stride[0];
}

// Copies along the innermost dimension, where elements are usually contiguous.
std::byte* copy_run(const std::byte* from, const isa::Pattern& p, std::byte* to) {
  const std::size_t size = p.element, count = p.count[3];
  if (p.stride[3] == static_cast<std::int64_t>(size)) {
    std::memcpy(to, from, count * size);
    return to + count * size;
  }
  for (std::size_t n = 0; n < count; ++n, from += p.stride[3], to += size) std::memcpy(to, from, size);
  return to;
}

}  // namespace

std::vector<std::uint64_t> shape_of(const Box& box) {
  const isa::Pattern& p = box.pattern;
  std::vector<std::uint64_t> all{outermost(box), p.count[1], p.count[2], p.count[3]};
  if (p.space != isa::Space::kHbm) all.insert(all.begin(), p.partitions);
  all.erase(std::remove(all.begin() + 1, all.end(), 1U), all.end());
  if (all.size() == 1) all.push_back(1);
  return all;
}

std::vector<std::byte> values_of(const Machine& machine, std::uint32_t core, const Box& box) {
  const isa::Pattern& p = box.pattern;
  const Machine::Values memory = machine.values(core, p.space, p.offset);
  const std::size_t partitions = p.space == isa::Space::kHbm ? 1 : p.partitions;
  std::vector<std::byte> values(partitions * outermost(box) * p.count[1] * p.count[2] * p.count[3] *
                                p.element);
  std::byte* to = values.data();
  for (std::size_t n = 0; n < partitions; ++n) {
    const std::byte* partition = memory.at + (p.partition + n) * memory.partition;
    for (std::uint64_t a = 0; a < outermost(box); ++a)
      for (std::uint32_t b = 0; b < p.count[1]; ++b)
        for (std::uint32_t c = 0; c < p.count[2]; ++c)
          to = copy_run(partition + step_to(box, a) + b * p.stride[1] + c * p.stride[2], p, to);
  }
  return values;
}

std::string text_of(const Box& box) {
  const isa::Pattern& p = box.pattern;
  const std::string_view space = isa::name_of(p.space), dtype = isa::name_of(box.dtype);
  if (p.space == isa::Space::kHbm) return fmt::format("{}[{:#x}]:{}", space, p.offset, dtype);
  return fmt::format("{}[{}, {:#x}]:{}", space, p.partition, p.offset, dtype);
}

}  // namespace tahoma::runtime
