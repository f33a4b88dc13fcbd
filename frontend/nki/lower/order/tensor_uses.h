// SPDX-License-Identifier: Apache-2.0
// Which on-chip tensors each entry uses, and which entries use each of them. Tensors of the front end itself
// lie in SBUF behind what a kernel may use, so they are not among these.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontend/nki/lower/memory/allocate.h"

namespace tahoma::runtime::nki {

class TensorUses {
 public:
  explicit TensorUses(const Trace& trace);

  // Storage ids, each once.
  std::span<const std::uint32_t> of(std::uint32_t entry) const { return tensors_.row(entry); }
  // Entries, ascending, each once.
  std::span<const std::uint32_t> users(std::uint32_t storage) const { return users_.row(storage); }
  const Units& size(std::uint32_t storage) const { return size_[storage]; }
  std::size_t storages() const { return size_.size(); }

 private:
  struct Rows {
    std::vector<std::size_t> first{0};
    std::vector<std::uint32_t> list;
    std::span<const std::uint32_t> row(std::uint32_t r) const {
      return {list.data() + first[r], first[r + 1] - first[r]};
    }
  };
  Rows tensors_, users_;
  std::vector<Units> size_;
};

inline Units operator+(const Units& a, const Units& b) { return {a[0] + b[0], a[1] + b[1]}; }
inline Units operator-(const Units& a, const Units& b) { return {a[0] - b[0], a[1] - b[1]}; }
inline bool within(const Units& a, const Units& limit) { return a[0] <= limit[0] && a[1] <= limit[1]; }

}  // namespace tahoma::runtime::nki
