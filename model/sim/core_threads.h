// SPDX-License-Identifier: Apache-2.0
// The host's threads that compute the values of equal cores. A folded machine applies every instruction to
// the memories of all cores for which the simulated one stands (model/engine/core_memories.h). These cores
// share no bytes that one of them writes, so the order in which the threads take them cannot change a result.
// Simulated time stands still meanwhile.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tahoma::sim {

class CoreThreads {
 public:
  // Uses at most as many threads as the host has, and at most 8; the first for_each starts them.
  CoreThreads();
  ~CoreThreads();
  CoreThreads(const CoreThreads&) = delete;
  CoreThreads& operator=(const CoreThreads&) = delete;

  // Calls work(n) for n in [0, count) and returns when all calls have returned. If some throw, the exception
  // of the lowest n is rethrown, so the error is the same whatever the threads do.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  // Describes one for_each to the threads.
  struct Round {
    std::uint32_t number = 0;
    std::uint32_t count = 0;
    const std::function<void(std::size_t)>* work = nullptr;
  };

  void start();
  void serve();
  void take(const Round& round);
  void run(const Round& round, std::size_t n);

  std::size_t most_;  // threads, this one included
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_, end_;
  bool stop_ = false;
  Round round_;
  // The number of the round, and the next n. A thread that wakes after the end of its round finds another
  // number and takes no n, so for_each need not wait for it.
  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<std::size_t> done_{0};  // calls that have returned
  std::size_t failed_ = 0;            // lowest n whose work threw
  std::exception_ptr failure_;
};

}  // namespace tahoma::sim
