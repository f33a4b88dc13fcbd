// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "isa/table/table_rows.h"
#include "tests/support/random/random_program.h"

namespace tahoma::tests {

using namespace isa;  // nearly every name of this generator is from isa

namespace {

std::uint64_t elements_but(const Descriptor& d, std::size_t across) {
  std::uint64_t n = 1;
  for (std::size_t k = 0; k < kFreeDims; ++k) n *= k == across ? 1 : d.count[k];
  return n;
}

}  // namespace

DmaSide ProgramGenerator::hbm_side(const Program& program, DType dtype) {
  DmaSide s;
  s.dtype = dtype;
  s.arg = byte(program.args.size());
  s.offset = chance(30) ? 0 : below(2 * kReach) - kReach;
  for (auto& stride : s.stride) stride = static_cast<std::int32_t>(random_());
  return s;
}

DmaSide ProgramGenerator::chip_side(const Descriptor& d, DType dtype, unsigned across) {
  DmaSide s;
  s.dtype = dtype;
  s.across = static_cast<std::uint8_t>(across);
  const std::uint64_t size = size_of(dtype), reach = elements_but(d, across);
  s.space = chance(30) && reach * size <= limits_.psum_bytes ? Space::kPsum : Space::kSbuf;
  s.partition = byte(limits_.partitions - d.count[across] + 1);
  const std::uint64_t bytes =
      s.space == Space::kPsum ? limits_.psum_bytes : limits_.sbuf_bytes - limits_.sbuf_reserved;
  const std::uint64_t first = below(bytes / size - reach + 1);
  if (chance(60)) {
    s.stride = default_strides(s, d).stride;
    s.offset = size * first;
    return s;
  }
  // Backwards along the innermost dimension; also a stride that has no effect.
  s.stride[3] = -1;
  s.stride[across] = static_cast<std::int32_t>(chance(50) ? 0 : random_());
  s.offset = size * (first + (across == 3 ? 0 : d.count[3] - 1));
  return s;
}

DmaSide ProgramGenerator::side(const Program& program, const Descriptor& d) {
  const auto dtype =
      static_cast<DType>(pick_bit((d.accumulate ? kFloats : kAnyDType) & ~bits<DTypes>(DType::kFp8E4M3Fn)));
  if (program.args.empty() || chance(50)) return chip_side(d, dtype, chance(70) ? 0 : byte(kFreeDims));
  DmaSide s = hbm_side(program, dtype);
  if (chance(60)) s.stride = default_strides(s, d).stride;
  return s;
}

Descriptor ProgramGenerator::descriptor(const Program& program) {
  Descriptor d;
  d.count[0] = static_cast<std::uint32_t>(between(1, 128));
  for (std::size_t k = 1; k < kFreeDims; ++k) d.count[k] = static_cast<std::uint32_t>(between(1, 12));
  d.accumulate = chance(30);
  d.dst = side(program, d);
  d.src = side(program, d);
  return d;
}

// Row numbers for rows of HBM; false if no argument is an HBM tensor.
bool ProgramGenerator::indirect(Context& c) {
  if (c.program.args.empty()) return false;
  Instruction& i = c.i;
  Descriptor d;
  d.count = {static_cast<std::uint32_t>(between(1, 128)), 1, 1, static_cast<std::uint32_t>(between(1, 500))};
  const bool gather = chance(50);
  DmaSide tile = chip_side(d, DType::kBf16, 0);
  tile.space = Space::kSbuf;
  (gather ? d.dst : d.src) = tile;
  (gather ? d.src : d.dst) = hbm_side(c.program, DType::kBf16);
  i.indirect = gather ? Indirection::kGather : Indirection::kScatter;
  i.result = {true, Space::kSbuf, chance(50) ? DType::kInt32 : DType::kUint32, 0, 0};
  i.result.partition = byte(128 - d.count[0] + 1);
  i.result.offset = static_cast<std::uint32_t>(4 * below(1000));
  i.extent = static_cast<std::uint32_t>(between(1, 0xffffffff));
  i.skip = chance(50);
  i.descriptor = static_cast<std::uint32_t>(c.program.descriptors.size());
  c.program.descriptors.push_back(d);
  return true;
}

void ProgramGenerator::several_sources(Context& c) {
  std::vector<Descriptor>& all = c.program.descriptors;
  c.i.descriptor = static_cast<std::uint32_t>(all.size());
  c.i.sources = static_cast<std::uint8_t>(between(1, chance(80) ? 3 : kMostSources));
  Descriptor d = descriptor(c.program);
  d.accumulate = false;
  for (unsigned s = 0; s < c.i.sources; ++s) {
    d.src = side(c.program, d);
    all.push_back(d);
  }
}

void ProgramGenerator::transposing(Context& c) {
  static constexpr DType kTypes[] = {DType::kBf16, DType::kFp32, DType::kInt16, DType::kUint32};
  const DType dtype = kTypes[below(std::size(kTypes))];
  Descriptor d;
  d.count = {16 * static_cast<std::uint32_t>(between(1, 8)), 1, static_cast<std::uint32_t>(between(1, 4)),
             static_cast<std::uint32_t>(between(1, 128))};
  d.src = c.program.args.empty() ? chip_side(d, dtype, 0) : hbm_side(c.program, dtype);
  d.src.stride[3] = 1;
  if (d.src.space != Space::kHbm) d.src.stride = default_strides(d.src, d).stride, d.src.offset = 0;
  d.dst = chip_side(d, dtype, chance(50) ? 0 : 3);
  d.dst.space = Space::kSbuf;
  c.i.descriptor = static_cast<std::uint32_t>(c.program.descriptors.size());
  c.program.descriptors.push_back(d);
}

void ProgramGenerator::transfer(Context& c) {
  Instruction& i = c.i;
  std::vector<Descriptor>& all = c.program.descriptors;
  if (i.op == Opcode::kDmaCompute) {
    several_sources(c);
  } else if (i.op == Opcode::kDmaTranspose) {
    transposing(c);
  } else if (!chance(30) || !indirect(c)) {
    // Some are unused, and some are used out of order.
    if (all.empty() || chance(70))
      for (std::uint64_t n = between(1, 2); n > 0; --n) all.push_back(descriptor(c.program));
    i.descriptor = static_cast<std::uint32_t>(below(all.size()));
  }
  if (c.queue == isa::Queue::kGpSimd && chance(20)) i.dge = isa::Dge::kSw;
  const bool hardware = c.queue == isa::Queue::kSync || c.queue == isa::Queue::kScalar;
  if (hardware && i.indirect == Indirection::kNone && chance(20)) i.dge = isa::Dge::kHw;
  const auto in_hbm = [](const Descriptor& d) { return d.src.space == Space::kHbm; };
  if (all[i.descriptor].dst.space == Space::kHbm && chance(30)) i.dst_reg = byte(kRegisters);
  const auto first = all.begin() + i.descriptor;
  if (std::all_of(first, first + i.sources, in_hbm) && chance(30)) i.src_reg = byte(kRegisters);
}

}  // namespace tahoma::tests
