// SPDX-License-Identifier: Apache-2.0
#include "model/system/folding/member_places.h"

namespace tahoma::model {
namespace {

std::int64_t offset(const LoadedProgram& loaded, const isa::DmaSide& side) {
  if (side.space != isa::Space::kHbm) return 0;
  const std::uint64_t argument = side.arg == isa::kNone ? 0 : loaded.arguments[side.arg];
  return static_cast<std::int64_t>(isa::GlobalAddress::from(argument + side.offset).offset);
}

const isa::Descriptor& descriptor(const LoadedProgram& loaded, std::uint8_t queue, std::uint32_t index) {
  const isa::Program& program = *loaded.program;
  return program.descriptors[program.streams[queue][index].descriptor];
}

}  // namespace

MemberPlaces::MemberPlaces(const LoadedPrograms& programs, std::uint32_t cores_per_chip)
    : cores_(cores_per_chip) {
  if (!programs.empty()) programs_.resize(programs.rbegin()->first + std::size_t{1});
  for (const auto& [core, loaded] : programs) programs_[core] = &loaded;
}

MemberPlaces::Distance MemberPlaces::between(std::uint32_t core, std::uint32_t member, std::uint8_t queue,
                                             std::uint32_t index) const {
  const LoadedProgram &from = *programs_[core], &to = *programs_[member * cores_ + core % cores_];
  const isa::Descriptor &a = descriptor(from, queue, index), &b = descriptor(to, queue, index);
  return {offset(to, b.src) - offset(from, a.src), offset(to, b.dst) - offset(from, a.dst)};
}

}  // namespace tahoma::model
