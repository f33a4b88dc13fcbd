// SPDX-License-Identifier: Apache-2.0
#include "model/check/clock.h"

#include <algorithm>

namespace tahoma::model::check {

const Clock::Row* Clock::row_of(std::uint32_t core) const {
  if (core == core_) return &own_;
  if (!others_) return nullptr;
  const auto at = std::lower_bound(others_->begin(), others_->end(), core,
                                   [](const Other& o, std::uint32_t c) { return o.core < c; });
  return at != others_->end() && at->core == core ? at->row.get() : nullptr;
}

bool Clock::covers(const Epoch& p) const {
  const Row* row = row_of(p.core);
  return row != nullptr && p.component < row->size() && (*row)[p.component] >= p.count;
}

void Clock::raise(Row& row, const Row& by) {
  if (row.size() < by.size()) row.resize(by.size(), 0);
  for (std::size_t i = 0; i < by.size(); ++i) row[i] = std::max(row[i], by[i]);
}

// Returns one of the two clocks itself if it holds everything of the other.
std::shared_ptr<const Clock::Row> Clock::join(const std::shared_ptr<const Row>& a,
                                              const std::shared_ptr<const Row>& b) {
  if (a == b) return a;
  Row row = *a;
  raise(row, *b);
  if (row == *a) return a;
  if (row == *b) return b;
  return std::make_shared<const Row>(std::move(row));
}

void Clock::learn(const Epoch& p) {
  if (p.core == core_) {
    if (own_.size() <= p.component) own_.resize(p.component + 1, 0);
    own_[p.component] = std::max(own_[p.component], p.count);
    return;
  }
  if (covers(p)) return;
  Row row(p.component + 1, 0);
  row[p.component] = p.count;
  learn_row(p.core, std::make_shared<const Row>(std::move(row)));
}

void Clock::learn_row(std::uint32_t core, const std::shared_ptr<const Row>& row) {
  learn_others({{core, row}});
}

void Clock::learn_others(const Others& list) {
  auto merged = std::make_shared<Others>();
  const Others none;
  const Others& mine = others_ ? *others_ : none;
  merged->reserve(mine.size() + list.size());
  auto a = mine.begin();
  for (const Other& b : list) {
    if (b.core == core_) {
      raise(own_, *b.row);
      continue;
    }
    while (a != mine.end() && a->core < b.core) merged->push_back(*a++);
    if (a != mine.end() && a->core == b.core)
      merged->push_back({b.core, join((a++)->row, b.row)});
    else
      merged->push_back(b);
  }
  merged->insert(merged->end(), a, mine.end());
  others_ = std::move(merged);
}

void Clock::learn(const Clock& other) {
  if (other.core_ == core_)
    raise(own_, other.own_);
  else if (!other.own_.empty())
    learn_row(other.core_, std::make_shared<const Row>(other.own_));
  if (!other.others_ || other.others_ == others_) return;
  if (!others_ && other.core_ == core_)
    others_ = other.others_;
  else
    learn_others(*other.others_);
}

Clock& Knowledge::writable() {
  if (clock_.use_count() > 1) clock_ = std::make_shared<Clock>(*clock_);
  return *clock_;
}

// Knowledge of a completion includes what was known at its start.
void Knowledge::learn(const Epoch& p, const Clock& start) {
  if (covers(p)) return;
  Clock& clock = writable();
  clock.learn(start);
  clock.learn(p);
}

void Knowledge::learn(const Epoch& p) {
  if (!covers(p)) writable().learn(p);
}

void Knowledge::learn(const Clock& start) { writable().learn(start); }

}  // namespace tahoma::model::check
