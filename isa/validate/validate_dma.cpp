// SPDX-License-Identifier: Apache-2.0
// Checks the descriptors of transfers.
#include <algorithm>

#include "isa/validate/validate_rules.h"

namespace tahoma::isa {
namespace {

struct Transfer {
  const Descriptor& descriptor;
  std::size_t index;
  const Program& program;
  const Limits& limits;

  [[noreturn]] void fail(const char* code, const std::string& text) const {
    throw ProgramError(code, "descriptor " + std::to_string(index), text);
  }
};

void check_kinds(const Transfer& t, const char* name, const DmaSide& side) {
  if (!is_enumerator(side.space))
    t.fail("E-ISA-012", std::string(name) + " names no memory; expected sbuf, psum or an argument");
  if (!is_enumerator(side.dtype)) t.fail("E-ISA-014", std::string(name) + " has no dtype");
  if (t.descriptor.accumulate && !is_float(side.dtype))
    t.fail("E-ISA-032", std::string(name) + " of an accumulating transfer is " +
                            std::string(name_of(side.dtype)) + "; expected a float dtype");
}

void check_hbm_side(const Transfer& t, const char* name, const DmaSide& side) {
  if (side.arg >= t.program.args.size())
    t.fail("E-ISA-024", std::string(name) + " is argument " + std::to_string(side.arg) +
                            "; the program has " + std::to_string(t.program.args.size()));
  if (side.partition != 0 || side.across != 0)
    t.fail("E-ISA-031", std::string(name) + " in HBM has a partition; expected 0");
  if (!reaches(side.offset))
    t.fail("E-ISA-031", std::string(name) + " starts " +
                            std::to_string(static_cast<std::int64_t>(side.offset)) +
                            " bytes from its argument; expected -2^48..2^48-1");
}

void check_chip_side(const Transfer& t, const char* name, const DmaSide& side) {
  const auto& counts = t.descriptor.count;
  if (side.arg != kNone) t.fail("E-ISA-031", std::string(name) + " on chip names an argument; expected none");
  if (side.across >= kFreeDims)
    t.fail("E-ISA-031", std::string(name) + " walks partitions along dimension " +
                            std::to_string(side.across) + "; expected 0..3");
  const std::uint64_t last_partition = side.partition + std::uint64_t{counts[side.across]} - 1;
  if (last_partition >= t.limits.partitions)
    t.fail("E-ISA-030", std::string(name) + " reaches partition " + std::to_string(last_partition) +
                            "; expected below " + std::to_string(t.limits.partitions));
  const std::int64_t bytes =
      side.space == Space::kPsum ? t.limits.psum_bytes : t.limits.sbuf_bytes - t.limits.sbuf_reserved;
  const auto size = static_cast<std::int64_t>(size_of(side.dtype));
  if (side.offset >= static_cast<std::uint64_t>(bytes))
    t.fail("E-ISA-030", std::string(name) + " starts at byte " + std::to_string(side.offset) +
                            "; expected below " + std::to_string(bytes));
  std::array<std::uint64_t, kFreeDims - 1> count{};
  std::array<std::int64_t, kFreeDims - 1> stride{};
  for (std::size_t d = 0, free = 0; d < kFreeDims; ++d) {
    if (d == side.across) continue;
    count[free] = counts[d];
    stride[free++] = side.stride[d];
  }
  // Products of counts and strides stay below 2^63 only if the counts are small, so each is checked first.
  for (std::size_t d = 0; d < count.size(); ++d)
    if (stride[d] != 0 && count[d] > static_cast<std::uint64_t>(bytes))
      t.fail("E-ISA-030", std::string(name) + " walks " + std::to_string(count[d]) + " elements; " +
                              std::string(name_of(side.space)) + " has " + std::to_string(bytes) +
                              " bytes a partition");
  const Extent extent = extent_of({count, stride});
  const auto offset = static_cast<std::int64_t>(side.offset);
  const std::int64_t first = offset + extent.first * size, last = offset + extent.last * size + size - 1;
  if (first < 0 || last >= bytes)
    t.fail("E-ISA-030", std::string(name) + " covers bytes " + std::to_string(first) + ".." +
                            std::to_string(last) + " of a partition; " + std::string(name_of(side.space)) +
                            " has 0.." + std::to_string(bytes - 1) + " for programs");
  if (offset % size != 0)
    t.fail("E-ISA-011", std::string(name) + " starts at byte " + std::to_string(offset) +
                            "; expected a multiple of " + std::to_string(size) + " for " +
                            std::string(name_of(side.dtype)));
}

void check_side(const Transfer& t, const char* name, const DmaSide& side) {
  check_kinds(t, name, side);
  if (side.space == Space::kHbm)
    check_hbm_side(t, name, side);
  else
    check_chip_side(t, name, side);
}

}  // namespace

void check_descriptor(const Descriptor& descriptor, std::size_t index, const Program& program,
                      const Limits& limits) {
  const Transfer t{descriptor, index, program, limits};
  if (std::any_of(descriptor.count.begin(), descriptor.count.end(), [](std::uint32_t c) { return c == 0; }))
    t.fail("E-ISA-029", "has a count of 0; expected at least 1");
  check_side(t, "dst", descriptor.dst);
  check_side(t, "src", descriptor.src);
}

}  // namespace tahoma::isa
