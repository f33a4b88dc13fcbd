// SPDX-License-Identifier: Apache-2.0
#include "workloads/loss/cross_entropy_kernel.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "model/base/error.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr std::uint64_t kBlockBytes = 8192;     // of a row per block: 1 MiB per transfer
constexpr std::uint64_t kKeptBytes = 40 << 10;  // of a partition, for everything except blocks
constexpr std::uint64_t kPassing = 5;           // blocks in addition to the resident ones
constexpr std::uint64_t kTilesTogether = 256;   // tiles that share a logarithm pass: one table of functions

struct Block {
  std::uint64_t column = 0, columns = 0;
  TileView values;  // logits, then exponentials
};

// The state of a tile of rows during its forward and backward pass.
struct Tile {
  std::uint64_t row = 0, rows = 0;
  unsigned place = 0;        // position among the tiles whose logarithms are taken together
  TileView number, chosen;   // the label's position in memory; its logit
  TileView negated;          // minus the running maximum after each block
  std::vector<Block> kept;   // the last blocks of the row
  TileView sum, correction;  // of the previous block: not yet in the total
  std::optional<TileView> total;
  TileView inverse, factors;  // scale / sum; factor of each block's exponentials
};

class CrossEntropyBuilder {
 public:
  CrossEntropyBuilder(Kernel& kernel, const model::MachineParams& machine, const CrossEntropyShape& shape,
                      const CrossEntropyViews& views)
      : kernel_(kernel),
        shape_(shape),
        views_(views),
        height_(machine.chip.core.sbuf.partitions),
        block_(std::min(shape.columns, kBlockBytes / isa::size_of(shape.dtype))),
        blocks_((shape.columns + block_ - 1) / block_) {
    TAHOMA_INVARIANT(views.logits.row_stride == views.gradient.row_stride,
                     "a label's place is the same in logits and gradient");
    make_pools(machine);
  }

  // The gradient of a tile of rows is written while the exponentials of the next are computed, block by
  // block: the vector engine finds maxima for one and scales the other, and transfers go in both directions.
  void emit() {
    std::optional<Tile> before;
    for (std::uint64_t row = 0; row < shape_.rows; row += height_) {
      Tile tile = begin_tile(row);
      for (std::uint64_t b = 0; b < blocks_; ++b) {
        exponentiate(tile, b);
        if (before) write_block(*before, b);
      }
      if (before) correct_labels(*before);
      add_up(tile);
      finish_sum(tile);
      before = tile;
    }
    for (std::uint64_t b = 0; b < blocks_; ++b) write_block(*before, b);
    correct_labels(*before);
    store_part();
  }

 private:
  Pool column_pool(const char* name, unsigned copies) { return kernel_.sbuf(name, DType::kFp32, 1, copies); }

  void make_pools(const model::MachineParams& machine) {
    const std::uint64_t bytes = block_ * isa::size_of(shape_.dtype);
    const std::uint64_t room =
        (machine.chip.core.sbuf.usable.count - std::min(machine.chip.core.sbuf.usable.count, kKeptBytes)) /
        bytes;
    // Resident blocks: those of two tiles if they fit, otherwise as many of one tile as fit in addition to
    // the streaming ones. Block b of a tile is allocated before that of the previous tile is written, hence
    // one more.
    const auto of_blocks = [&](const char* name, std::uint64_t copies) {
      return kernel_.sbuf(name, shape_.dtype, static_cast<unsigned>(block_), static_cast<unsigned>(copies));
    };
    stay_ = room > blocks_ ? blocks_ : std::max<std::uint64_t>(room, kPassing + 1) - kPassing;
    kept_ = of_blocks("blocks that stay", stay_ < blocks_ ? stay_ : std::min(room, 2 * blocks_));
    if (stay_ < blocks_) passing_ = of_blocks("blocks that pass", kPassing);
    const auto all = static_cast<unsigned>(blocks_);
    tops_ = kernel_.sbuf("maximum of a block", shape_.dtype, 1, 4);
    negated_ = kernel_.sbuf("negated maxima", DType::kFp32, all, 2);
    factors_ = kernel_.sbuf("factors", DType::kFp32, all, 2);
    sums_ = column_pool("sum of a block", 4);
    totals_ = column_pool("running sum", 4);
    corrections_ = column_pool("correction", 4);
    inverses_ = column_pool("scale / sum", 4);
    numbers_ = kernel_.sbuf("places", DType::kInt32, 1, 4);
    chosen_ = kernel_.sbuf("logit of the label", shape_.dtype, 1, 4);
    corrected_ = kernel_.sbuf("gradient of the label", shape_.dtype, 1, 2);
    exponentials_ = column_pool("exponential at the label", 4);
    const auto tiles = static_cast<unsigned>(std::min(kTilesTogether, (shape_.rows + height_ - 1) / height_));
    for (Pool* pool : {&group_sums_, &group_tops_, &group_chosen_, &group_losses_})
      *pool = kernel_.sbuf("columns of tiles", DType::kFp32, tiles, 2);
    tiles_ = tiles;
    part_sums_ = column_pool("sum of losses", 4);
    psum_ = kernel_.psum("part", DType::kFp32, 1);
  }

