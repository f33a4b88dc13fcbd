// SPDX-License-Identifier: Apache-2.0
// The records that a machine makes at one instant of simulated time, ordered by chip or switch, and there by
// link. The order of chips, and of ports of a switch, that act at the same instant has no meaning, and
// differs where equal chips are simulated once (model/system/folding). Otherwise the records keep their
// order. So the trace of a folded machine is that of the whole one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
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

  // Sets the source of the simulated time. Without it, all records are of one instant.
  void clock(std::function<base::Time()> now) { now_ = std::move(now); }

  // Adds a record of this instant. Those of an earlier instant are written first, by write(record).
  template <class Write>
  void add(const Record& record, Write&& write) {
    if (const base::Time now = now_ ? now_() : instant_; now != instant_) {
      flush(write);
      instant_ = now;
    }
    records_.emplace_back(std::visit([this](const auto& r) { return this->place_of(r); }, record), record);
  }

  template <class Write>
  void flush(Write&& write) {
    std::stable_sort(records_.begin(), records_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [place, record] : records_) std::visit(write, record);
    records_.clear();
  }

 private:
  using Place =
      std::pair<std::uint64_t, std::string_view>;  // the chip or switch; the link, "" for other records
  Place place_of(const base::LinkActivity& a) const { return {a.chip, a.path}; }
  template <class OfCore>
  Place place_of(const OfCore& a) const {
    return {a.core / cores_per_chip_, ""};
  }

  std::uint64_t cores_per_chip_;
  std::function<base::Time()> now_;
  base::Time instant_{0};
  std::vector<std::pair<Place, Record>> records_;
};

}  // namespace tahoma::runtime
