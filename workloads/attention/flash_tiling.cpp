// SPDX-License-Identifier: Apache-2.0
// The division of flash attention on a machine. PSUM holds three kinds of tiles at the same time: scores for
// maxima, transposed scores for exponentials, and the products of a group of queries.
#include <algorithm>
#include <cmath>

#include "workloads/attention/flash_blocks.h"
#include "workloads/attention/flash_kernel.h"
#include "workloads/attention/flash_memory.h"
#include "workloads/common/ceil_div.h"

namespace tahoma::workloads {

namespace {

constexpr unsigned kMostTiles = 4, kMostLanes = 4, kMostQuads = 8;

unsigned narrow(std::uint64_t n) { return static_cast<unsigned>(n); }

unsigned output_banks(const FlashTiling& tiling, unsigned columns, unsigned bank) {
  if (tiling.outputs_per_bank == 0) return tiling.group_tiles * ceil_div(columns, bank);
  return ceil_div(tiling.group_tiles, tiling.outputs_per_bank);
}

bool fits(const FlashTiling& tiling, const FlashShape& shape, const model::MachineParams& machine) {
  return FlashMemory::working_bytes(shape, tiling) +
             (kFlashStepsInFlight + 1) * FlashBlocks::bytes_of(shape, tiling) <=
         machine.chip.core.sbuf.usable.count;
}

// As many chunks per block as SBUF has room for, up to kMostQuads times those in flight. If not even one
// fits, groups of queries become smaller.
void fit_sbuf(FlashTiling& tiling, const FlashShape& shape, const model::MachineParams& machine) {
  tiling.block_chunks = kMostQuads * tiling.quad;
  while (tiling.block_chunks > 1 && !fits(tiling, shape, machine)) tiling.block_chunks /= 2;
  while (tiling.group_tiles > 1 && !fits(tiling, shape, machine)) tiling.group_tiles /= 2;
}

}  // namespace

float FlashShape::score_scale() const {
  return scale > 0 ? scale : static_cast<float>(1 / std::sqrt(static_cast<double>(d)));
}

FlashHeadView head_view(runtime::HbmView view, const std::vector<std::uint64_t>& heads, std::uint64_t head,
                        std::uint64_t own) {
  if (heads.empty()) return {view, head * own};
  view.offset += heads.at(head) * isa::size_of(view.dtype);
  return {view, 0};
}

std::vector<FlashPart> flash_parts(const FlashShape& shape, unsigned d_rows) {
  std::vector<FlashPart> parts;
  for (const Range& features : cut(all_of(shape.own_d()), d_rows)) parts.push_back({features, false});
  for (const Range& features : cut(all_of(shape.shared_d), d_rows)) parts.push_back({features, true});
  return parts;
}

FlashTiling tiling_of(const model::MachineParams& machine, const FlashShape& shape) {
  const auto& core = machine.chip.core;
  const auto& tensor = core.tensor;
  const unsigned bank = narrow(core.psum.bank.count / sizeof(float));
  const unsigned banks = narrow(core.psum.per_partition.count / core.psum.bank.count);
  FlashTiling tiling{};
  tiling.score_keys = narrow(std::min<std::uint64_t>(tensor.moving_columns, bank));
  tiling.chunk = narrow(std::min({tensor.rows, tensor.columns, core.sbuf.partitions}));
  tiling.q_rows = std::min(tiling.chunk, tiling.score_keys);
  tiling.d_rows = narrow(std::min(tensor.rows, core.sbuf.partitions));
  tiling.d_columns = tiling.score_keys;
  tiling.lanes = std::clamp(tiling.chunk / kLanePartitions, 1U, kMostLanes);
  const unsigned columns = narrow(shape.values()) + 1;
  tiling.value_pitch = columns + columns % 2;
  tiling.outputs_per_bank = columns > tiling.score_keys ? 0 : bank / columns;
  tiling.group_tiles = std::clamp(tiling.score_keys / tiling.q_rows, 1U, kMostTiles);
  while (tiling.group_tiles > 1 && output_banks(tiling, columns, bank) + 2 > banks) tiling.group_tiles /= 2;
  const unsigned left = banks - std::min(banks, output_banks(tiling, columns, bank));
  tiling.score_banks = left >= 4 ? 2 : 1;
  tiling.quad = std::clamp(left - std::min(left, tiling.score_banks), 1U, kMostLanes);
  fit_sbuf(tiling, shape, machine);
  return tiling;
}

}  // namespace tahoma::workloads
