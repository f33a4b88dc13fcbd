// SPDX-License-Identifier: Apache-2.0
// The on-chip buffers of a program, derived from its instructions: runs of bytes of SBUF and PSUM partitions
// that writes share, and the filler of each. Two writes that overlap belong to one buffer; adjacent writes
// belong to two. A program needs no names for its buffers: a buffer is named after what fills it, "load of a"
// (an argument) or "matmul". If there are several fillers, loads take precedence over computed data, and
// these over initial values.
//
// Not included: byte offsets in registers, which are known only at run time; boxes are
// treated as strided tiles.
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
  std::uint16_t filler = 0;                         // the filler that it is named after
  std::uint64_t bytes() const { return (end - first) * (past_partition - partition); }
};

class ProgramBuffers {
 public:
  explicit ProgramBuffers(const isa::Program& program);

  const std::vector<OnChipBuffer>& buffers() const { return buffers_; }  // by space, then address
  const std::vector<std::string>& fillers() const { return fillers_; }
  // True if the name of `filler` describes the contents better than that of `than`.
  bool says_more(std::uint16_t filler, std::uint16_t than) const { return ranks_[filler] < ranks_[than]; }

  struct Access {
    std::uint32_t buffer = 0;
    std::uint16_t filler = 0;  // for a write
    bool reads = false, writes = false;
    bool by_transfer = false;  // a side of a transfer: accessed when its packets move
  };
  // The accesses of an instruction, reads before writes; for a transfer, its on-chip sides.
  std::span<const Access> of(std::uint8_t queue, std::uint32_t index) const {
    const std::uint32_t kind = kind_[queue][index];
    return {accesses_.data() + first_[kind], accesses_.data() + first_[kind + 1]};
  }

 private:
  std::uint16_t filler_number(const isa::Program& program, const isa::Instruction& instruction);
  struct Touched;  // one on-chip operand of one instruction
  void collect(const isa::Program& program, const isa::Instruction& instruction,
               std::vector<Touched>& touched);
  void merge(const std::vector<Touched>& touched);
  void add_access(const Touched& touched);

  std::vector<OnChipBuffer> buffers_;
  std::vector<std::string> fillers_;
  std::vector<std::uint8_t> ranks_;                 // precedence of fillers_ for the name of a buffer
  std::map<std::uint32_t, std::uint16_t> numbers_;  // of fillers_
  std::vector<Access> accesses_;
  // Instructions with the same accesses are of one kind.
  std::array<std::vector<std::uint32_t>, isa::kQueueCount> kind_;  // by stream and position in it
  std::vector<std::uint32_t> first_;  // into accesses_, by kind, with the end appended
};

}  // namespace tahoma::runtime
