// SPDX-License-Identifier: Apache-2.0
// The tracks of DMA rings and link directions.
//
// A transfer is a slice of its ring from the end of its doorbell to its last byte. A ring may have several
// transfers in flight, so overlapping ones are on parallel tracks. The fill level of a ring is a counter. On
// a link, back-to-back packets of one flow form one slice, which counts them.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/activity.h"
#include "report/trace/timeline.h"

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
  std::vector<Link> links_;  // in the order of first use
};

}  // namespace tahoma::runtime
