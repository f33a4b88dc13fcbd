// SPDX-License-Identifier: Apache-2.0
#include "report/trace/track_tree.h"

#include <algorithm>

namespace tahoma::runtime {

namespace {

std::string leaf_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

PacketWriter::Track TrackTree::parent_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? PacketWriter::kRoot : track(path.substr(0, dot));
}

PacketWriter::Track TrackTree::track(const std::string& path) {
  if (const auto known = known_.find(path); known != known_.end()) return known->second;
  return known_[path] = beside(path);
}

PacketWriter::Track TrackTree::counter(const std::string& path, const char* unit) {
  if (const auto known = known_.find(path); known != known_.end()) return known->second;
  return known_[path] = writer_.add_counter(parent_of(path), leaf_of(path), unit);
}

PacketWriter::Track TrackTree::beside(const std::string& path) {
  return writer_.add_track(parent_of(path), leaf_of(path));
}

PacketWriter::Track Lanes::place(TrackTree& tree, const std::string& path, base::Time start, base::Time end) {
  const auto free =
      std::find_if(used_.begin(), used_.end(), [&](const Used& used) { return used.end <= start; });
  if (free != used_.end()) {
    free->end = end;
    return free->track;
  }
  used_.push_back({tree.beside(path), end});
  return used_.back().track;
}

}  // namespace tahoma::runtime
