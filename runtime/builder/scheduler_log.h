// SPDX-License-Identifier: Apache-2.0
// Records the last accesses to each part of each buffer and finds the earlier operations that a new access
// must follow. Rows and bytes are divided into blocks, and a record is dropped once a later one implies it,
// so a query reads only a few records, regardless of the length of the kernel.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "runtime/builder/scheduler.h"

namespace tahoma::runtime {

class AccessLog {
 public:
  // Calls found(op) for every recorded operation that conflicts with `access`; it may report an
  // operation more than once.
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

  // Records `access` of `op`. implied(earlier) returns whether the completion of `earlier` follows from that
  // of `op`: such records are no longer needed if the new region contains theirs. stands_for(earlier)
  // returns whether every operation that must follow `earlier` also follows `op`; a read inside such a
  // record is not recorded.
  template <class Implied, class StandsFor>
  void record(const Access& access, std::uint32_t op, Implied&& implied, StandsFor&& stands_for) {
    for_blocks(access.region, [&](Block& block) {
      const auto enough = [&](const Record& r) {
        return r.region.contains(access.region) && r.op != op && stands_for(r.op);
      };
      if (!access.write && std::any_of(block.reads.begin(), block.reads.end(), enough)) return;
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
    friend bool operator==(const Record& a, const Record& b) { return a.op == b.op && a.region == b.region; }
  };
  struct Block {
    std::vector<Record> writes, reads;
  };
  using Strip = std::vector<Block>;  // of kBlockRows rows, `width` bytes each
  struct Buffer {
    std::uint64_t width = 4096;
    std::vector<Strip> strips;
  };
  static constexpr std::uint32_t kBlockRows = 128;   // all partitions of a tile share one strip
  static constexpr std::uint64_t kMostBlocks = 256;  // per strip; beyond that, blocks become wider

  static void merge(std::vector<Record>& into, const std::vector<Record>& more) {
    for (const Record& r : more)
      if (std::find(into.begin(), into.end(), r) == into.end()) into.push_back(r);
  }

  static void widen(Buffer& buffer) {
    buffer.width *= 2;
    for (Strip& strip : buffer.strips) {
      Strip half((strip.size() + 1) / 2);
      for (std::size_t n = 0; n < strip.size(); ++n) {
        merge(half[n / 2].writes, strip[n].writes);
        merge(half[n / 2].reads, strip[n].reads);
      }
      strip = std::move(half);
    }
  }

  template <class Visit>
  void for_blocks(const Region& region, Visit&& visit) {
    if (region.rows == 0 || region.bytes == 0) return;
    Buffer& buffer = buffers_[region.buffer];
    const std::uint64_t last_byte = region.byte + region.bytes - 1;
    while (last_byte / buffer.width >= kMostBlocks) widen(buffer);
    const std::size_t last_strip = (region.row + region.rows - 1) / kBlockRows,
                      last_block = last_byte / buffer.width;
    if (buffer.strips.size() <= last_strip) buffer.strips.resize(last_strip + 1);
    for (std::size_t s = region.row / kBlockRows; s <= last_strip; ++s) {
      Strip& strip = buffer.strips[s];
      if (strip.size() <= last_block) strip.resize(last_block + 1);
      for (std::size_t b = region.byte / buffer.width; b <= last_block; ++b) visit(strip[b]);
    }
  }

  std::unordered_map<std::uint32_t, Buffer> buffers_;
};

}  // namespace tahoma::runtime
