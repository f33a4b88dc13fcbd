// SPDX-License-Identifier: Apache-2.0
// The on-chip buffers of a program as its instructions show them: runs of bytes of SBUF and PSUM partitions
// that writes share, and who fills each. Two writes that overlap are of one buffer; writes side by side are
// of two. A program needs no names for it: a buffer is called by what fills it, "load of a" (an argument) or
// "matmul". Of several, loads come before what engines compute, and that before mere initial values.
//
// Left out: byte offsets in registers, which only running tells; boxes are taken for strided tiles.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "isa/core/access.h"
#include "isa/core/program.h"

namespace tahoma::runtime {

struct OnChipBuffer {
  isa::Space space = isa::Space::kSbuf;
  std::uint64_t first = 0, end = 0;                 // bytes of a partition
  std::uint32_t partition = 0, past_partition = 0;  // [partition, past_partition)
  std::uint16_t filler = 0;                         // who is said to fill it
  std::uint64_t bytes() const { return (end - first) * (past_partition - partition); }
};

class ProgramBuffers {
 public:
  explicit ProgramBuffers(const isa::Program& program);

  const std::vector<OnChipBuffer>& buffers() const { return buffers_; }  // by space, then place
  const std::vector<std::string>& fillers() const { return fillers_; }
  // Whether one filler's name says more about what lies there than the other's.
  bool says_more(std::uint16_t filler, std::uint16_t than) const { return ranks_[filler] < ranks_[than]; }

  struct Access {
    std::uint32_t buffer = 0;
    std::uint16_t filler = 0;  // of a write
    bool reads = false, writes = false;
    bool by_transfer = false;  // a side of a transfer: touched when its packets move
  };
  // What an instruction touches, reads before writes; of a transfer its sides on chip.
  std::span<const Access> of(std::uint8_t queue, std::uint32_t index) const {
    const std::uint32_t kind = kind_[queue][index];
    return {accesses_.data() + first_[kind], accesses_.data() + first_[kind + 1]};
  }

 private:
  std::uint16_t filler_number(const isa::Program& program, const isa::Instruction& instruction);
  struct Touched;  // one operand on chip of one instruction
  void collect(const isa::Program& program, const isa::Instruction& instruction,
               std::vector<Touched>& touched);
  void merge(const std::vector<Touched>& touched);
  void add_access(const Touched& touched);

  std::vector<OnChipBuffer> buffers_;
  std::vector<std::string> fillers_;
  std::vector<std::uint8_t> ranks_;                 // of fillers_: whose name a buffer bears first
  std::map<std::uint32_t, std::uint16_t> numbers_;  // of fillers_
  std::vector<Access> accesses_;
  // Instructions that touch the same are of one kind.
  std::array<std::vector<std::uint32_t>, isa::kQueueCount> kind_;  // by stream and place in it
  std::vector<std::uint32_t> first_;                               // into accesses_, by kind, and the end
};

}  // namespace tahoma::runtime