  TileView column(Pool pool, std::uint64_t rows) {
    return kernel_.take(pool, static_cast<unsigned>(rows), 1);
  }

  // Absent rows of a tile have a loss of 0: log 1 - 0 - 0.
  void begin_group() {
    const auto height = static_cast<unsigned>(height_);
    sum_columns_ = kernel_.take(group_sums_, height, tiles_);
    top_columns_ = kernel_.take(group_tops_, height, tiles_);
    chosen_columns_ = kernel_.take(group_chosen_, height, tiles_);
    kernel_.memset(sum_columns_, 1, Queue::kGpSimd);
    kernel_.memset(top_columns_, 0, Queue::kGpSimd);
    kernel_.memset(chosen_columns_, 0, Queue::kGpSimd);
  }

  // Views rows [row, row + rows), including the gaps between them, as rows of one element each.
  HbmView elements(const HbmView& matrix, std::uint64_t row, std::uint64_t rows) const {
    HbmView view = matrix.window(row, 0, rows, shape_.columns);
    view.rows = (rows - 1) * static_cast<std::uint64_t>(view.row_stride) + shape_.columns;
    view.columns = view.row_stride = 1;
    return view;
  }

  Tile begin_tile(std::uint64_t row) {
    Tile tile;
    tile.row = row;
    tile.rows = std::min(height_, shape_.rows - row);
    tile.place = static_cast<unsigned>(row / height_ % kTilesTogether);
    if (tile.place == 0) begin_group();
    const HbmView places = views_.places.window(row, 0, tile.rows, 1);
    kernel_.fold(
        places,
        {{views_.labels.window(row, 0, tile.rows, 1), views_.starts.window(0, 0, tile.rows, 1)}, AluOp::kAdd},
        Queue::kGpSimd);
    tile.number = column(numbers_, tile.rows);
    tile.chosen = column(chosen_, tile.rows);
    kernel_.load(tile.number, places, Queue::kGpSimd);
    kernel_.gather(tile.chosen, elements(views_.logits, row, tile.rows), tile.number);
    tile.negated = kernel_.take(negated_, static_cast<unsigned>(tile.rows), static_cast<unsigned>(blocks_));
    return tile;
  }

  bool stays(std::uint64_t block) const { return block + stay_ >= blocks_; }

  Block load(const Tile& tile, std::uint64_t number, Pool pool) {
    Block block;
    block.column = number * block_;
    block.columns = std::min(block_, shape_.columns - block.column);
    block.values = kernel_.take(pool, static_cast<unsigned>(tile.rows), static_cast<unsigned>(block.columns));
    kernel_.load(block.values, views_.logits.window(tile.row, block.column, tile.rows, block.columns));
    return block;
  }

