// SPDX-License-Identifier: Apache-2.0
#include "isa/core/program.h"

#include <algorithm>
#include <iterator>

namespace tahoma::isa {
namespace {

// The mark that an instruction belongs to, or null.
template <class Mark>
const Mark* mark_of(const std::vector<Mark>& marks, std::uint32_t index) {
  const auto after = std::upper_bound(marks.begin(), marks.end(), index,
                                      [](std::uint32_t at, const Mark& mark) { return at < mark.first; });
  return after == marks.begin() ? nullptr : &*std::prev(after);
}

}  // namespace

std::uint32_t Program::line_at(Queue q, std::uint32_t index) const {
  const LineMark* const mark = mark_of(line_marks[static_cast<std::size_t>(q)], index);
  return mark == nullptr ? kNoLine : mark->line;
}

std::uint32_t Program::filled_at(Queue q, std::uint32_t index) const {
  const FilledMark* const mark = mark_of(filled_marks[static_cast<std::size_t>(q)], index);
  return mark == nullptr ? kNothingNamed : mark->filled;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameLength &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

}  // namespace tahoma::isa
