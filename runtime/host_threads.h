// SPDX-License-Identifier: Apache-2.0
// Independent blocks over the host's threads. Which thread takes a block changes nothing: results go to the
// block's place.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <thread>
#include <vector>

namespace tahoma::runtime {

// Calls work(i) for i in [0, blocks), on up to two threads: each holds a block's workspace. The first
// exception is thrown again here, when all threads have ended.
inline void for_each_block(std::uint64_t blocks, const std::function<void(std::uint64_t)>& work) {
  std::atomic<std::uint64_t> next{0};
  const auto take = [&] {
    for (std::uint64_t i = next++; i < blocks; i = next++) work(i);
  };
  const std::uint64_t threads =
      std::min<std::uint64_t>({2, blocks, std::max(1U, std::thread::hardware_concurrency())});
  std::vector<std::future<void>> helpers;
  for (std::uint64_t t = 1; t < threads; ++t) helpers.push_back(std::async(std::launch::async, take));
  take();
  for (auto& helper : helpers) helper.get();
}

}  // namespace tahoma::runtime
