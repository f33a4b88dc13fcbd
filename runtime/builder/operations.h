// SPDX-License-Identifier: Apache-2.0
// The operations of a kernel in program order. Kernels are unrolled loops over few buffers, so most
// operations are repetitions, within a kernel and across the ranks of a group. Equal operations are stored
// once, and a kernel stores only their numbers. 512 kernels of 30,000 operations take megabytes instead of
// ten gigabytes, whose first touch alone would take a host longer than scheduling them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/builder/scheduler.h"

namespace tahoma::runtime {

// Distinct operations, by number. An operation that has a number never changes.
class OperationKinds {
 public:
  std::uint32_t number_of(const Op& op);
  const Op& operator[](std::uint32_t number) const { return kinds_[number].op; }

 private:
  static constexpr std::uint32_t kLast = ~0U;
  struct Kind {
    Op op;
    std::uint32_t next = kLast;  // next operation with the same hash
  };
  std::deque<Kind> kinds_;
  std::unordered_map<std::uint64_t, std::uint32_t> first_;  // by hash
};

class Operations {
 public:
  // Kernels with similar operations may share `kinds`, but not while several threads append to them.
  explicit Operations(std::shared_ptr<OperationKinds> kinds = std::make_shared<OperationKinds>())
      : kinds_(std::move(kinds)) {}

  explicit Operations(const std::vector<Op>& ops) : Operations() {
    for (const Op& op : ops) append(op);
  }

  std::size_t size() const { return occurrences_.size() + (open_ ? 1 : 0); }
  const Op& operator[](std::size_t i) const {
    return i < occurrences_.size() ? (*kinds_)[occurrences_[i].kind] : newest_;
  }
  // The region of the program that the operation belongs to (0: none, n: the n-th), and the number of its
  // visit, counted over all regions in program order.
  std::uint16_t region(std::size_t i) const {
    return i < occurrences_.size() ? occurrences_[i].region : at_.region;
  }
  std::uint32_t visit(std::size_t i) const {
    return i < occurrences_.size() ? occurrences_[i].visit : at_.visit;
  }
  // The source line that the operation was made from: index into the program's lines, or isa::kNoLine.
  std::uint32_t line(std::size_t i) const {
    return i < occurrences_.size() ? occurrences_[i].line : at_.line;
  }

  // Returns what the operation fills on chip: index into the program's `filled`, or isa::kNothingNamed.
  std::uint32_t filled(std::size_t i) const {
    return i < occurrences_.size() ? occurrences_[i].filled : at_.filled;
  }

  // Operations appended from now on belong to this region.
  void enter(std::uint16_t region) {
    if (region != region_) ++visit_;
    region_ = region;
  }
  // Operations appended from now on come from this source line.
  void at_line(std::uint32_t line) { line_ = line; }
  // The newest operation fills these tensors.
  void fills(std::uint32_t filled) { at_.filled = filled; }
  // Returns the newest operation. It may change until the next one is appended.
  Op& append(Op op = {});
  Op& newest() { return newest_; }
  // Changes an earlier operation.
  template <class Change>
  void change(std::size_t i, Change&& change) {
    if (i == occurrences_.size()) return change(newest_);
    Op op = (*this)[i];
    change(op);
    occurrences_[i].kind = kinds_->number_of(op);
  }

 private:
  struct Occurrence {
    std::uint32_t kind = 0, visit = 0;
    std::uint16_t region = 0;
    std::uint32_t line = isa::kNoLine, filled = isa::kNothingNamed;
  };
  std::shared_ptr<OperationKinds> kinds_;
  std::vector<Occurrence> occurrences_;
  bool open_ = false;  // newest_ is valid and has no number yet
  Op newest_;
  Occurrence at_;  // of newest_
  std::uint16_t region_ = 0;
  std::uint32_t visit_ = 0;
  std::uint32_t line_ = isa::kNoLine;
};

}  // namespace tahoma::runtime
