// SPDX-License-Identifier: Apache-2.0
// The tracks of DMA rings and link directions.
//
// A transfer is a slice of its ring from the end of its doorbell to its last byte; a ring has as many under
// way as it may, so those that overlap lie side by side. What the ring still holds is a row of values. On a
// link, packets of one flow that leave back to back are one slice, which counts them.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/activity.h"
#include "runtime/trace/timeline.h"

namespace tahoma::runtime {

class TransferSlices {
 public:
  explicit TransferSlices(Timeline& timeline) : timeline_(timeline) {}
  void transfer(const base::TransferActivity& activity);
  void ring(const base::RingActivity& activity);

 private:
  struct Ring {
    Lanes lanes;
    PacketWriter::Track held = PacketWriter::kRoot;
  };
  Ring& ring_of(std::uint32_t core, std::uint8_t ring) { return rings_[{core, ring}]; }

  Timeline& timeline_;
  std::map<std::pair<std::uint32_t, std::uint8_t>, Ring> rings_;
};

class LinkSlices {
 public:
  explicit LinkSlices(Timeline& timeline) : timeline_(timeline) {}
  void link(const base::LinkActivity& activity);
  void close();

 private:
  struct Link {
    base::LinkActivity burst;  // not yet written
    std::uint64_t packets = 0;
    PacketWriter::Track track = PacketWriter::kRoot;
  };
  void write(Link& link);

  Timeline& timeline_;
  std::unordered_map<const char*, std::size_t> numbers_;
  std::vector<Link> links_;  // in the order in which they were first used
};

}  // namespace tahoma::runtime
