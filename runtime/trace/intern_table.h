// SPDX-License-Identifier: Apache-2.0
// Numbers for strings that a trace says often: told once, then referred to. A table that has become full is
// emptied, so that it stays bounded however long the run; numbers are never used again for another string.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tahoma::runtime {

class InternTable {
 public:
  struct Entry {
    std::uint64_t iid = 0;
    bool added = false;  // the trace has not been told yet
  };
  Entry find_or_add(std::string_view text) {
    if (const auto known = iids_.find(text); known != iids_.end()) return {known->second, false};
    bytes_ += text.size();
    return {iids_.emplace(text, next_++).first->second, true};
  }
  void clear() {
    iids_.clear();
    bytes_ = 0;
  }
  std::size_t entries() const { return iids_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> iids_;
  std::uint64_t next_ = 1;  // 0 means none to Perfetto
  std::size_t bytes_ = 0;
};

}  // namespace tahoma::runtime
