// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/lowering/stopwatch.h"

#include <algorithm>

namespace tahoma::runtime::collective {

void Stopwatch::expect(std::uint32_t core, const isa::Program& program) {
  marks_.resize(std::max(marks_.size(), key(core + 1, 0)));
  for (const isa::Queue queue : {isa::Queue::kCc0, isa::Queue::kCc1}) {
    const isa::Stream& stream = program.stream(queue);
    std::vector<Mark>& marks = marks_[key(core, static_cast<std::uint8_t>(queue))];
    for (std::size_t i = 0; i < stream.size(); ++i)
      if (stream[i].op == isa::Opcode::kNop) marks.push_back({static_cast<std::uint32_t>(i)});
  }
}

void Stopwatch::instruction(const base::InstructionActivity& activity) {
  const std::size_t queue = key(activity.core, activity.queue);
  if (queue >= marks_.size() || marks_[queue].empty()) return;
  std::vector<Mark>& marks = marks_[queue];
  const auto mark = std::lower_bound(marks.begin(), marks.end(), activity.index,
                                     [](const Mark& m, std::uint32_t index) { return m.index < index; });
  if (mark != marks.end() && mark->index == activity.index) mark->start = activity.start;
}

base::Time Stopwatch::at(const Span& span, std::uint32_t mark) const {
  return marks_.at(key(span.core, static_cast<std::uint8_t>(span.queue))).at(mark).start;
}

}  // namespace tahoma::runtime::collective
