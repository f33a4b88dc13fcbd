// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/kernel/gemm_nests.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/base/error.h"
#include "workloads/common/ceil_div.h"
#include "workloads/common/ranges.h"

namespace tahoma::workloads {

namespace {

using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

constexpr unsigned kBlockM = 8, kBlockN = 2;  // tiles of a block
// Pairs of tiles of the naive nest that may be in flight: the number of the scheduler's counters.
constexpr unsigned kOperandsAhead = 8;
constexpr unsigned kResults = 8;  // tiles of C in flight to HBM

unsigned banks_of(const model::CoreParams& core) {
  return static_cast<unsigned>(core.psum.per_partition.count / core.psum.bank.count);
}

// The banks of sums and the tiles from which they are stored.
class Results {
 public:
  Results(Kernel& kernel, const model::CoreParams& core, const GemmShape& shape, const GemmTiles& tiles,
          const HbmView& c)
      : kernel_(kernel),
        c_(c),
        psum_(kernel.psum("sums", isa::DType::kFp32, tiles.nt, banks_of(core))),
        pool_(kernel.sbuf("c", shape.out, tiles.nt, kResults)) {}

  static std::uint64_t bytes(const GemmShape& shape, const GemmTiles& tiles) {
    return kResults * aligned(tiles.nt * isa::size_of(shape.out));
  }
  TileView sum(const Range& rows, const Range& columns) {
    return kernel_.take(psum_, rows.count, columns.count);
  }
  void finish(const TileView& sum, const Range& rows, const Range& columns) {
    const TileView out = kernel_.take(pool_, rows.count, columns.count);
    kernel_.copy(out, sum, isa::Queue::kVector);
    kernel_.store(c_.window(rows.first, columns.first, rows.count, columns.count), out, isa::Queue::kScalar);
  }

 private:
  Kernel& kernel_;
  HbmView c_;
  Pool psum_, pool_;
};

TileView load(Kernel& kernel, Pool pool, const HbmView& from, const Range& k, const Range& columns) {
  const TileView tile = kernel.take(pool, k.count, columns.count);
  kernel.load(tile, from.window(k.first, columns.first, k.count, columns.count), isa::Queue::kSync);
  return tile;
}

// All of K of some columns in SBUF: pieces of those columns, each as tiles of K.
struct Block {
  Range columns;
  unsigned piece = 0;                        // columns of a piece
  std::vector<std::vector<TileView>> tiles;  // [piece][k]

  TileView part(std::size_t k, const Range& wanted) const {
    const auto offset = static_cast<unsigned>(wanted.first - columns.first);
    return tiles[offset / piece][k].columns(offset % piece, wanted.count);
  }
};

struct Operand {
  const char* name;
  HbmView view;
  unsigned block, piece;  // columns
  Pool pool;

