// SPDX-License-Identifier: Apache-2.0
// Vector clocks: the completions that are known, independently of timing. The members of a component complete
// in order: the instructions of one queue, or the transfers that one queue rings on one DMA ring. A core's
// own components are in a dense row. Rows of other cores are shared between clocks and copied when one of
// them is updated.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tahoma::model::check {

using Count = std::uint32_t;

// "The first `count` members of a component are complete."
struct Epoch {
  std::uint32_t core = 0, component = 0;
  Count count = 0;
  friend bool operator==(const Epoch&, const Epoch&) = default;
};

// Components come in pairs: the even one counts completed members, the odd one behind it counts members that
// have read their sources. Completion implies reading.
constexpr std::uint32_t completion_of(std::uint32_t pair) { return 2 * pair; }
constexpr Epoch read_point(const Epoch& p) { return {p.core, p.component | 1U, p.count}; }

class Clock {
 public:
  explicit Clock(std::uint32_t core) : core_(core) {}

  bool covers(const Epoch& p) const;
  void learn(const Epoch& p);
  void learn(const Clock& other);

 private:
  using Row = std::vector<Count>;
  struct Other {
    std::uint32_t core;
    std::shared_ptr<const Row> row;
  };
  using Others = std::vector<Other>;  // ascending by core
  const Row* row_of(std::uint32_t core) const;
  void learn_row(std::uint32_t core, const std::shared_ptr<const Row>& row);
  void learn_others(const Others& list);
  static void raise(Row& row, const Row& by);
  static std::shared_ptr<const Row> join(const std::shared_ptr<const Row>& a,
                                         const std::shared_ptr<const Row>& b);

  std::uint32_t core_;
  Row own_;
  std::shared_ptr<const Others> others_;  // null: nothing is known of other cores
};

using SharedClock = std::shared_ptr<const Clock>;

// A clock that grows. Snapshots that it has returned never change.
class Knowledge {
 public:
  explicit Knowledge(std::uint32_t core) : clock_(std::make_shared<Clock>(core)) {}

  const Clock& clock() const { return *clock_; }
  SharedClock snapshot() const { return clock_; }
  bool covers(const Epoch& p) const { return clock_->covers(p); }
  // The completion of a member that started when `start` was known.
  void learn(const Epoch& p, const Clock& start);
  void learn(const Epoch& p);
  void learn(const Clock& start);

 private:
  Clock& writable();
  std::shared_ptr<Clock> clock_;
};

}  // namespace tahoma::model::check
