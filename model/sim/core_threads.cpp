// SPDX-License-Identifier: Apache-2.0
#include "model/sim/core_threads.h"

#include <algorithm>
#include <utility>

namespace tahoma::sim {

CoreThreads::CoreThreads() : most_(std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8)) {}

CoreThreads::~CoreThreads() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CoreThreads::start() {
  for (std::size_t n = 1; n < most_; ++n) threads_.emplace_back([this] { serve(); });
}

void CoreThreads::serve() {
  std::uint64_t served = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    begin_.wait(lock, [&] { return stop_ || round_ != served; });
    if (stop_) return;
    served = round_;
    lock.unlock();
    take();
    lock.lock();
    if (--busy_ == 0) end_.notify_one();
  }
}

void CoreThreads::take() {
  for (std::size_t n = next_++; n < count_; n = next_++) {
    try {
      (*work_)(n);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (failure_ && failed_ < n) continue;
      failed_ = n;
      failure_ = std::current_exception();
    }
  }
}

void CoreThreads::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (threads_.empty()) start();
  {
    const std::lock_guard lock(mutex_);
    count_ = count;
    work_ = &work;
    next_ = 0;
    failure_ = nullptr;
    busy_ = threads_.size();
    ++round_;
  }
  begin_.notify_all();
  take();
  std::unique_lock lock(mutex_);
  end_.wait(lock, [&] { return busy_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace tahoma::sim
