// SPDX-License-Identifier: Apache-2.0
// Chooses among equal servers the one with the fewest requests, the first of equals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace tahoma::runtime::serving {

class LeastLoaded {
 public:
  explicit LeastLoaded(std::size_t servers) : load_(servers, 0) {
    for (std::size_t server = 0; server < servers; ++server) order_.emplace(0, server);
  }
  std::size_t choose() const { return order_.begin()->second; }
  void add(std::size_t server) { change(server, load_[server] + 1); }
  void remove(std::size_t server) { change(server, load_[server] - 1); }

 private:
  void change(std::size_t server, std::uint64_t load) {
    order_.erase({load_[server], server});
    load_[server] = load;
    order_.emplace(load, server);
  }

  std::vector<std::uint64_t> load_;
  std::set<std::pair<std::uint64_t, std::size_t>> order_;
};

}  // namespace tahoma::runtime::serving
