// SPDX-License-Identifier: Apache-2.0
#include "model/system/folding/member_places.h"

#include <limits>

namespace tahoma::model {
namespace {

std::int64_t offset(const LoadedProgram& loaded, const isa::DmaSide& side) {
  if (side.space != isa::Space::kHbm) return 0;
  const std::uint64_t argument = side.arg == isa::kNone ? 0 : loaded.arguments[side.arg];
  return static_cast<std::int64_t>(isa::GlobalAddress::from(argument + side.offset).offset);
}

// Returns the side of an operand.
const isa::DmaSide& side(const LoadedProgram& loaded, std::uint8_t queue, std::uint32_t index,
                         std::uint32_t operand) {
  const isa::Program& program = *loaded.program;
  const isa::Instruction& i = program.streams[queue][index];
  if (operand < i.sources) return program.descriptors[i.descriptor + operand].src;
  return program.descriptors[i.descriptor].dst;
}

}  // namespace

MemberPlaces::MemberPlaces(const LoadedPrograms& programs, std::uint32_t cores_per_chip)
    : cores_(cores_per_chip) {
  if (!programs.empty()) programs_.resize(programs.rbegin()->first + std::size_t{1});
  for (const auto& [core, loaded] : programs) programs_[core] = &loaded;
}

std::int64_t MemberPlaces::between(const Pair& pair, std::uint32_t operand) const {
  const LoadedProgram &from = *programs_[pair.core],
                      &to = *programs_[pair.member * cores_ + pair.core % cores_];
  return offset(to, side(to, pair.queue, pair.index, operand)) -
         offset(from, side(from, pair.queue, pair.index, operand));
}

std::int64_t MemberPlaces::between_first_reads(const Pair& pair) const {
  const LoadedProgram& loaded = *programs_[pair.core];
  const std::uint32_t sources = loaded.program->streams[pair.queue][pair.index].sources;
  std::uint32_t first = 0;
  while (first < sources && side(loaded, pair.queue, pair.index, first).space != isa::Space::kHbm) ++first;
  return between(pair, first);
}

std::int64_t MemberPlaces::between_destinations(const Pair& pair) const {
  return between(pair, std::numeric_limits<std::uint32_t>::max());
}

}  // namespace tahoma::model
