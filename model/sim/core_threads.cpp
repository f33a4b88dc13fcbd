// SPDX-License-Identifier: Apache-2.0
#include "model/sim/core_threads.h"

#include <algorithm>
#include <utility>

namespace tahoma::sim {

namespace {

// A thread that sleeps needs tens of microseconds to wake, about as long as the work of a round takes. So it
// first offers its processor to others for as long, until `done` holds.
template <class Done>
void await(const Done& done) {
  constexpr int kYields = 200;
  for (int n = 0; n < kYields && !done(); ++n) std::this_thread::yield();
}

}  // namespace

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
  std::uint32_t served = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    lock.unlock();
    await([&] { return static_cast<std::uint32_t>(ticket_ >> 32) != served; });
    lock.lock();
    begin_.wait(lock, [&] { return stop_ || round_.number != served; });
    if (stop_) return;
    const Round round = round_;
    served = round.number;
    lock.unlock();
    take(round);
    lock.lock();
  }
}

void CoreThreads::take(const Round& round) {
  std::uint64_t ticket = ticket_.load();
  for (;;) {
    const auto n = static_cast<std::uint32_t>(ticket);
    if (ticket >> 32 != round.number || n >= round.count) return;
    if (!ticket_.compare_exchange_weak(ticket, ticket + 1)) continue;
    run(round, n);
    if (++done_ == round.count) {
      const std::lock_guard lock(mutex_);
      end_.notify_one();
    }
    ticket = ticket_.load();
  }
}

void CoreThreads::run(const Round& round, std::size_t n) {
  try {
    (*round.work)(n);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (failure_ && failed_ < n) return;
    failed_ = n;
    failure_ = std::current_exception();
  }
}

void CoreThreads::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (threads_.empty()) start();
  Round round;
  {
    const std::lock_guard lock(mutex_);
    round = round_ = {round_.number + 1, static_cast<std::uint32_t>(count), &work};
    failure_ = nullptr;
    done_ = 0;
    ticket_ = std::uint64_t{round.number} << 32;
  }
  begin_.notify_all();
  take(round);
  await([&] { return done_ == count; });
  std::unique_lock lock(mutex_);
  end_.wait(lock, [&] { return done_ == count; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace tahoma::sim
