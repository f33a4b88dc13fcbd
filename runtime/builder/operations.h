// SPDX-License-Identifier: Apache-2.0
// The operations of a kernel in program order. Kernels are unrolled loops over few buffers, so that most
// operations are repetitions, and so are those of the ranks of a group: equal ones are held once, and what a
// kernel holds of its own for each is its number. 512 kernels of 30,000 operations take megabytes instead of
// ten gigabytes, whose first touch alone would take a host longer than scheduling them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/builder/scheduler.h"

namespace tahoma::runtime {

// Operations that differ from each other, by number. What has a number never changes.
class OperationKinds {
 public:
  std::uint32_t number_of(const Op& op);
  const Op& operator[](std::uint32_t number) const { return kinds_[number].op; }

 private:
  static constexpr std::uint32_t kLast = ~0U;
  struct Kind {
    Op op;
    std::uint32_t next = kLast;  // of the same hash
  };
  std::deque<Kind> kinds_;
  std::unordered_map<std::uint64_t, std::uint32_t> first_;  // by hash
};

class Operations {
 public:
  // Kernels that do alike may share `kinds`; not while they are appended to by several threads.
  explicit Operations(std::shared_ptr<OperationKinds> kinds = std::make_shared<OperationKinds>())
      : kinds_(std::move(kinds)) {}

  explicit Operations(const std::vector<Op>& ops) : Operations() {
    for (const Op& op : ops) append(op);
  }

  std::size_t size() const { return places_.size() + (open_ ? 1 : 0); }
  const Op& operator[](std::size_t i) const {
    return i < places_.size() ? (*kinds_)[places_[i].kind] : newest_;
  }
  // The region of the program that the operation belongs to, 0 for none, n for the n-th; and the visit of any
  // region, counted in program order.
  std::uint16_t region(std::size_t i) const { return i < places_.size() ? places_[i].region : at_.region; }
  std::uint32_t visit(std::size_t i) const { return i < places_.size() ? places_[i].visit : at_.visit; }

  // What is appended from now on belongs to this region.
  void enter(std::uint16_t region) {
    if (region != region_) ++visit_;
    region_ = region;
  }
  // The newest operation, which may change until the next one is appended.
  Op& append(Op op = {});
  Op& newest() { return newest_; }
  // Changes an earlier one.
  template <class Change>
  void change(std::size_t i, Change&& change) {
    if (i == places_.size()) return change(newest_);
    Op op = (*this)[i];
    change(op);
    places_[i].kind = kinds_->number_of(op);
  }

 private:
  struct Place {
    std::uint32_t kind = 0, visit = 0;
    std::uint16_t region = 0;
  };
  std::shared_ptr<OperationKinds> kinds_;
  std::vector<Place> places_;
  bool open_ = false;  // there is a newest one, which has no number yet
  Op newest_;
  Place at_;  // of the newest
  std::uint16_t region_ = 0;
  std::uint32_t visit_ = 0;
};

}  // namespace tahoma::runtime
