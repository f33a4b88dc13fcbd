// SPDX-License-Identifier: Apache-2.0
// Random shares of transfers through a ring in lock-step with its law: runs of all lengths, divided into
// pieces or joined into elements, with and without semaphores. The driver writes ahead of its doorbells;
// memories are sometimes not ready, and answer later in order.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "model/rtl/ring/ring_lock_step.h"

namespace tahoma::tests {

class RingTraffic {
 public:
  RingTraffic(rtl::RingPins& pins, const model::DmaParams& params, std::uint64_t seed)
      : params_(params), lock_step_(pins, params, "ring"), random_(seed) {}

  // A transfer with this descriptor, the share of engine `n` of 16.
  struct Work {
    std::unique_ptr<isa::Descriptor[]> sources;
    std::unique_ptr<model::Transfer> transfer;
    model::Share share;
  };
  Work work(const std::vector<isa::Descriptor>& sources, unsigned n, unsigned engines = isa::kDmaEngines) {
    Work w;
    w.sources = std::make_unique<isa::Descriptor[]>(sources.size());
    std::copy(sources.begin(), sources.end(), w.sources.get());
    w.transfer = std::make_unique<model::Transfer>();
    model::TransferRequest& r = w.transfer->request;
    r.sources = {w.sources.get(), sources.size()};
    if (chance(70)) r.notify = sim::Notify{0, byte(), byte(), static_cast<std::uint32_t>(random_())};
    if (chance(20)) r.notify_read = sim::Notify{};
    w.transfer->runs = model::runs_of(r, params_, engines);
    for (const isa::Descriptor& d : sources)
      w.transfer->element = std::max<std::uint64_t>(
          {w.transfer->element, isa::size_of(d.src.dtype), isa::size_of(d.dst.dtype)});
    const model::UnitRange range = model::share_of(w.transfer->runs, n);
    w.share.transfer = w.transfer.get();
    w.share.unit = range.first;
    w.share.last_unit = range.last;
    return w;
  }

  Work random_work() {
    isa::Descriptor d;
    const bool long_runs = chance(6);
    d.count = {below(chance(30) ? 300 : 4) + 1, 1, below(4) + 1, below(long_runs ? 20'000 : 60) + 1};
    static constexpr isa::DType kTypes[] = {isa::DType::kFp8E4M3, isa::DType::kBf16, isa::DType::kFp32};
    const auto inner = static_cast<std::int32_t>(d.count[3]),
               middle = static_cast<std::int32_t>(d.count[2]) * inner;
    const auto gap = [&](std::int32_t stride) { return chance(60) ? stride : stride + 3; };
    d.src = {isa::Space::kHbm, kTypes[below(3)], 0, 0, 0, 0, {gap(middle), 0, gap(inner), 1}};
    d.dst = d.src;
    if (chance(60)) d.dst = {isa::Space::kSbuf, kTypes[below(3)], 0, isa::kNone, 0, 0, {0, 0, inner, 1}};
    if (chance(20)) d.dst.dtype = kTypes[below(3)];
    d.accumulate = chance(15);
    std::vector<isa::Descriptor> sources(chance(15) ? 1 + below(3) : 1, d);
    return work(sources, below(isa::kDmaEngines));
  }

  // Any numbers that fit into a descriptor, small ones as often as large ones; a few units of each.
  Work wide_work() {
    constexpr std::uint32_t kMostRows = 4095, kMostElements = (1U << 24) - 1, kMostCycles = 1U << 16;
    isa::Descriptor d;
    const bool joins = chance(40);
    d.count = {up_to(joins ? kMostElements : kMostRows), 1, joins ? 1 : up_to(kMostRows),
               up_to(kMostElements)};
    const auto run = static_cast<std::int32_t>(d.count[3]);
    const isa::DType dtype = chance(50) ? isa::DType::kFp8E4M3 : isa::DType::kBf16;
    d.src = {isa::Space::kHbm, dtype, 0, 0, 0, 0, {joins ? run : run + 5, 0, run + 3, 1}};
    d.dst = {isa::Space::kSbuf, dtype, 0, isa::kNone, 0, 0, {0, 0, run, 1}};
    d.accumulate = chance(5);
    const std::vector<isa::Descriptor> sources(chance(5) ? up_to(255) : 1, d);
    Work w = work(sources, 0);
    const model::Runs& runs = w.transfer->runs;
    const std::uint64_t cost = (runs.piece_elements * runs.joined / 32 + 4) * sources.size();
    w.share.unit = below(runs.units());
    w.share.last_unit =
        std::min(runs.units(), w.share.unit + up_to(kMostCycles) * runs.joined / cost + below(2));
    return w;
  }

  // Sends `count` descriptors, made by `next`, and runs until all are finished.
  template <class Next>
  void run(std::uint64_t descriptors, Next&& next) {
    std::uint64_t made = 0;
    unsigned untold = 0;
    std::deque<std::int64_t> answers;
    std::uint64_t under_way = 0;
    std::int64_t last_change = 0;
    while (made < descriptors || done_ < descriptors) {
      if (made < descriptors && lock_step_.room() && chance(pressure_)) {
        Work w = next();
        if (!rtl::descriptor_of(w.share, params_)) continue;
        lock_step_.write(w.share);
        kept_.push_back(std::move(w));
        ++made;
        ++untold;
      } else if (untold > 0 && (chance(10) || made == descriptors || !lock_step_.room())) {
        lock_step_.doorbell(untold);
        untold = 0;
      }
      if (!answers.empty() && answers.front() <= lock_step_.cycle() && chance(80)) {
        answers.pop_front();
        lock_step_.written();
        --under_way;
      }
      const auto decision = lock_step_.step(chance(readiness_));
      if (decision.issue) {
        answers.push_back(lock_step_.cycle() + below(latency_));
        ++under_way;
        last_change = lock_step_.cycle();
        if (decision.issue->last) ++done_, kept_.pop_front();
      }
      if (lock_step_.cycle() - last_change > 1'000'000) throw std::runtime_error("the ring stands still");
      if (chance(1) && chance(5)) shift_mood();
    }
    for (int n = 0; n < 2'000; ++n) {
      if (!answers.empty()) {
        answers.pop_front();
        lock_step_.written();
      }
      lock_step_.step(true);
    }
  }
  const rtl::RingLockStep& lock_step() const { return lock_step_; }

 private:
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::uint32_t up_to(std::uint32_t most) { return 1 + below(std::max(1U, most >> below(24))); }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::uint8_t byte() { return static_cast<std::uint8_t>(random_()); }
  // Full rings and empty ones, fast memories and slow ones.
  void shift_mood() {
    pressure_ = chance(50) ? 100 : 5;
    readiness_ = chance(50) ? 100 : 30;
    latency_ = chance(50) ? 10 : 2'000;
  }

  const model::DmaParams& params_;
  rtl::RingLockStep lock_step_;
  std::mt19937_64 random_;
  std::deque<Work> kept_;  // written and not yet issued
  std::uint64_t done_ = 0;
  unsigned pressure_ = 100, readiness_ = 100, latency_ = 100;
};

}  // namespace tahoma::tests
