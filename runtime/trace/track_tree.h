// SPDX-License-Identifier: Apache-2.0
// Tracks by the names of instances: "server0.chip03.core5.tensor" lies in core5, in chip03, in server0. Each
// is told to the trace when it is asked for first. Grows with the machine, not with the run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/trace/packet_writer.h"

namespace tahoma::runtime {

class TrackTree {
 public:
  explicit TrackTree(PacketWriter& writer) : writer_(writer) {}

  PacketWriter::Track track(const std::string& path);
  PacketWriter::Track counter(const std::string& path, const char* unit);
  // Another one of that name, beside the others: readers draw those of one name together.
  PacketWriter::Track beside(const std::string& path);

 private:
  PacketWriter::Track parent_of(const std::string& path);
  PacketWriter& writer_;
  std::map<std::string, PacketWriter::Track, std::less<>> known_;
};

// Slices that overlap, on tracks of one name: each goes to the first on which nothing lies over it.
class Lanes {
 public:
  // The track for a slice from `start` to `end`.
  PacketWriter::Track place(TrackTree& tree, const std::string& path, base::Time start, base::Time end);

 private:
  struct Lane {
    PacketWriter::Track track;
    base::Time end;
  };
  std::vector<Lane> lanes_;
};

}  // namespace tahoma::runtime
