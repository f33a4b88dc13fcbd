// SPDX-License-Identifier: Apache-2.0
#include "workloads/loss/cross_entropy_kernel.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "runtime/kernel.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr std::uint64_t kBlockBytes = 8192;      // of a row in a block: 1 MiB a transfer
constexpr std::uint64_t kKeptBytes = 40 * 1024;  // of a partition, for everything but blocks
constexpr unsigned kInFlight = 3;                // blocks beside those that stay
constexpr std::uint64_t kTilesTogether = 256;    // whose logarithms are taken at once: one table of functions

struct Block {
  std::uint64_t column = 0, columns = 0;
  TileView values;  // logits, then exponentials
};

class CrossEntropyBuilder {
 public:
  CrossEntropyBuilder(const model::MachineParams& machine, const CrossEntropyShape& shape)
      : shape_(shape),
        height_(machine.chip.core.sbuf.partitions),
        block_(std::min(shape.columns, kBlockBytes / isa::size_of(shape.dtype))),
        blocks_((shape.columns + block_ - 1) / block_),
        kernel_("cross_entropy", machine) {
    logits_ = kernel_.argument("logits", shape.dtype, shape.rows, shape.columns);
    labels_ = kernel_.argument("labels", DType::kInt32, shape.rows, 1);
    starts_ = kernel_.argument("starts", DType::kInt32, height_, 1);
    places_ = kernel_.argument("places", DType::kInt32, shape.rows, 1);
    gradient_ = kernel_.argument("gradient", shape.dtype, shape.rows, shape.columns);
    loss_ = kernel_.argument("loss", DType::kFp32, shape.rows, 1);
    part_ = kernel_.argument("part", DType::kFp32, 1, 1);
    kernel_.control(labels_);
    kernel_.control(starts_);
    make_pools(machine);
  }

  isa::Program build() {
    for (std::uint64_t row = 0; row < shape_.rows; row += height_) {
      const std::uint64_t rows = std::min(height_, shape_.rows - row), tile = row / height_ % kTilesTogether;
      if (tile == 0) begin_group();
      one_tile(row, rows, static_cast<unsigned>(tile));
      if (tile + 1 == kTilesTogether || row + rows == shape_.rows)
        finish_group(row - tile * height_, row + rows, static_cast<unsigned>(tile) + 1);
    }
    store_part();
    return kernel_.finish();
  }

 private:
  Pool column_pool(const char* name, unsigned copies) { return kernel_.sbuf(name, DType::kFp32, 1, copies); }

  void make_pools(const model::MachineParams& machine) {
    const std::uint64_t bytes = block_ * isa::size_of(shape_.dtype);
    const std::uint64_t room =
        (machine.chip.core.sbuf.usable.count - std::min(machine.chip.core.sbuf.usable.count, kKeptBytes)) / bytes;
    const std::uint64_t copies = std::clamp<std::uint64_t>(room, 1, 2 * blocks_ + kInFlight);
    stay_ = std::min(blocks_, copies > kInFlight ? copies - kInFlight : 1);
    values_ = kernel_.sbuf("blocks", shape_.dtype, static_cast<unsigned>(block_), static_cast<unsigned>(copies));
    const auto all = static_cast<unsigned>(blocks_);
    tops_ = kernel_.sbuf("maximum of a block", shape_.dtype, 1, 4);
    negated_ = kernel_.sbuf("negated maxima", DType::kFp32, all, 2);
    factors_ = kernel_.sbuf("factors", DType::kFp32, all, 2);
    sums_ = column_pool("sum of a block", 4);
    totals_ = column_pool("running sum", 4);
    corrections_ = column_pool("correction", 4);
    inverses_ = column_pool("scale / sum", 4);
    numbers_ = kernel_.sbuf("places", DType::kInt32, 1, 4);
    chosen_ = kernel_.sbuf("at the label", shape_.dtype, 1, 4);
    exponentials_ = column_pool("exponential at the label", 4);
    const auto tiles =
        static_cast<unsigned>(std::min(kTilesTogether, (shape_.rows + height_ - 1) / height_));
    for (Pool* pool : {&group_sums_, &group_tops_, &group_chosen_, &group_losses_})
      *pool = kernel_.sbuf("columns of tiles", DType::kFp32, tiles, 2);
    tiles_ = tiles;
    part_sums_ = column_pool("sum of losses", 4);
    psum_ = kernel_.psum("part", DType::kFp32, 1);
  }

  TileView column(Pool pool, std::uint64_t rows) { return kernel_.take(pool, static_cast<unsigned>(rows), 1); }

