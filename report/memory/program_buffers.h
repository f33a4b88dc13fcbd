// SPDX-License-Identifier: Apache-2.0
// The on-chip buffers of a program, derived from its instructions: runs of bytes of SBUF and PSUM partitions
// that writes share, and the filler of each. Two writes that overlap belong to one buffer; adjacent writes
// belong to two. A buffer is named after what fills it, "load of a" (an argument) or "matmul". If there are
// several fillers, loads take precedence over computed data, and these over initial values.
//
// If the program knows the variables of its source (isa::Program::filled), a buffer belongs to one variable
// and is named after it. Buffers of several variables may then share bytes; a write to one ends what the
// others hold.
//
// A buffer extends from the first to the last byte that is written, and its size is that of the bytes that
// instructions write there: a memset of every 129th column has the size of these columns.
//
// Not included: byte offsets in registers, which are known only at run time; boxes are
// treated as strided tiles.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "isa/core/program.h"
#include "isa/table/access.h"

namespace tahoma::runtime {

struct OnChipBuffer {
  isa::Space space = isa::Space::kSbuf;
  std::uint32_t variable = 0;                       // 0: without a name in the source
  std::uint64_t first = 0, end = 0;                 // bytes of a partition
  std::uint32_t partition = 0, past_partition = 0;  // [partition, past_partition)
  std::uint32_t filler = 0;                         // the filler that it is named after
  std::uint64_t written = 0;                        // bytes, once for each different write
  std::uint64_t bytes() const { return std::min(written, (end - first) * (past_partition - partition)); }
};

class ProgramBuffers {
 public:
  explicit ProgramBuffers(const isa::Program& program);

  const std::vector<OnChipBuffer>& buffers() const { return buffers_; }  // by space, variable, address
  const std::vector<std::string>& fillers() const { return fillers_; }
  bool knows_variables() const { return variables_.size() > 1; }
  // Bytes of a space that any instruction writes; those that several buffers share count once.
  std::uint64_t footprint(isa::Space space) const { return footprints_[static_cast<std::size_t>(space)]; }
  // True if the name of `filler` describes the contents better than that of `than`.
  bool says_more(std::uint32_t filler, std::uint32_t than) const { return ranks_[filler] < ranks_[than]; }

  struct Access {
    std::uint32_t buffer = 0;
    std::uint32_t filler = 0;  // for a write
    bool reads = false, writes = false;
    bool ends = false;         // writes bytes of the buffer that another variable has taken over
    bool by_transfer = false;  // a side of a transfer: accessed when its packets move
  };
  // The accesses of an instruction, reads before writes; for a transfer, its on-chip sides.
  std::span<const Access> of(std::uint8_t queue, std::uint32_t index) const {
    const std::uint32_t kind = kind_[queue][index];
    return {accesses_.data() + first_[kind], accesses_.data() + first_[kind + 1]};
  }

 private:
  // `variable` is its name, or "" if a name is to be made from the instruction.
  std::uint32_t filler_number(const isa::Program& program, const isa::Instruction& instruction,
                              const std::string& variable);
  struct Touched;  // one on-chip operand of one instruction
  void collect(const isa::Program& program, const isa::Instruction& instruction, std::uint32_t filled,
               std::vector<Touched>& touched);
  void merge(const std::vector<Touched>& touched);
  void add_access(const Touched& touched);

  std::vector<OnChipBuffer> buffers_;
  struct Range {  // the buffers of one variable in one space
    std::size_t begin = 0, end = 0;
  };
  std::vector<Range> ranges_;
  std::array<std::uint64_t, 2> footprints_{};  // of SBUF and PSUM
  std::map<std::string, std::uint32_t> variables_{{"", 0}};
  std::vector<std::string> fillers_;
  std::vector<std::uint8_t> ranks_;  // precedence of fillers_ for the name of a buffer
  // Holds indices of fillers_ by variable and precedence, or without a variable by the instruction's own key.
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> numbers_;
  std::vector<Access> accesses_;
  // Instructions with the same accesses are of one kind.
  std::array<std::vector<std::uint32_t>, isa::kQueueCount> kind_;  // by stream and position in it
  std::vector<std::uint32_t> first_;  // into accesses_, by kind, with the end appended
};

}  // namespace tahoma::runtime
