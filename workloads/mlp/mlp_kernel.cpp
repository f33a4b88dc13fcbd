// SPDX-License-Identifier: Apache-2.0
#include "workloads/mlp/mlp_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "model/base/error.h"
#include "runtime/builder/kernel.h"
#include "workloads/common/ceil_div.h"
#include "workloads/common/ranges.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::ScalarOperand, runtime::TileView;

namespace {

constexpr unsigned kSlices = 4;  // tiles of the contraction in one load of weights
constexpr unsigned kGroup = 4;   // tiles of results side by side: half of PSUM; the other half is evacuated
constexpr unsigned kWeightsAhead = 8;  // most loads of weights in flight; at least two
constexpr unsigned kGates = 2 * kGroup, kResults = 8;

// Rows of a contraction, in loads of `slices` tiles each.
struct Chunk {
  Range rows;
  unsigned slices = 1;
  unsigned height() const { return rows.count / slices; }
};

// The sizes that the core permits.
struct Plan {
  unsigned height;        // partitions, rows and columns of the array
  unsigned tokens;        // moving columns
  unsigned weight_loads;  // in SBUF at once
};

std::uint64_t tiles_of(std::uint64_t size, unsigned height) { return (size + height - 1) / height; }

Plan plan_of(const model::CoreParams& core, const MlpShape& s) {
  const auto height =
      static_cast<unsigned>(std::min({core.tensor.rows, core.tensor.columns, core.sbuf.partitions}));
  const std::uint64_t size = isa::size_of(s.dtype);
  const std::uint64_t load = aligned(std::uint64_t{kSlices} * kGroup * height * size);
  const std::uint64_t biases = s.bias ? (tiles_of(s.features, height) + tiles_of(s.hidden, height)) * 64 : 0;
  auto tokens =
      static_cast<unsigned>(std::min({core.tensor.moving_columns, core.psum.bank.count / sizeof(float),
                                      std::max<std::uint64_t>(1, s.tokens)}));
  for (; tokens > 0; tokens /= 2) {
    const std::uint64_t x_and_h =
        (tiles_of(s.features, height) + tiles_of(s.hidden, height) + kResults) * aligned(tokens * size);
    const std::uint64_t gates = s.gated ? kGates * aligned(tokens * sizeof(float)) : 0;
    const std::uint64_t taken = x_and_h + gates + biases;
    if (taken + 2 * load > core.sbuf.usable.count) continue;
    const std::uint64_t loads = (core.sbuf.usable.count - taken) / load;
    return {height, tokens, static_cast<unsigned>(std::min<std::uint64_t>(loads, kWeightsAhead))};
  }
  throw base::UserError(
      "E-RUN-094", "workload.hidden",
      fmt::format("{} features and {} hidden ones of one token do not fit into the {} bytes of "
                  "an SBUF partition; expected fewer",
                  s.features, s.hidden, core.sbuf.usable.count));
}

class Mlp {
 public:
  Mlp(Kernel& kernel, const MlpShape& shape, const Plan& plan)
      : kernel_(kernel), shape_(shape), plan_(plan), x_(matrix("x", shape.features, shape.tokens)) {
    if (shape.gated) gate_ = matrix("gate", shape.features, shape.hidden);
    up_ = matrix("up", shape.features, shape.hidden);
    down_ = matrix("down", shape.hidden, shape.features);
    std::optional<HbmView> up_bias, down_bias;
    if (shape.bias) {
      up_bias = kernel.argument("up_bias", DType::kFp32, shape.hidden, 1);
      down_bias = kernel.argument("down_bias", DType::kFp32, shape.features, 1);
    }
    y_ = matrix("y", shape.features, shape.tokens);
    const auto d_tiles = static_cast<unsigned>(tiles_of(shape.features, plan.height)),
               h_tiles = static_cast<unsigned>(tiles_of(shape.hidden, plan.height));
    xs_ = kernel.sbuf("x", shape.dtype, plan.tokens, d_tiles);
    hs_ = kernel.sbuf("h", shape.dtype, plan.tokens, h_tiles);
    weights_ = kernel.sbuf("weights", shape.dtype, kSlices * kGroup * plan.height, plan.weight_loads);
    if (shape.gated) gates_ = kernel.sbuf("gates", DType::kFp32, plan.tokens, kGates);
    ys_ = kernel.sbuf("y", shape.dtype, plan.tokens, kResults);
    sums_ = kernel.psum("sums", DType::kFp32, plan.tokens, 2 * kGroup);
    if (!shape.bias) return;
    up_biases_ = load_bias("up bias", *up_bias, h_tiles);
    down_biases_ = load_bias("down bias", *down_bias, d_tiles);
  }

  void emit() {
    for (const Range& tokens : cut(all_of(shape_.tokens), plan_.tokens)) {
      std::vector<TileView> x;
      for (const Range& rows : cut(all_of(shape_.features), plan_.height)) {
        x.push_back(kernel_.take(xs_, rows.count, tokens.count));
        kernel_.load(x.back(), x_.window(rows.first, tokens.first, rows.count, tokens.count));
      }
      const std::vector<TileView> h = expand(x, tokens.count);
      contract(h, tokens);
    }
  }

