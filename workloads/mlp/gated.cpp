// SPDX-License-Identifier: Apache-2.0
#include "workloads/mlp/gated.h"

#include "model/base/error.h"
#include "workloads/norm/row_tiles.h"

namespace tahoma::workloads {

using isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr unsigned kMostColumns = 2048;  // of a tile: 4 KiB of 16 bits, the full rate of a DMA engine
constexpr unsigned kCopies = 4;

}  // namespace

void emit_gated(Kernel& kernel, const model::MachineParams& machine, const GatedShape& shape,
                const GatedViews& views) {
  const auto width = static_cast<unsigned>(std::min<std::uint64_t>(shape.columns, kMostColumns));
  const std::uint64_t bytes = std::uint64_t{width} * (3 * isa::size_of(shape.dtype) + sizeof(float));
  const unsigned copies = copies_in(machine, bytes, kCopies, 0);
  const Pool gates = kernel.sbuf("gate", shape.dtype, width, copies),
             ups = kernel.sbuf("up", shape.dtype, width, copies),
             activated = kernel.sbuf("activated", DType::kFp32, width, copies),
             ys = kernel.sbuf("y", shape.dtype, width, copies);
  for (const Range& rows : row_tiles(machine, shape.tokens))
    for (const Range& columns : cut(all_of(shape.columns), width)) {
      const auto take = [&](Pool pool) { return kernel.take(pool, rows.count, columns.count); };
      const auto window = [&](const HbmView& view) {
        return view.window(rows.first, columns.first, rows.count, columns.count);
      };
      const TileView gate = take(gates), up = take(ups), factor = take(activated), y = take(ys);
      kernel.load(gate, window(views.gate));
      kernel.load(up, window(views.up));
      kernel.activation(factor, gate, shape.activation);
      kernel.tensor_tensor(y, factor, up, AluOp::kMult);
      kernel.store(window(views.y), y, Queue::kGpSimd);
    }
}

void emit_gated_backward(Kernel& kernel, const model::MachineParams& machine, const GatedShape& shape,
                         const GatedBackwardViews& views) {
  TAHOMA_INVARIANT(shape.activation == isa::ActFn::kSilu, "the backward pass is that of silu");
  const auto width = static_cast<unsigned>(std::min<std::uint64_t>(shape.columns, kMostColumns));
  const std::uint64_t bytes = std::uint64_t{width} * (5 * isa::size_of(shape.dtype) + 5 * sizeof(float));
  const unsigned copies = copies_in(machine, bytes, kCopies, 0);
  const auto narrow = [&](const char* name) { return kernel.sbuf(name, shape.dtype, width, copies); };
  const auto wide = [&](const char* name) { return kernel.sbuf(name, DType::kFp32, width, copies); };
  const Pool gates = narrow("gate"), ups = narrow("up"), dys = narrow("dy"), dgates = narrow("dgate"),
             dups = narrow("dup"), sigmoids = wide("sigmoid"), mirrored = wide("sigmoid of -gate"),
             shares = wide("dy s"), products = wide("dy s up"), slopes = wide("gate t");
  for (const Range& rows : row_tiles(machine, shape.tokens))
    for (const Range& columns : cut(all_of(shape.columns), width)) {
      const auto take = [&](Pool pool) { return kernel.take(pool, rows.count, columns.count); };
      const auto window = [&](const HbmView& view) {
        return view.window(rows.first, columns.first, rows.count, columns.count);
      };
      const TileView gate = take(gates), up = take(ups), dy = take(dys), s = take(sigmoids),
                     t = take(mirrored), share = take(shares), product = take(products), slope = take(slopes),
                     dgate = take(dgates), dup = take(dups);
      kernel.load(gate, window(views.gate));
      kernel.load(dy, window(views.dy));
      kernel.load(up, window(views.up));
      kernel.activation(s, gate, isa::ActFn::kSigmoid);
      kernel.activation(t, gate, isa::ActFn::kSigmoid, {-1.0F, nullptr});
      kernel.tensor_tensor(share, dy, s, AluOp::kMult, Queue::kGpSimd);
      kernel.tensor_tensor(product, share, up, AluOp::kMult, Queue::kGpSimd);
      kernel.tensor_tensor(slope, gate, t, AluOp::kMult);
      kernel.tensor_tensor(dup, share, gate, AluOp::kMult);
      kernel.scalar_tensor_tensor(dgate, slope, AluOp::kAdd, {1.0F, nullptr}, AluOp::kMult, product);
      // By the engine that made them: no other one then waits for it on account of a store.
      kernel.store(window(views.dup), dup, Queue::kVector);
      kernel.store(window(views.dgate), dgate, Queue::kVector);
    }
}

}  // namespace tahoma::workloads
