// SPDX-License-Identifier: Apache-2.0
// The pages of a machine's HBM that a program has changed, by global address.
#pragma once

#include <cstdint>
#include <set>

namespace tahoma::sim {

class WrittenPages {
 public:
  static constexpr std::uint64_t kPage = std::uint64_t{1}
                                         << 16;  // bytes: few pages, and few bytes that have not changed

  void add(std::uint64_t address, std::uint64_t bytes) {
    if (bytes == 0) return;
    const std::uint64_t last = (address + bytes - 1) / kPage;
    for (std::uint64_t page = address / kPage; page <= last; ++page)
      if (page != latest_) pages_.insert(latest_ = page);
  }
  // Calls f(address) for the first byte of each page, in order.
  template <class F>
  void each(F&& f) const {
    for (const std::uint64_t page : pages_) f(page * kPage);
  }

 private:
  std::set<std::uint64_t> pages_;
  std::uint64_t latest_ = ~std::uint64_t{0};  // most writes are near the one before
};

}  // namespace tahoma::sim
