// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/flash_memory.h"

#include <algorithm>
#include <string>

#include "workloads/attention/flash_lse.h"
#include "workloads/common/ceil_div.h"
#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

// Loads never wait behind a store that waits for its tile.
constexpr isa::Queue kStores = isa::Queue::kGpSimd;
constexpr isa::DType kFp32 = isa::DType::kFp32, kBf16 = isa::DType::kBf16;

// Copies of tiles that a step keeps for later stages, and of tiles that only its own round uses.
constexpr unsigned kOfStep = kFlashStepsInFlight + 2, kOfRound = 4;

struct PoolSize {
  const char* name;
  isa::DType dtype;
  unsigned columns, copies;
};

struct PoolSizes {
  PoolSize queries, maxima, row_max, columns, corrections, rows, probabilities, outputs, inverses, results;

  PoolSizes(const FlashShape& shape, const FlashTiling& t, unsigned pieces)
      : queries{"queries", shape.dtype, t.group_rows(),
                static_cast<unsigned>(kOfStep * flash_parts(shape, t.d_rows).size())},
        maxima{"maxima", kFp32, t.group_tiles * pieces, kOfRound},
        row_max{"tops", kBf16, t.group_tiles, kOfStep},
        columns{"columns", kFp32, t.group_tiles, 2 * kOfStep},
        corrections{"corrections", kFp32, t.group_tiles, kOfStep},
        rows{"rows", kBf16, t.group_rows(), kOfStep},
        probabilities{"probabilities", shape.dtype, t.group_rows(), 2 * t.quad + 2},
        outputs{"outputs", kFp32, t.group_tiles * t.value_pitch, 3},
        inverses{"inverses", kFp32, 1, kOfRound},
        results{"results", shape.dtype, static_cast<unsigned>(shape.values()), kOfRound} {}

  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const PoolSize* size : {&queries, &maxima, &row_max, &columns, &corrections, &rows, &probabilities,
                                 &outputs, &inverses, &results})
      sum += size->copies * aligned(std::uint64_t{size->columns} * isa::size_of(size->dtype));
    return sum;
  }
};

unsigned pieces_of(const FlashTiling& tiling) {
  return static_cast<unsigned>(ceil_div(tiling.block_keys(), tiling.score_keys));
}

}  // namespace

// Counts the bytes beside the pools: masks, the ones from which they and the identity are made, and the row
// of -1.
std::uint64_t FlashMemory::working_bytes(const FlashShape& shape, const FlashTiling& tiling) {
  const std::uint64_t tiles = edges_of(shape, tiling.q_rows, tiling.chunk).size() + 3;
  const std::uint64_t bounded =
      shape.cap > 0 ? kOfRound * aligned(std::uint64_t{tiling.group_rows()} * isa::size_of(kFp32)) : 0;
  return bounded + PoolSizes(shape, tiling, pieces_of(tiling)).bytes() +
         tiles * aligned(std::uint64_t{tiling.chunk} * 2) + (shape.lse ? FlashLse::bytes(tiling) : 0) +
         FlashAddedMasks::bytes(shape, tiling);
}

FlashMemory::FlashMemory(Kernel& kernel, const FlashShape& shape, const FlashTiling& tiling,
                         const model::MachineParams& machine, const FlashViews& views)
    : kernel_(kernel),
      shape_(shape),
      tiling_(tiling),
      views_(views),
      minus_one_(kernel.take(kernel.sbuf("minus_one", kBf16, tiling.chunk), lane_partitions(), tiling.chunk)),
      masks_(kernel, edges_of(shape, tiling.q_rows, tiling.chunk), tiling.q_rows, tiling.chunk,
             shape.cap > 0),
      added_(kernel, shape, tiling, views),
      blocks_(kernel, shape, tiling, views,
              machine.chip.core.sbuf.usable.count -
                  std::min(machine.chip.core.sbuf.usable.count, working_bytes(shape, tiling))) {
  kernel.memset(minus_one_, -1.0F, isa::Queue::kVector);
  make_pools();
  make_products();
}

