// SPDX-License-Identifier: Apache-2.0
// The semaphore file of a NeuronCore. Changes are posted with the time at which they become visible, which
// may be in the future. A waiter asks when its condition will hold, given all posted changes, and is notified
// when a new change could alter that time. Changes take effect in the order of (time, order of posting).
//
// Not modelled: write-port conflicts between changes, and the cost of a change on its way here (the poster
// adds it).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <systemc>
#include <vector>

#include "model/base/measurements.h"
#include "model/sim/meter.h"
#include "model/sim/time.h"

namespace tahoma::sim {

enum class Change : std::uint8_t { kAdd, kSubtract, kSet };
enum class Compare : std::uint8_t { kGe, kEq };

struct Condition {
  unsigned semaphore = 0;
  Compare compare = Compare::kGe;
  std::int64_t value = 0;
};

// The time at which a condition holds and the origin of the change: one of the kWait... stall reasons, and
// the change's cause for observers (model/base/activity.h).
struct Satisfied {
  base::Time when;
  base::StallReason raiser;
  std::uint64_t cause = 0;
};

// A change of a semaphore that becomes visible at a time, now or later.
struct Posting {
  unsigned semaphore = 0;
  Change change = Change::kAdd;
  std::int64_t value = 0;
  base::Time visible{0};
  base::StallReason raiser = base::StallReason::kDispatch;
  std::uint64_t cause = 0;
};

// A component that waits on a semaphore and is notified of changes.
struct Watcher {
  virtual void semaphore_changed() = 0;

 protected:
  ~Watcher() = default;
};

struct SemaphoreIf : virtual sc_core::sc_interface {
  // Posts changes. A waiter is notified of all of them together.
  virtual void post(std::span<const Posting> postings) = 0;
  void post(unsigned semaphore, Change change, std::int64_t value, base::Time visible,
            base::StallReason raiser, std::uint64_t cause = 0) {
    const Posting one{semaphore, change, value, visible, raiser, cause};
    post({&one, 1});
  }
  // Returns the time since which the condition holds at `ready` (now, if that is later), or else the first
  // later time at which it will hold, as far as is known. All changes posted up to `ready` count, including
  // those that undo the condition.
  virtual std::optional<Satisfied> when(const Condition& condition, base::Time ready = {0}) = 0;
  virtual void watch(unsigned semaphore, Watcher* watcher) = 0;
  virtual void unwatch(unsigned semaphore, Watcher* watcher) = 0;
  virtual std::int64_t value(unsigned semaphore) = 0;  // visible now
  // Returns the value after all posted changes, which stays if nothing else happens.
  virtual std::int64_t last_value(unsigned semaphore) = 0;
};

class SemaphoreFile : public sc_core::sc_module, public SemaphoreIf {
 public:
  // `meter` may be null: then no observer receives the changes.
  explicit SemaphoreFile(sc_core::sc_module_name name, std::uint32_t core = 0, const Meter* meter = nullptr)
      : sc_module(name), core_(core), meter_(meter) {}

  using SemaphoreIf::post;
  void post(std::span<const Posting> postings) override;
  std::optional<Satisfied> when(const Condition& condition, base::Time ready = {0}) override;
  void watch(unsigned semaphore, Watcher* watcher) override;
  void unwatch(unsigned semaphore, Watcher* watcher) override;
  std::int64_t value(unsigned semaphore) override;
  std::int64_t last_value(unsigned semaphore) override;

 private:
  struct Past {
    base::Time when;
    base::StallReason raiser;
    std::int64_t value;
    std::uint64_t cause;
  };
  // The last few visible values are kept, so that a late waiter learns when its condition became true. A
  // condition older than the window is reported at the window's oldest time, which is longer ago than any
  // wake-up latency.
  static constexpr std::size_t kPast = 8;
  struct Semaphore {
    std::int64_t value = 0;
    std::uint64_t changes = 0;     // past changes, of which the last few are kept
    std::vector<Posting> pending;  // by (visible, order of posting)
    std::vector<Watcher*> watchers;
    std::array<Past, kPast> past{};  // the n-th change at n modulo kPast
  };
  void settle(Semaphore& s);
  void enter(const Posting& posting);
  static std::int64_t apply(std::int64_t value, const Posting& p);
  static std::optional<Satisfied> held_since(const Semaphore& s, const Condition& condition);

  std::uint32_t core_;
  const Meter* meter_;
  std::vector<Semaphore> semaphores_{256};
};

}  // namespace tahoma::sim