  // Rows of a tile that are not there have a loss of 0: log 1 - 0 - 0.
  void begin_group() {
    const auto height = static_cast<unsigned>(height_);
    sum_columns_ = kernel_.take(group_sums_, height, tiles_);
    top_columns_ = kernel_.take(group_tops_, height, tiles_);
    chosen_columns_ = kernel_.take(group_chosen_, height, tiles_);
    kernel_.memset(sum_columns_, 1, Queue::kGpSimd);
    kernel_.memset(top_columns_, 0, Queue::kGpSimd);
    kernel_.memset(chosen_columns_, 0, Queue::kGpSimd);
  }

  // Rows [row, row + rows) as rows of one element each.
  HbmView elements(const HbmView& matrix, std::uint64_t row, std::uint64_t rows) const {
    HbmView view = matrix.window(row, 0, rows, shape_.columns);
    view.rows = rows * shape_.columns;
    view.columns = view.row_stride = 1;
    return view;
  }

  void one_tile(std::uint64_t row, std::uint64_t rows, unsigned tile) {
    const auto count = static_cast<unsigned>(rows);
    const HbmView places = places_.window(row, 0, rows, 1);
    kernel_.fold(places, {{labels_.window(row, 0, rows, 1), starts_.window(0, 0, rows, 1)}, AluOp::kAdd},
                 Queue::kGpSimd);
    const TileView number = column(numbers_, rows), chosen = column(chosen_, rows);
    kernel_.load(number, places, Queue::kGpSimd);
    kernel_.gather(chosen, elements(logits_, row, rows), number);

    const TileView negated = kernel_.take(negated_, count, static_cast<unsigned>(blocks_));
    std::vector<Block> kept;
    TileView total;
    for (std::uint64_t b = 0; b < blocks_; ++b) {
      Block block = load(row, rows, b);
      total = exponentiate(block, negated, static_cast<unsigned>(b), total);
      if (b + stay_ >= blocks_) kept.push_back(block);
    }
    const auto last = static_cast<unsigned>(blocks_) - 1;
    const TileView top = negated.columns(last, 1), inverse = column(inverses_, rows);
    kernel_.reciprocal(inverse, total);
    kernel_.tensor_scalar(inverse, inverse, AluOp::kMult, {shape_.scale, nullptr});
    write_gradient(row, rows, kept, negated, inverse);
    correct_labels(row, rows, number, chosen, top, inverse);

    kernel_.copy(sum_columns_.partitions(0, count).columns(tile, 1), total, Queue::kScalar);
    kernel_.copy(top_columns_.partitions(0, count).columns(tile, 1), top, Queue::kScalar);
    kernel_.copy(chosen_columns_.partitions(0, count).columns(tile, 1), chosen, Queue::kScalar);
  }

  Block load(std::uint64_t row, std::uint64_t rows, std::uint64_t number) {
    Block block;
    block.column = number * block_;
    block.columns = std::min(block_, shape_.columns - block.column);
    block.values = kernel_.take(values_, static_cast<unsigned>(rows), static_cast<unsigned>(block.columns));
    kernel_.load(block.values, logits_.window(row, block.column, rows, block.columns));
    return block;
  }

  // In place, up to exp of the maximum so far, which is kept negated as the exponential's bias wants it. The
  // running sum afterwards.
  TileView exponentiate(const Block& block, const TileView& negated, unsigned number, const TileView& before) {
    const unsigned rows = block.values.shape.partitions;
    const TileView top = column(tops_, rows), now = negated.columns(number, 1);
    kernel_.reduce(top, block.values, AluOp::kMax);
    const TileView total = column(totals_, rows);
    if (number == 0) {
      kernel_.tensor_scalar(now, top, AluOp::kMult, {-1, nullptr});
      kernel_.activation_reduce(block.values, total, block.values, ActFn::kExp, {1, nullptr}, {0, &now});
      return total;
    }
    const TileView old = negated.columns(number - 1, 1), sum = column(sums_, rows),
                   correction = column(corrections_, rows);
    kernel_.tensor_scalar(now, top, AluOp::kMult, {-1, nullptr}, AluOp::kMin, {0, &old});
    kernel_.activation_reduce(block.values, sum, block.values, ActFn::kExp, {1, nullptr}, {0, &now});
    kernel_.activation(correction, old, ActFn::kExp, {-1, nullptr}, {0, &now});
    kernel_.tensor_scalar(total, before, AluOp::kMult, {0, &correction}, AluOp::kAdd, {0, &sum});
    return total;
  }

