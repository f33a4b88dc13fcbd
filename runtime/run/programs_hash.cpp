// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/programs_hash.h"

#include <fmt/format.h>

#include <map>

#include "isa/core/instruction_hash.h"

namespace tahoma::runtime {

namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t part) {
  const std::uint64_t next = isa::combined(hash, part);
  return next ^ (next >> 29);
}

std::uint64_t with_side(std::uint64_t hash, const isa::DmaSide& side) {
  hash = mixed(hash, static_cast<std::uint64_t>(side.space) << 24 |
                         static_cast<std::uint64_t>(side.dtype) << 16 | std::uint64_t{side.partition} << 8 |
                         side.arg);
  hash = mixed(hash, side.offset);
  for (const std::int32_t stride : side.stride) hash = mixed(hash, static_cast<std::uint32_t>(stride));
  return hash;
}

std::uint64_t hash_of_program(const isa::Program& program) {
  std::uint64_t hash = 0;
  for (const auto& stream : program.streams) {
    hash = mixed(hash, stream.size());
    for (const isa::Instruction& i : stream) hash = mixed(hash, isa::hash_of(i));
  }
  for (const isa::Descriptor& d : program.descriptors) {
    for (const std::uint32_t count : d.count) hash = mixed(hash, count);
    hash = with_side(with_side(hash, d.dst), d.src);
  }
  return hash;
}

}  // namespace

std::string programs_hash(const Machine& machine) {
  std::map<const isa::Program*, std::uint64_t> known;
  std::uint64_t hash = 0;
  for (const auto& [core, program] : machine.programs()) {
    const auto [at, added] = known.try_emplace(program.get(), 0);
    if (added) at->second = hash_of_program(*program);
    hash = mixed(mixed(hash, core), at->second);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace tahoma::runtime