  std::uint64_t tiles(std::size_t k_tiles) const { return k_tiles * ((block + piece - 1) / piece); }
  std::uint64_t step() const { return aligned(piece * isa::size_of(view.dtype)); }
};

Block load_block(Kernel& kernel, const Operand& operand, const std::vector<Range>& k_tiles,
                 const Range& columns) {
  Block block{columns, operand.piece, {}};
  for (const Range& piece : cut(columns, operand.piece)) {
    std::vector<TileView>& tiles = block.tiles.emplace_back();
    for (const Range& k : k_tiles) tiles.push_back(load(kernel, operand.pool, operand.view, k, piece));
  }
  return block;
}

// A block of each, and a second one of b, which changes most often; the rest is for the next block of a.
void make_pools(Kernel& kernel, std::uint64_t room, std::size_t k_tiles, Operand& a, Operand& b) {
  const std::uint64_t a_tiles = a.tiles(k_tiles), b_tiles = b.tiles(k_tiles);
  const std::uint64_t need = a_tiles * a.step() + b_tiles * b.step();
  if (need > room)
    throw base::UserError(
        "E-RUN-024", "workload.kernel",
        fmt::format("blocks of {} columns of a and {} of b, all of K, take {} bytes of each "
                    "SBUF partition, {} are left; kernel 'chosen' cuts K as well",
                    a.block, b.block, need, room));
  const std::uint64_t b_copies = std::min(2 * b_tiles, (room - a_tiles * a.step()) / b.step());
  const std::uint64_t a_copies = std::min(2 * a_tiles, (room - b_copies * b.step()) / a.step());
  a.pool = kernel.sbuf(a.name, a.view.dtype, a.piece, static_cast<unsigned>(a_copies));
  b.pool = kernel.sbuf(b.name, b.view.dtype, b.piece, static_cast<unsigned>(b_copies));
}

// Tiles of C that accumulate side by side.
void emit_group(Kernel& kernel, Results& results, const std::vector<Range>& ms, const std::vector<Range>& ns,
                const Block& a, const Block& b) {
  std::vector<TileView> sums;
  for (const Range& m : ms)
    for (const Range& n : ns) sums.push_back(results.sum(m, n));
  for (std::size_t k = 0; k < a.tiles.front().size(); ++k) {
    std::size_t sum = 0;
    for (const Range& m : ms)
      for (const Range& n : ns) kernel.matmul(sums[sum++], a.part(k, m), b.part(k, n), k > 0);
  }
  std::size_t sum = 0;
  for (const Range& m : ms)
    for (const Range& n : ns) results.finish(sums[sum++], m, n);
}

unsigned at_most(std::uint64_t wanted, std::uint64_t size) {
  return static_cast<unsigned>(std::min(wanted, size));
}

}  // namespace

void emit_naive(Kernel& kernel, const model::MachineParams& machine, const GemmShape& shape,
                const GemmViews& views) {
  const GemmTiles tiles = largest_tiles(machine.chip.core);
  const Pool as = kernel.sbuf("a", shape.dtype, tiles.mt, kOperandsAhead),
             bs = kernel.sbuf("b", shape.dtype, tiles.nt, kOperandsAhead);
  Results results(kernel, machine.chip.core, shape, tiles, views.c);
  for (const Range& m : cut(all_of(shape.m), tiles.mt))
    for (const Range& n : cut(all_of(shape.n), tiles.nt)) {
      const TileView sum = results.sum(m, n);
      for (const Range& k : cut(all_of(shape.k), tiles.kt)) {
        const TileView a = load(kernel, as, views.a, k, m), b = load(kernel, bs, views.b, k, n);
        kernel.matmul(sum, a, b, k.first > 0);
      }
      results.finish(sum, m, n);
    }
}

void emit_blocked(Kernel& kernel, const model::MachineParams& machine, const GemmShape& shape,
                  const GemmViews& views, const BlockNest& nest) {
  const model::CoreParams& core = machine.chip.core;
  if (nest.group_m * nest.group_n > banks_of(core))
    throw base::UserError(
        "E-RUN-024", "workload.kernel",
        fmt::format("groups of {} x {} tiles, PSUM has {} banks; kernel 'chosen' takes what "
                    "there is",
                    nest.group_m, nest.group_n, banks_of(core)));
  const GemmTiles tiles = largest_tiles(core);
  const std::vector<Range> k_tiles = cut(all_of(shape.k), tiles.kt);
  const bool rows = nest.loads == BlockLoads::kRows;
  const unsigned block_m = at_most(std::uint64_t{kBlockM} * tiles.mt, shape.m),
                 block_n = at_most(std::uint64_t{kBlockN} * tiles.nt, shape.n);
  Operand a{"a", views.a, block_m, rows ? block_m : at_most(tiles.mt, shape.m), {}};
  Operand b{"b", views.b, block_n, rows ? block_n : at_most(tiles.nt, shape.n), {}};
  const std::uint64_t for_results = std::min(core.sbuf.usable.count, Results::bytes(shape, tiles));
  make_pools(kernel, core.sbuf.usable.count - for_results, k_tiles.size(), a, b);
  Results results(kernel, core, shape, tiles, views.c);
  for (const Range& m_block : cut(all_of(shape.m), block_m)) {
    const Block a_block = load_block(kernel, a, k_tiles, m_block);
    for (const Range& n_block : cut(all_of(shape.n), block_n)) {
      const Block b_block = load_block(kernel, b, k_tiles, n_block);
      for (const Range& m_group : cut(m_block, nest.group_m * tiles.mt))
        for (const Range& n_group : cut(n_block, nest.group_n * tiles.nt))
          emit_group(kernel, results, cut(m_group, tiles.mt), cut(n_group, tiles.nt), a_block, b_block);
    }
  }
}

}  // namespace tahoma::workloads