  // Computes exp in place relative to the maximum so far, which is kept negated because the exponential takes
  // it as its bias.
  void exponentiate(Tile& tile, std::uint64_t number) {
    const Block block = load(tile, number, stays(number) ? kept_ : passing_);
    if (stays(number)) tile.kept.push_back(block);
    const auto at = static_cast<unsigned>(number);
    const TileView top = column(tops_, tile.rows), now = tile.negated.columns(at, 1),
                   sum = column(sums_, tile.rows);
    kernel_.reduce(top, block.values, AluOp::kMax);
    if (number == 0) {
      kernel_.tensor_scalar(now, top, AluOp::kMult, {-1, nullptr});
    } else {
      const TileView old = tile.negated.columns(at - 1, 1);
      kernel_.tensor_scalar(now, top, AluOp::kMult, {-1, nullptr}, AluOp::kMin, {0, &old});
      add_up(tile);
      tile.correction = column(corrections_, tile.rows);
      kernel_.activation(tile.correction, old, ActFn::kExp, {-1, nullptr}, {0, &now});
    }
    kernel_.activation_reduce(block.values, sum, block.values, ActFn::kExp, {1, nullptr}, {0, &now});
    tile.sum = sum;
  }

  // Runs a block later, so that the vector engine does not wait for a sum in progress.
  void add_up(Tile& tile) {
    const TileView total = column(totals_, tile.rows);
    if (tile.total)
      kernel_.tensor_scalar(total, *tile.total, AluOp::kMult, {0, &tile.correction}, AluOp::kAdd,
                            {0, &tile.sum});
    else
      kernel_.copy(total, tile.sum);
    tile.total = total;
  }

  void finish_sum(Tile& tile) {
    const auto rows = static_cast<unsigned>(tile.rows), all = static_cast<unsigned>(blocks_);
    const TileView top = tile.negated.columns(all - 1, 1);
    tile.inverse = column(inverses_, tile.rows);
    tile.factors = kernel_.take(factors_, rows, all);
    kernel_.reciprocal(tile.inverse, *tile.total);
    kernel_.tensor_scalar(tile.inverse, tile.inverse, AluOp::kMult, {shape_.scale, nullptr});
    kernel_.activation(tile.factors, tile.negated, ActFn::kExp, {-1, nullptr}, {0, &top});
    kernel_.tensor_scalar(tile.factors, tile.factors, AluOp::kMult, {0, &tile.inverse});
    const auto into = [&](const TileView& columns) {
      return columns.partitions(0, rows).columns(tile.place, 1);
    };
    kernel_.copy(into(sum_columns_), *tile.total, Queue::kGpSimd);
    kernel_.copy(into(top_columns_), top, Queue::kGpSimd);
    kernel_.copy(into(chosen_columns_), tile.chosen, Queue::kGpSimd);
    const std::uint64_t end = tile.row + tile.rows;
    if (tile.place + 1 == kTilesTogether || end == shape_.rows)
      finish_group(tile.row - tile.place * height_, end, tile.place + 1);
  }

  // Resident blocks come first, then those that are read again. A block that is read again is scaled a block
  // later, when its exponentials have been computed.
  void write_block(const Tile& tile, std::uint64_t number) {
    write_pending();
    if (number < tile.kept.size()) {
      const Block& block = tile.kept[number];
      pending_ = {{tile, block, tile.factors.columns(static_cast<unsigned>(block.column / block_), 1)}};
      return write_pending();
    }
    const TileView top = tile.negated.columns(static_cast<unsigned>(blocks_) - 1, 1);
    const Block block = load(tile, number - tile.kept.size(), passing_);
    kernel_.activation(block.values, block.values, ActFn::kExp, {1, nullptr}, {0, &top});
    pending_ = {{tile, block, tile.inverse}};
  }

  void write_pending() {
    if (!pending_) return;
    const auto& [tile, block, factor] = *pending_;
    kernel_.tensor_scalar(block.values, block.values, AluOp::kMult, {0, &factor});
    kernel_.store(views_.gradient.window(tile.row, block.column, tile.rows, block.columns), block.values,
                  Queue::kGpSimd);
    pending_.reset();
  }

  // Writes scale (p - 1) over the stored values.
  void correct_labels(const Tile& tile) {
    write_pending();
    const TileView exponential = column(exponentials_, tile.rows), corrected = column(corrected_, tile.rows),
                   top = tile.negated.columns(static_cast<unsigned>(blocks_) - 1, 1);
    kernel_.activation(exponential, tile.chosen, ActFn::kExp, {1, nullptr}, {0, &top});
    kernel_.tensor_scalar(corrected, exponential, AluOp::kMult, {0, &tile.inverse}, AluOp::kAdd,
                          {-shape_.scale, nullptr});
    kernel_.scatter(elements(views_.gradient, tile.row, tile.rows), corrected, tile.number);
  }

