// SPDX-License-Identifier: Apache-2.0
#include "isa/table_fields.h"

#include <algorithm>
#include <limits>

namespace tahoma::isa {
namespace {

template <class Stride, class Count>
DefaultStrides<Stride> contiguous(const std::array<Count, kFreeDims>& count) {
  DefaultStrides<Stride> result;
  std::int64_t inner = 1;
  for (std::size_t d = kFreeDims; d-- > 0;) {
    const std::int64_t stride = d + 1 == kFreeDims || count[d] != 1 ? inner : 0;
    if (stride > std::numeric_limits<Stride>::max()) return {{}, false};
    result.stride[d] = static_cast<Stride>(stride);
    inner *= count[d];
  }
  return result;
}

}  // namespace

const Field* find_field(const OpRow& row, FieldKind kind) {
  const auto field =
      std::find_if(row.fields.begin(), row.fields.end(), [&](const Field& f) { return f.kind == kind; });
  return field == row.fields.end() ? nullptr : &*field;
}

DefaultStrides<std::int16_t> default_strides(FieldKind kind, const Instruction& instruction) {
  if (kind == FieldKind::kReduceResult) return {};  // a column: one element per partition
  auto count = instruction.shape.count;
  if (kind == FieldKind::kReducedDst)
    for (std::size_t d = 0; d < kFreeDims; ++d)
      if (d + instruction.axes >= kFreeDims) count[d] = 1;
  return contiguous<std::int16_t>(count);
}

DefaultStrides<std::int32_t> default_strides(const DmaSide& side, const Descriptor& descriptor) {
  auto count = descriptor.count;
  if (side.space != Space::kHbm) count[0] = 1;
  return contiguous<std::int32_t>(count);
}

}  // namespace tahoma::isa