 private:
  HbmView matrix(const char* name, std::uint64_t rows, std::uint64_t columns) {
    return kernel_.argument(name, shape_.dtype, rows, columns);
  }
  // Returns one column of [P, 1] for each tile.
  std::vector<TileView> load_bias(const char* name, const HbmView& bias, unsigned tiles) {
    const Pool pool = kernel_.sbuf(name, DType::kFp32, 1, tiles);
    std::vector<TileView> columns;
    for (const Range& rows : cut(all_of(bias.rows), plan_.height)) {
      columns.push_back(kernel_.take(pool, rows.count, 1));
      kernel_.load(columns.back(), bias.window(rows.first, 0, rows.count, 1), Queue::kGpSimd);
    }
    return columns;
  }

  // Whole loads of tiles first, then the remaining tiles, then a partial tile.
  std::vector<Chunk> chunks_of(std::uint64_t rows) const {
    std::vector<Chunk> chunks;
    for (const Range& piece : cut(all_of(rows), kSlices * plan_.height)) {
      const unsigned whole = piece.count / plan_.height;
      if (whole > 0) chunks.push_back({{piece.first, whole * plan_.height}, whole});
      if (const unsigned rest = piece.count % plan_.height; rest > 0)
        chunks.push_back({{piece.first + std::uint64_t{whole} * plan_.height, rest}, 1});
    }
    return chunks;
  }

  // sums of the columns' tiles = weights[:, columns]^T moving, where `moving` has one tile of rows each.
  std::vector<TileView> product(const HbmView& weights, const Range& columns,
                                const std::vector<TileView>& moving, unsigned tokens) {
    const std::vector<Range> tiles = cut({0, columns.count}, plan_.height);
    std::vector<TileView> sums;
    for (const Range& tile : tiles) sums.push_back(kernel_.take(sums_, tile.count, tokens));
    std::size_t row = 0;
    for (const Chunk& chunk : chunks_of(weights.rows)) {
      const TileView loaded =
          kernel_.take(weights_, chunk.height(), chunk.slices * columns.count).slices(chunk.slices);
      kernel_.load(loaded, weights.window(chunk.rows.first, columns.first, chunk.rows.count, columns.count)
                               .stacked(chunk.slices));
      for (unsigned s = 0; s < chunk.slices; ++s, ++row)
        for (std::size_t t = 0; t < tiles.size(); ++t)
          kernel_.matmul(sums[t],
                         loaded.slice(s).columns(static_cast<unsigned>(tiles[t].first), tiles[t].count),
                         moving[row], row > 0);
    }
    return sums;
  }

  std::vector<TileView> expand(const std::vector<TileView>& x, unsigned tokens) {
    std::vector<TileView> h;
    for (const Range& columns : cut(all_of(shape_.hidden), kGroup * plan_.height)) {
      std::vector<TileView> gates;
      if (shape_.gated)
        for (const TileView& sum : product(gate_, columns, x, tokens)) {
          gates.push_back(kernel_.take(gates_, sum.shape.partitions, tokens));
          kernel_.activation(gates.back(), sum, shape_.activation);
        }
      const std::vector<TileView> ups = product(up_, columns, x, tokens);
      for (std::size_t t = 0; t < ups.size(); ++t) {
        const std::size_t tile = h.size();
        h.push_back(kernel_.take(hs_, ups[t].shape.partitions, tokens));
        if (shape_.gated)
          kernel_.tensor_tensor(h.back(), gates[t], ups[t], AluOp::kMult);
        else
          kernel_.activation(h.back(), ups[t], shape_.activation, {1.0F, nullptr}, bias_of(up_biases_, tile));
      }
    }
    return h;
  }

  void contract(const std::vector<TileView>& h, const Range& tokens) {
    for (const Range& columns : cut(all_of(shape_.features), kGroup * plan_.height)) {
      std::uint64_t row = columns.first;
      for (const TileView& sum : product(down_, columns, h, tokens.count)) {
        const unsigned rows = sum.shape.partitions;
        const TileView out = kernel_.take(ys_, rows, tokens.count);
        round(out, sum, row / plan_.height);
        kernel_.store(y_.window(row, tokens.first, rows, tokens.count), out, Queue::kGpSimd);
        row += rows;
      }
    }
  }

  ScalarOperand bias_of(const std::vector<TileView>& biases, std::size_t tile) const {
    return {0, shape_.bias ? &biases[tile] : nullptr};
  }

  // The vector and the scalar engine alternate.
  void round(const TileView& out, const TileView& sum, std::size_t tile) {
    const bool on_vector = rounded_++ % 2 == 0;
    if (!shape_.bias) return kernel_.copy(out, sum, on_vector ? Queue::kVector : Queue::kScalar);
    if (on_vector) return kernel_.tensor_scalar(out, sum, AluOp::kAdd, bias_of(down_biases_, tile));
    kernel_.activation(out, sum, ActFn::kCopy, {1.0F, nullptr}, bias_of(down_biases_, tile));
  }

  Kernel& kernel_;
  const MlpShape& shape_;
  Plan plan_;
  HbmView x_, gate_, up_, down_, y_;
  Pool xs_, hs_, weights_, gates_, ys_, sums_;
  std::vector<TileView> up_biases_, down_biases_;
  std::size_t rounded_ = 0;
};

}  // namespace

isa::Program mlp_program(const model::MachineParams& machine, const MlpShape& shape) {
  const Plan plan = plan_of(machine.chip.core, shape);
  Kernel kernel("mlp", machine);
  Mlp(kernel, shape, plan).emit();
  return kernel.finish();
}

}  // namespace tahoma::workloads
