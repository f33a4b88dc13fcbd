// SPDX-License-Identifier: Apache-2.0
// The records that a machine makes at one instant of simulated time, ordered by chip. Chips that act at the same instant do so in
// no order that has a meaning, and in another one where equal chips are simulated once (model/system/folding). The records of one
// chip keep their order. So the trace of a folded machine is that of the whole one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/activity.h"

namespace tahoma::runtime {

class SimultaneousRecords {
 public:
  using Record = std::variant<base::InstructionActivity, base::StretchActivity, base::TransferActivity,
                              base::RingActivity, base::LinkActivity>;

  explicit SimultaneousRecords(std::uint64_t cores_per_chip) : cores_per_chip_(cores_per_chip) {}

  // What tells the simulated time. Without it, all records are of one instant.
  void clock(std::function<base::Time()> now) { now_ = std::move(now); }

  // Adds a record of this instant. Those of an earlier instant are written first, by write(record).
  template <class Write>
  void add(const Record& record, Write&& write) {
    if (const base::Time now = now_ ? now_() : instant_; now != instant_) {
      flush(write);
      instant_ = now;
    }
    const std::uint64_t chip = std::visit([this](const auto& r) { return this->chip_of(r); }, record);
    records_.emplace_back(chip, record);
  }

  template <class Write>
  void flush(Write&& write) {
    std::stable_sort(records_.begin(), records_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [chip, record] : records_) std::visit(write, record);
    records_.clear();
  }

 private:
  std::uint64_t chip_of(const base::LinkActivity& a) const { return a.chip; }
  template <class OfCore>
  std::uint64_t chip_of(const OfCore& a) const {
    return a.core / cores_per_chip_;
  }

  std::uint64_t cores_per_chip_;
  std::function<base::Time()> now_;
  base::Time instant_{0};
  std::vector<std::pair<std::uint64_t, Record>> records_;
};

}  // namespace tahoma::runtime
