// SPDX-License-Identifier: Apache-2.0
// Tracks by the names of instances: "server0.chip03.core5.tensor" is below core5, below chip03, below
// server0. A track is written to the trace on first use. Memory grows with the machine, not with the run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/trace/packet_writer.h"

namespace tahoma::runtime {

class TrackTree {
 public:
  explicit TrackTree(PacketWriter& writer) : writer_(writer) {}

  PacketWriter::Track track(const std::string& path);
  PacketWriter::Track counter(const std::string& path, const char* unit);
  // Another track of the same name and parent: viewers draw tracks of one name together.
  PacketWriter::Track beside(const std::string& path);

 private:
  PacketWriter::Track parent_of(const std::string& path);
  PacketWriter& writer_;
  std::map<std::string, PacketWriter::Track, std::less<>> known_;
};

// Overlapping slices on tracks of one name: each goes to the first track on which it overlaps no other slice.
class Lanes {
 public:
  // Returns the track for a slice from `start` to `end`.
  PacketWriter::Track place(TrackTree& tree, const std::string& path, base::Time start, base::Time end);

 private:
  struct Used {
    PacketWriter::Track track;
    base::Time end;
  };
  std::vector<Used> used_;
};

}  // namespace tahoma::runtime