  // The blocks that stayed first, which makes room for those that are read again.
  void write_gradient(std::uint64_t row, std::uint64_t rows, const std::vector<Block>& kept,
                      const TileView& negated, const TileView& inverse) {
    const auto count = static_cast<unsigned>(rows), all = static_cast<unsigned>(blocks_);
    const TileView top = negated.columns(all - 1, 1), factors = kernel_.take(factors_, count, all);
    kernel_.activation(factors, negated, ActFn::kExp, {-1, nullptr}, {0, &top});
    kernel_.tensor_scalar(factors, factors, AluOp::kMult, {0, &inverse});
    for (const Block& block : kept) {
      const TileView factor = factors.columns(static_cast<unsigned>(block.column / block_), 1);
      kernel_.tensor_scalar(block.values, block.values, AluOp::kMult, {0, &factor});
      store(row, rows, block);
    }
    for (std::uint64_t b = 0; b + stay_ < blocks_; ++b) {
      const Block block = load(row, rows, b);
      kernel_.activation(block.values, block.values, ActFn::kExp, {1, nullptr}, {0, &top});
      kernel_.tensor_scalar(block.values, block.values, AluOp::kMult, {0, &inverse});
      store(row, rows, block);
    }
  }

  void store(std::uint64_t row, std::uint64_t rows, const Block& block) {
    kernel_.store(gradient_.window(row, block.column, rows, block.columns), block.values, Queue::kGpSimd);
  }

  // scale (p - 1), over what was stored.
  void correct_labels(std::uint64_t row, std::uint64_t rows, const TileView& number, const TileView& chosen,
                      const TileView& top, const TileView& inverse) {
    const TileView exponential = column(exponentials_, rows), corrected = column(chosen_, rows);
    kernel_.activation(exponential, chosen, ActFn::kExp, {1, nullptr}, {0, &top});
    kernel_.tensor_scalar(corrected, exponential, AluOp::kMult, {0, &inverse}, AluOp::kAdd,
                          {-shape_.scale, nullptr});
    kernel_.scatter(elements(gradient_, row, rows), corrected, number);
  }

  void finish_group(std::uint64_t first, std::uint64_t end, unsigned tiles) {
    const auto all = [&](const TileView& columns) { return columns.columns(0, tiles); };
    const TileView losses = kernel_.take(group_losses_, static_cast<unsigned>(height_), tiles);
    kernel_.activation(losses, all(sum_columns_), ActFn::kLog);
    kernel_.tensor_tensor(losses, losses, all(top_columns_), AluOp::kSubtract);
    kernel_.tensor_tensor(losses, losses, all(chosen_columns_), AluOp::kSubtract);
    for (unsigned tile = 0; tile < tiles; ++tile) {
      const std::uint64_t row = first + tile * height_, rows = std::min(height_, end - row);
      kernel_.store(loss_.window(row, 0, rows, 1),
                    losses.partitions(0, static_cast<unsigned>(rows)).columns(tile, 1));
    }
    const TileView sum = column(part_sums_, height_);
    kernel_.reduce(sum, losses, AluOp::kAdd);
    if (sum_of_losses_) kernel_.tensor_tensor(sum, *sum_of_losses_, sum, AluOp::kAdd);
    sum_of_losses_ = sum;
  }

  // Over the partitions, by the array.
  void store_part() {
    const TileView weights = column(inverses_, height_), result = kernel_.take(psum_, 1, 1),
                   part = kernel_.take(part_sums_, 1, 1);
    kernel_.memset(weights, shape_.scale);
    kernel_.matmul(result, weights, *sum_of_losses_, false);
    kernel_.copy(part, result);
    kernel_.store(part_, part);
  }

  CrossEntropyShape shape_;
  std::uint64_t height_, block_, blocks_, stay_ = 0;  // columns of a block; blocks; those that stay in SBUF
  Kernel kernel_;
  HbmView logits_, labels_, starts_, places_, gradient_, loss_, part_;
  Pool values_, tops_, negated_, factors_, sums_, totals_, corrections_, inverses_, numbers_, chosen_,
      exponentials_, group_sums_, group_tops_, group_chosen_, group_losses_, part_sums_, psum_;
  unsigned tiles_ = 0;
  TileView sum_columns_, top_columns_, chosen_columns_;
  std::optional<TileView> sum_of_losses_;
};

}  // namespace

isa::Program cross_entropy_program(const model::MachineParams& machine, const CrossEntropyShape& shape) {
  return CrossEntropyBuilder(machine, shape).build();
}

void fill_row_starts(runtime::HostTensor& starts, std::uint64_t columns) {
  for (std::uint64_t p = 0; p < starts.elements(); ++p) {
    const auto start = static_cast<std::int32_t>(p * columns);
    std::memcpy(starts.values.data() + p * sizeof start, &start, sizeof start);
  }
}

}  // namespace tahoma::workloads
