// SPDX-License-Identifier: Apache-2.0
// Vector clocks: what is known to be complete, whatever the timing. A component is something whose members
// complete in order: the instructions of one queue, or the transfers that one queue rings on one DMA ring. A
// core's own components stand in a dense row; rows of other cores are shared between clocks and copied when
// one of them learns something.
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

// Components come in pairs: the completion of its members has an even number, that they have read what they
// read the odd one behind it. Completion implies the reading.
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
  std::shared_ptr<const Others> others_;  // null: nothing of any other core
};

using SharedClock = std::shared_ptr<const Clock>;

// A clock that grows. What it has handed out never changes.
class Knowledge {
 public:
  explicit Knowledge(std::uint32_t core) : clock_(std::make_shared<Clock>(core)) {}

  const Clock& clock() const { return *clock_; }
  SharedClock snapshot() const { return clock_; }
  bool covers(const Epoch& p) const { return clock_->covers(p); }
  // The completion of something that started with `start` known.
  void learn(const Epoch& p, const Clock& start);
  void learn(const Epoch& p);
  void learn(const Clock& start);

 private:
  Clock& writable();
  std::shared_ptr<Clock> clock_;
};

}  // namespace tahoma::model::check
