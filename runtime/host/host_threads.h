// SPDX-License-Identifier: Apache-2.0
// Runs independent blocks on the host's threads. The assignment of blocks to threads does not affect results:
// each block writes its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace tahoma::runtime {

// Calls work(i) for i in [0, blocks), on up to two threads: each holds a block's workspace. If a call throws,
// no further blocks are started, and when all threads have ended, the exception of the first failed block is
// rethrown. Blocks are started in order, so it is the same exception every time.
inline void for_each_block(std::uint64_t blocks, const std::function<void(std::uint64_t)>& work) {
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  std::uint64_t failed = blocks;
  std::exception_ptr failure;
  const auto take = [&] {
    for (std::uint64_t i = next++; i < blocks; i = next++) {
      try {
        work(i);
      } catch (...) {
        next = blocks;
        const std::lock_guard lock(mutex);
        if (i > failed) continue;
        failed = i;
        failure = std::current_exception();
      }
    }
  };
  const std::uint64_t threads =
      std::min<std::uint64_t>({2, blocks, std::max(1U, std::thread::hardware_concurrency())});
  std::vector<std::future<void>> helpers;
  for (std::uint64_t t = 1; t < threads; ++t) helpers.push_back(std::async(std::launch::async, take));
  take();
  for (auto& helper : helpers) helper.get();
  if (failure) std::rethrow_exception(failure);
}

// Calls all functions, likewise.
inline void in_parallel(const std::vector<std::function<void()>>& work) {
  for_each_block(work.size(), [&](std::uint64_t n) { work[n](); });
}

}  // namespace tahoma::runtime
