// SPDX-License-Identifier: Apache-2.0
// The host's threads that compute the values of equal cores. A folded machine applies every instruction to the memories
// of all cores for which the simulated one stands (model/engine/core_memories.h). These cores share no bytes that one of
// them writes, so the order in which the threads take them cannot change a result. Simulated time stands still meanwhile.
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
  // At most as many threads as the host has, and 8; they start when for_each is called for the first time.
  CoreThreads();
  ~CoreThreads();
  CoreThreads(const CoreThreads&) = delete;
  CoreThreads& operator=(const CoreThreads&) = delete;

  // Calls work(n) for n in [0, count) and returns when all calls have returned. If some throw, the exception of the
  // lowest n is rethrown, so the error is the same whatever the threads do.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  void start();
  void serve();
  void take();

  std::size_t most_;  // threads, this one included
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_, end_;
  std::uint64_t round_ = 0;  // of for_each
  bool stop_ = false;
  std::size_t busy_ = 0;  // threads that have not finished the round
  // The round.
  std::size_t count_ = 0;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::atomic<std::size_t> next_{0};
  std::size_t failed_ = 0;  // lowest n whose work threw
  std::exception_ptr failure_;
};

}  // namespace tahoma::sim
