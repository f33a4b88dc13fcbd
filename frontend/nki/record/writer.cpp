// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/record/writer.h"

#include <algorithm>

#include "isa/core/dtype.h"

namespace tahoma::runtime::nki {

namespace {

// Whether the elements of a side include the one at a distance from its start. Dimensions nest: none of a
// view's strides is shorter than what the dimensions below it cover.
bool covers(const Side& side, std::int64_t byte) {
  const auto size = static_cast<std::int64_t>(isa::size_of(side.dtype));
  if (byte < side.offset) return false;
  std::int64_t distance = (byte - side.offset) / size;
  Axes axes = side.axes;
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride > b.stride; });
  for (const Axis& axis : axes)
    if (axis.stride > 0) distance -= std::min(distance / axis.stride, axis.count - 1) * axis.stride;
  return distance == 0;
}

}  // namespace

std::string writer_of(const Trace& trace, std::uint32_t storage, std::int64_t byte) {
  std::uint32_t perhaps = isa::kNoLine;
  for (auto entry = trace.entries.rbegin(); entry != trace.entries.rend(); ++entry) {
    std::vector<const Side*> written;
    if (entry->transfer) written.push_back(&entry->transfer->dst);
    if (entry->exchange)
      for (const Side& side : entry->exchange->received) written.push_back(&side);
    if (entry->registers && entry->registers->kind == RegisterWork::Kind::kStore)
      written.push_back(&*entry->registers->word);
    for (const Side* side : written) {
      if (side->storage != storage) continue;
      if (side->dynamic.kind != Dynamic::Kind::kNone)
        perhaps = perhaps == isa::kNoLine ? entry->line : perhaps;
      else if (covers(*side, byte))
        return place_of(trace, entry->line);
    }
  }
  return perhaps == isa::kNoLine ? "" : place_of(trace, perhaps);
}

}  // namespace tahoma::runtime::nki
