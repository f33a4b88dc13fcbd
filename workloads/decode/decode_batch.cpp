// SPDX-License-Identifier: Apache-2.0
#include "workloads/decode/decode_batch.h"

#include <algorithm>

namespace tahoma::workloads {

DecodeBatch batch_of(const DecodeShape& shape, const DecodeTiling& tiling, std::uint64_t sequence) {
  const std::uint64_t sequences = shape.lengths.size(), together = tiling.chunk / shape.group,
                      begin = shape.by_rows ? sequence / sequences * sequences : 0,
                      end = shape.by_rows ? begin + sequences : shape.kv_heads * sequences,
                      place = (sequence - begin) % together, first = sequence - place;
  return {first, static_cast<unsigned>(place), static_cast<unsigned>(std::min(together, end - first))};
}

runtime::HbmView rows_of(const DecodeShape& shape, const DecodeBatch& batch, const runtime::HbmView& view,
                         std::uint64_t features) {
  const std::uint64_t sequences = shape.lengths.size(), columns = row_columns(shape, features);
  if (!shape.by_rows) return view.window(batch.first * shape.group, 0, batch.count * shape.group, columns);
  return view.window(batch.first % sequences, batch.first / sequences * columns, batch.count, columns);
}

unsigned rows_of(const DecodeShape& shape, const DecodeBatch& batch) {
  return static_cast<unsigned>(shape.by_rows ? batch.count : batch.count * shape.group);
}

unsigned row_columns(const DecodeShape& shape, std::uint64_t features) {
  return static_cast<unsigned>(shape.by_rows ? shape.group * features : features);
}

runtime::TileView of_sequence(const DecodeShape& shape, const DecodeBatch& batch,
                              const runtime::TileView& columns) {
  const auto group = static_cast<unsigned>(shape.group);
  return shape.by_rows ? columns.every(batch.place, batch.count)
                       : columns.columns(batch.place * group, group);
}

}  // namespace tahoma::workloads
