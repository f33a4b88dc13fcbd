// SPDX-License-Identifier: Apache-2.0
// Hand-written instructions, for tests of the machine that bypass the kernel builder.
#pragma once

#include "isa/core/program.h"

namespace tahoma::tests {

inline isa::Instruction wait_ge(std::uint8_t semaphore, std::uint32_t value) {
  isa::Instruction i;
  i.op = isa::Opcode::kSemWait;
  i.wait = {isa::Wait::Kind::kGe, semaphore, value};
  return i;
}

inline isa::Instruction add_to(std::uint8_t semaphore, std::uint16_t by = 1) {
  isa::Instruction i;
  i.op = isa::Opcode::kSemSet;
  i.update = {isa::Update::Kind::kAdd, semaphore, by};
  return i;
}

// Copies `bytes` contiguous bytes in HBM from argument `src` to argument `dst`, as fp32.
inline isa::Instruction hbm_copy(isa::Program& program, std::uint8_t dst, std::uint8_t src,
                                 std::uint32_t bytes, std::uint8_t semaphore, std::uint8_t ring = 0) {
  isa::Descriptor d;
  d.count = {1, 1, 1, bytes / 4};
  d.src = {isa::Space::kHbm, isa::DType::kFp32, 0, src, 0, 0, {0, 0, 0, 1}};
  d.dst = {isa::Space::kHbm, isa::DType::kFp32, 0, dst, 0, 0, {0, 0, 0, 1}};
  isa::Instruction i;
  i.op = isa::Opcode::kDmaCopy;
  i.ring = ring;
  i.descriptor = static_cast<std::uint32_t>(program.descriptors.size());
  i.update = {isa::Update::Kind::kAdd, semaphore, 1};
  program.descriptors.push_back(d);
  return i;
}

// Loads [partitions, bytes each] from argument `src`, with contiguous rows, into SBUF at offset 0.
inline isa::Instruction load_rows(isa::Program& program, std::uint8_t src, unsigned partitions,
                                  std::uint32_t bytes, std::uint8_t semaphore, std::uint8_t ring = 0) {
  isa::Descriptor d;
  const std::uint32_t columns = bytes / 4;
  d.count = {partitions, 1, 1, columns};
  d.src = {isa::Space::kHbm, isa::DType::kFp32, 0, src, 0, 0, {static_cast<std::int32_t>(columns), 0, 0, 1}};
  d.dst = {isa::Space::kSbuf, isa::DType::kFp32, 0, isa::kNone, 0, 0, {0, 0, 0, 1}};
  isa::Instruction i;
  i.op = isa::Opcode::kDmaCopy;
  i.ring = ring;
  i.descriptor = static_cast<std::uint32_t>(program.descriptors.size());
  i.update = {isa::Update::Kind::kAdd, semaphore, 1};
  program.descriptors.push_back(d);
  return i;
}

// An element-wise instruction on [128, n] fp32 in SBUF.
inline isa::Instruction elementwise(isa::Opcode op, std::uint16_t n) {
  isa::Instruction i;
  i.op = op;
  i.shape = {128, {1, 1, 1, n}};
  for (isa::Tile* t : {&i.dst, &i.src0}) t->stride = {0, 0, 0, 1};
  return i;
}

}  // namespace tahoma::tests
