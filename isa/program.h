// SPDX-License-Identifier: Apache-2.0
// A program as the hardware takes it: one in-order instruction stream per queue and a table of DMA descriptors. HBM is
// addressed through arguments, so that one program serves every core that runs it. Also the binary container.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/instruction.h"

namespace tahoma::isa {

// A named stretch of a kernel ("gemm.block", "attention.softmax"); regions label reports, never meaning.
struct Program {
  std::string name = "program";
  std::array<std::vector<Instruction>, kQueueCount> streams;
  std::vector<Descriptor> descriptors;
  std::vector<std::string> args;  // names of the arguments, at most kArguments

  std::vector<Instruction>& stream(Queue q) { return streams[static_cast<std::size_t>(q)]; }
  const std::vector<Instruction>& stream(Queue q) const { return streams[static_cast<std::size_t>(q)]; }
  friend bool operator==(const Program&, const Program&) = default;
};

// Global HBM address: chip << 40 | stack << 36 | offset. A core's identity travels in the same argument table.
struct GlobalAddress {
  std::uint32_t chip = 0;
  std::uint32_t stack = 0;
  std::uint64_t offset = 0;
  static GlobalAddress from(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits >> 40), static_cast<std::uint32_t>((bits >> 36) & 0xF),
            bits & ((std::uint64_t{1} << 36) - 1)};
  }
  std::uint64_t bits() const {
    return (std::uint64_t{chip} << 40) | (std::uint64_t{stack} << 36) | offset;
  }
};

// Binary form: magic "TAHO", version, names, then 64-byte words and 64-byte descriptors, little endian.
// `from_bytes` accepts only what `to_bytes` can produce; anything else throws ProgramError with the byte offset.
std::vector<std::byte> to_bytes(const Program& program);
Program from_bytes(std::span<const std::byte> bytes);

}  // namespace tahoma::isa
