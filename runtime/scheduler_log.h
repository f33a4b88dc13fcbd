// SPDX-License-Identifier: Apache-2.0
// Who touched which part of which buffer last: finds the earlier operations that an access must come after.
// Rows are filed in blocks, and a record is dropped once a later one implies it, so that a query looks at a
// handful of records however long the kernel is.
#pragma once

#include <unordered_map>
#include <vector>

#include "runtime/scheduler.h"

namespace tahoma::runtime {

class AccessLog {
 public:
  // Calls found(op) for every recorded operation that conflicts with `access`; the same one may come more
  // than once.
  template <class Found>
  void conflicts(const Access& access, Found&& found) {
    for_blocks(access.region, [&](Block& block) {
      for (const Record& r : block.writes)
        if (r.region.overlaps(access.region)) found(r.op);
      if (!access.write) return;
      for (const Record& r : block.reads)
        if (r.region.overlaps(access.region)) found(r.op);
    });
  }

  // Records `access` of `op`. implied(earlier) tells whether earlier's completion follows from op's: such
  // records that lie inside the new one are not needed any more.
  template <class Implied>
  void record(const Access& access, std::uint32_t op, Implied&& implied) {
    for_blocks(access.region, [&](Block& block) {
      const auto obsolete = [&](const Record& r) {
        return access.region.contains(r.region) && r.op != op && implied(r.op);
      };
      std::erase_if(block.reads, obsolete);
      if (access.write) std::erase_if(block.writes, obsolete);
      (access.write ? block.writes : block.reads).push_back({access.region, op});
    });
  }

 private:
  struct Record {
    Region region;
    std::uint32_t op;
  };
  struct Block {
    std::vector<Record> writes, reads;
  };
  static constexpr std::uint32_t kBlockRows = 128;  // all partitions of a tile share one block

  template <class Visit>
  void for_blocks(const Region& region, Visit&& visit) {
    if (region.rows == 0 || region.bytes == 0) return;
    std::vector<Block>& blocks = buffers_[region.buffer];
    const std::size_t last = (region.row + region.rows - 1) / kBlockRows;
    if (blocks.size() <= last) blocks.resize(last + 1);
    for (std::size_t b = region.row / kBlockRows; b <= last; ++b) visit(blocks[b]);
  }

  std::unordered_map<std::uint32_t, std::vector<Block>> buffers_;
};

}  // namespace tahoma::runtime
