// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/array/lock_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::rtl {
namespace {

constexpr std::size_t kRemembered = 8;  // rows of each history
constexpr unsigned kShown = 4;          // columns

template <class Queue, class Item>
void keep(Queue& queue, Item item) {
  queue.push_back(std::move(item));
  if (queue.size() > kRemembered) queue.pop_front();
}

const char* word(bool value) { return value ? "yes" : "no"; }

}  // namespace

LockStep::LockStep(ArrayGates& gates, std::string place)
    : gates_(gates), law_({gates.rows(), gates.columns()}), place_(std::move(place)) {}

const ArrayOutputs& LockStep::step(const ArrayInputs& in) {
  const ArrayOutputs law = law_.answer(in);
  const ArrayOutputs& gates = gates_.answer(in);
  remember(in, law, gates);
  if (const std::string difference = what_differs(in, law, gates); !difference.empty()) stop(difference);
  if (law.result_valid && in.result_ready) ++compared_;
  law_.clock(in);
  gates_.clock();
  return gates;
}

void LockStep::remember(const ArrayInputs& in, const ArrayOutputs& law, const ArrayOutputs& gates) {
  if (in.moving != nullptr && law.moving_ready) keep(entered_, Entered{rows_in_++, cycle()});
  if (law.result_valid && in.result_ready) keep(by_law_, Left{left_by_law_++, cycle(), law.result});
  if (gates.result_valid && in.result_ready) keep(by_gates_, Left{left_by_gates_++, cycle(), gates.result});
}

std::string LockStep::what_differs(const ArrayInputs& in, const ArrayOutputs& law,
                                   const ArrayOutputs& gates) {
  const auto differ = [](const char* what, bool by_law, bool by_gates) {
    return fmt::format("{}: {} in the law, {} in the RTL", what, word(by_law), word(by_gates));
  };
  if (law.result_valid != gates.result_valid)
    return differ("a row leaves", law.result_valid, gates.result_valid);
  if (law.moving_ready != gates.moving_ready)
    return differ("ready for a moving row", law.moving_ready, gates.moving_ready);
  if (in.weights != nullptr && law.weight_ready != gates.weight_ready)  // it depends on the offered bank
    return differ("ready for weights", law.weight_ready, gates.weight_ready);
  const ArrayLaw::Row* row = law_.leaving();
  for (unsigned c = 0; row != nullptr && c < row->columns; ++c) {
    shown_column_ = row->column + c;
    const std::uint32_t by_law = law.result[shown_column_], by_gates = gates.result[shown_column_];
    if (by_law != by_gates)
      return fmt::format("row {}, column {}: {:08x} in the law, {:08x} in the RTL", row->number,
                         shown_column_, by_law, by_gates);
  }
  return "";
}

void LockStep::stop(const std::string& difference) {
  const unsigned columns = gates_.columns(), last = std::min(columns, shown_column_ + kShown);
  const unsigned first = last - std::min(last, kShown);
  const auto history = [&](const char* whose, const std::deque<Left>& left) {
    std::string text = fmt::format("\n  {}, columns {}..{}:", whose, first, last - 1);
    for (const Left& row : left) {
      text += fmt::format("\n    row {} out in cycle {}:", row.row, row.cycle);
      for (unsigned c = first; c < last; ++c) text += fmt::format(" {:08x}", row.sums[c]);
    }
    return text + (left.empty() ? " no row has left" : "");
  };
  std::string text =
      fmt::format("the array of {}x{} and its law differ in cycle {}: {}\n  moving rows:", gates_.rows(),
                  columns, cycle(), difference);
  for (const Entered& row : entered_) text += fmt::format(" {} in cycle {};", row.row, row.cycle);
  throw base::UserError("E-RTL-002", place_, text + history("law", by_law_) + history("RTL", by_gates_),
                        base::ExitStatus::kCheckFailed);
}

}  // namespace tahoma::rtl
