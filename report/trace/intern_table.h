// SPDX-License-Identifier: Apache-2.0
// Numbers for strings that occur often in a trace: each string is written once and then referenced by
// number. A full table is emptied, so its size is bounded for any length of the run; numbers are never
// reused for another string.
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
    bool added = false;  // true if the trace does not have the string yet
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
  std::uint64_t next_ = 1;  // Perfetto uses 0 for none
  std::size_t bytes_ = 0;
};

}  // namespace tahoma::runtime