  void finish_group(std::uint64_t first, std::uint64_t end, unsigned tiles) {
    const auto all = [&](const TileView& columns) { return columns.columns(0, tiles); };
    const TileView losses = kernel_.take(group_losses_, static_cast<unsigned>(height_), tiles);
    kernel_.activation(losses, all(sum_columns_), ActFn::kLog);
    kernel_.tensor_tensor(losses, losses, all(top_columns_), AluOp::kSubtract);
    kernel_.tensor_tensor(losses, losses, all(chosen_columns_), AluOp::kSubtract);
    for (unsigned tile = 0; tile < tiles; ++tile) {
      const std::uint64_t row = first + tile * height_, rows = std::min(height_, end - row);
      kernel_.store(views_.loss.window(row, 0, rows, 1),
                    losses.partitions(0, static_cast<unsigned>(rows)).columns(tile, 1));
    }
    const TileView sum = column(part_sums_, height_);
    kernel_.reduce(sum, losses, AluOp::kAdd);
    if (sum_of_losses_) kernel_.tensor_tensor(sum, *sum_of_losses_, sum, AluOp::kAdd);
    sum_of_losses_ = sum;
  }

  // The array sums over the partitions.
  void store_part() {
    const TileView weights = column(inverses_, height_), result = kernel_.take(psum_, 1, 1),
                   part = kernel_.take(part_sums_, 1, 1);
    kernel_.memset(weights, shape_.scale);
    kernel_.matmul(result, weights, *sum_of_losses_, false);
    kernel_.copy(part, result);
    kernel_.store(views_.part, part);
  }

  Kernel& kernel_;
  CrossEntropyShape shape_;
  CrossEntropyViews views_;
  std::uint64_t height_, block_, blocks_, stay_ = 0;  // columns of a block; blocks; resident blocks
  Pool kept_, passing_, tops_, negated_, factors_, sums_, totals_, corrections_, inverses_, numbers_, chosen_,
      corrected_, exponentials_, group_sums_, group_tops_, group_chosen_, group_losses_, part_sums_, psum_;
  unsigned tiles_ = 0;
  TileView sum_columns_, top_columns_, chosen_columns_;
  std::optional<TileView> sum_of_losses_;
  struct Pending {
    Tile tile;
    Block block;
    TileView factor;
  };
  std::optional<Pending> pending_;  // read again; still to be scaled and stored
};

}  // namespace

void emit_cross_entropy(Kernel& kernel, const model::MachineParams& machine, const CrossEntropyShape& shape,
                        const CrossEntropyViews& views) {
  CrossEntropyBuilder(kernel, machine, shape, views).emit();
}

isa::Program cross_entropy_program(const model::MachineParams& machine, const CrossEntropyShape& shape) {
  Kernel kernel("cross_entropy", machine);
  CrossEntropyViews views;
  views.logits = kernel.argument("logits", shape.dtype, shape.rows, shape.columns);
  views.labels = kernel.argument("labels", DType::kInt32, shape.rows, 1);
  views.starts = kernel.argument("starts", DType::kInt32, machine.chip.core.sbuf.partitions, 1);
  views.places = kernel.argument("places", DType::kInt32, shape.rows, 1);
  views.gradient = kernel.argument("gradient", shape.dtype, shape.rows, shape.columns);
  views.loss = kernel.argument("loss", DType::kFp32, shape.rows, 1);
  views.part = kernel.argument("part", DType::kFp32, 1, 1);
  kernel.control(views.labels);
  kernel.control(views.starts);
  emit_cross_entropy(kernel, machine, shape, views);
  return kernel.finish();
}

void fill_row_starts(runtime::HostTensor& starts, std::uint64_t stride) {
  for (std::uint64_t p = 0; p < starts.elements(); ++p) {
    const auto start = static_cast<std::int32_t>(p * stride);
    std::memcpy(starts.values.data() + p * sizeof start, &start, sizeof start);
  }
}

}  // namespace tahoma::workloads