void FlashMemory::make_pools() {
  const PoolSizes sizes(shape_, tiling_, pieces());
  const auto make = [&](const PoolSize& size) {
    return kernel_.sbuf(size.name, size.dtype, size.columns, size.copies);
  };
  if (shape_.cap > 0) bounded_ = kernel_.sbuf("bounded scores", kFp32, tiling_.group_rows(), kOfRound);
  const PoolSize& results = sizes.results;
  queries_ = make(sizes.queries);
  maxima_ = make(sizes.maxima);
  row_max_ = make(sizes.row_max);
  columns_ = make(sizes.columns);
  corrections_ = make(sizes.corrections);
  rows_ = make(sizes.rows);
  probabilities_ = make(sizes.probabilities);
  outputs_ = make(sizes.outputs);
  inverses_ = make(sizes.inverses);
  results_ = kernel_.sbuf(results.name, views_.o.dtype, results.columns, results.copies);
  scores_ = kernel_.psum("scores", kFp32, tiling_.score_keys, tiling_.score_banks);
  transposed_ = kernel_.psum("transposed", kFp32, tiling_.group_rows(), tiling_.quad);
}

// Tiles alternate between banks, so that one is read while its neighbour is still accumulated.
void FlashMemory::make_products() {
  const unsigned in_bank = tiling_.outputs_per_bank, columns = static_cast<unsigned>(shape_.values()) + 1;
  const unsigned banks = in_bank == 0 ? tiling_.group_tiles : ceil_div(tiling_.group_tiles, in_bank);
  const unsigned tiles = ceil_div(tiling_.group_tiles, banks);
  const Pool pool = kernel_.psum("products", kFp32, tiles * columns, banks);
  for (unsigned b = 0; b < banks; ++b)
    products_.push_back(kernel_.take(pool, tiling_.q_rows, tiles * columns));
}

TileView FlashMemory::product(const FlashTile& tile) const {
  const auto banks = static_cast<unsigned>(products_.size());
  const unsigned columns = static_cast<unsigned>(shape_.values()) + 1;
  return products_[tile.index % banks]
      .partitions(0, tile.rows)
      .columns(tile.index / banks * columns, columns);
}

unsigned FlashMemory::pieces() const { return pieces_of(tiling_); }

unsigned FlashMemory::lane_partitions() const { return (tiling_.lanes - 1) * kLanePartitions + 1; }

TileView FlashMemory::minus_one(unsigned lane, unsigned keys) const {
  return minus_one_.partitions(lane * kLanePartitions, 1).columns(0, keys);
}

TileView FlashMemory::row_of_lane(const TileView& row, unsigned lane) {
  return row.partitions(lane * kLanePartitions, 1);
}

std::vector<TileView> FlashMemory::load_queries(const FlashStep& step) {
  std::vector<TileView> parts;
  for (const FlashPart& part : flash_parts(shape_, tiling_.d_rows)) {
    const unsigned count = part.features.count;
    if (shape_.by_rows) {
      const TileView tile =
          kernel_.take(queries_, count, static_cast<unsigned>(transposed_load_rows(step.rows)));
      const FlashHeadView from = part.shared ? FlashHeadView{views_.q_shared, step.head * shape_.shared_d}
                                             : head_view(views_.q, views_.heads.q, step.head, shape_.own_d());
      parts.push_back(load_transposed_tokens(kernel_, tile, from.view, {step.query, step.rows},
                                             {from.column + part.features.first, count}));
      continue;
    }
    parts.push_back(kernel_.take(queries_, count, step.rows));
    kernel_.load(parts.back(), views_.q.window(step.head * shape_.own_d() + part.features.first, step.query,
                                               count, step.rows));
  }
  return parts;
}

void FlashMemory::store(const FlashStep& step, const FlashTile& tile, const TileView& result) {
  const std::uint64_t query = step.query + tile.first;
  const FlashHeadView to = shape_.by_rows ? head_view(views_.o, views_.heads.o, step.head, shape_.values())
                                          : FlashHeadView{views_.o, 0};
  const std::uint64_t row = shape_.by_rows ? query : step.head * shape_.q_len + query;
  kernel_.store(to.view.window(row, to.column, tile.rows, shape_.values()), result, kStores);
}

}  // namespace tahoma::workloads
