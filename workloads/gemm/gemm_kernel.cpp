// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/gemm_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "model/base/error.h"
#include "runtime/kernel.h"
#include "workloads/gemm/ranges.h"

namespace tahoma::workloads {

namespace {

using runtime::HbmView;
using runtime::Kernel;
using runtime::TileView;

class BlockedGemm {
 public:
  BlockedGemm(Kernel& kernel, const GemmShape& shape, const Blocking& blocking, const HbmView& a,
              const HbmView& b, const HbmView& c)
      : kernel_(kernel),
        blocking_(blocking),
        a_(a),
        b_(b),
        c_(c),
        a_pool_(kernel.sbuf("a", shape.dtype, blocking.strip, blocking.a_copies)),
        b_pool_(kernel.sbuf("b", shape.dtype, blocking.panel, blocking.b_copies)),
        c_pool_(kernel.sbuf("c", shape.out, std::min(blocking.panel, blocking.group_n * blocking.nt),
                            blocking.c_copies)),
        psum_(kernel.psum("sums", isa::DType::kFp32, blocking.nt, blocking.psum_copies)),
        k_(cut(all_of(shape.k), blocking.kt)),
        strips_(cut(all_of(shape.m), blocking.strip)),
        panels_(cut(all_of(shape.n), blocking.panel)) {}

  void emit() {
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      take_panel();
      for (std::size_t s = 0; s < strips_.size(); ++s) {
        a_tiles_.assign(k_.size(), std::nullopt);
        emit_block(panels_[p], strips_[s],
                   s + 1 == strips_.size() && p + 1 < panels_.size() ? &panels_[p + 1] : nullptr);
      }
    }
  }

 private:
  // The panel that was loaded ahead, or an empty one.
  void take_panel() {
    if (next_b_tiles_.empty()) next_b_tiles_.assign(k_.size(), std::nullopt);
    b_tiles_ = std::move(next_b_tiles_);
    next_b_tiles_.clear();
  }

  void emit_block(const Range& panel, const Range& strip, const Range* next) {
    for (const Range& rows : cut(strip, blocking_.group_m * blocking_.mt))
      for (const Range& columns : cut(panel, blocking_.group_n * blocking_.nt)) {
        emit_group(panel, strip, rows, columns);
        if (next != nullptr && blocking_.next_panel && next_b_tiles_.empty()) load_next_panel(*next);
      }
  }

  // Behind the last strip's own loads, so that it does not hold them up.
  void load_next_panel(const Range& next) {
    next_b_tiles_.assign(k_.size(), std::nullopt);
    for (std::size_t k = 0; k < k_.size(); ++k) load_once(next_b_tiles_[k], b_pool_, b_, k_[k], next);
  }

  const TileView& load_once(std::optional<TileView>& tile, runtime::Pool pool, const HbmView& from,
                            const Range& k, const Range& columns) {
    if (!tile) {
      tile = kernel_.take(pool, k.count, columns.count);
      kernel_.load(*tile, from.window(k.first, columns.first, k.count, columns.count), isa::Queue::kSync);
    }
    return *tile;
  }

  void emit_group(const Range& panel, const Range& strip, const Range& rows, const Range& columns) {
    const std::vector<Range> row_tiles = cut(rows, blocking_.mt), column_tiles = cut(columns, blocking_.nt);
    std::vector<TileView> sums;
    for (const Range& r : row_tiles)
      for (const Range& c : column_tiles) sums.push_back(kernel_.take(psum_, r.count, c.count));
    if (!blocking_.resident) {
      a_tiles_.assign(k_.size(), std::nullopt);
      b_tiles_.assign(k_.size(), std::nullopt);
    }
    for (std::size_t k = 0; k < k_.size(); ++k) {
      const TileView& b = load_once(b_tiles_[k], b_pool_, b_, k_[k], panel);
      const TileView& a = load_once(a_tiles_[k], a_pool_, a_, k_[k], strip);
      std::size_t sum = 0;
      for (const Range& r : row_tiles)
        for (const Range& c : column_tiles)
          kernel_.matmul(sums[sum++], a.columns(static_cast<unsigned>(r.first - strip.first), r.count),
                         b.columns(static_cast<unsigned>(c.first - panel.first), c.count), k > 0);
    }
    evacuate(sums, row_tiles, columns, column_tiles);
  }

  // Vector and scalar engine share the work of emptying PSUM.
  void evacuate(const std::vector<TileView>& sums, const std::vector<Range>& row_tiles, const Range& columns,
                const std::vector<Range>& column_tiles) {
    std::size_t sum = 0;
    for (const Range& r : row_tiles) {
      const TileView out = kernel_.take(c_pool_, r.count, columns.count);
      for (const Range& c : column_tiles) {
        const isa::Queue on = evacuated_++ % 2 == 0 ? isa::Queue::kVector : isa::Queue::kScalar;
        kernel_.copy(out.columns(static_cast<unsigned>(c.first - columns.first), c.count), sums[sum++], on);
      }
      kernel_.store(c_.window(r.first, columns.first, r.count, columns.count), out, isa::Queue::kGpSimd);
    }
  }

  Kernel& kernel_;
  Blocking blocking_;
  HbmView a_, b_, c_;
  runtime::Pool a_pool_, b_pool_, c_pool_, psum_;
  std::vector<Range> k_, strips_, panels_;
  std::vector<std::optional<TileView>> a_tiles_, b_tiles_, next_b_tiles_;
  std::size_t evacuated_ = 0;
};

void check_length(const model::MachineParams& machine, const GemmShape& shape, const GemmTiles& t) {
  const auto tiles = [](std::uint64_t size, std::uint64_t tile) { return (size + tile - 1) / tile; };
  const std::uint64_t matmuls = tiles(shape.m, t.mt) * tiles(shape.n, t.nt) * tiles(shape.k, t.kt);
  if (matmuls <= kMostMatmuls) return;
  throw base::UserError(
      "E-RUN-031", "workload.shard",
      fmt::format("{}x{}x{} on one core takes {} matmuls, more than the {} a program may have; shard "
                  "over more of the {} cores",
                  shape.m, shape.n, shape.k, matmuls, kMostMatmuls, machine.cores()));
}

void emit_chosen(Kernel& kernel, const model::MachineParams& machine, const GemmShape& shape,
                 const GemmViews& views) {
  const Blocking blocking = choose_blocking(machine, shape);
  check_length(machine, shape, {blocking.kt, blocking.mt, blocking.nt});
  BlockedGemm(kernel, shape, blocking, views.a, views.b, views.c).emit();
}

}  // namespace

void emit_gemm(GemmKernel nest, Kernel& kernel, const model::MachineParams& machine, const GemmShape& shape,
               const GemmViews& views) {
  if (nest == GemmKernel::kChosen) return emit_chosen(kernel, machine, shape, views);
  check_length(machine, shape, largest_tiles(machine.chip.core));
  if (nest == GemmKernel::kNaive) return emit_naive(kernel, machine, shape, views);
  emit_blocked(kernel, machine, shape, views, nest == GemmKernel::kRowLoads ? kRowLoadsNest : kBlockedNest);
}

// Inferred from 600 ns a load: README.md.
isa::Program finish_gemm(GemmKernel nest, Kernel& kernel) {
  isa::Program program = kernel.finish();
  if (nest == GemmKernel::kChosen) return program;
  for (const isa::Queue queue : {isa::Queue::kSync, isa::Queue::kScalar})
    for (isa::Instruction& i : program.stream(queue))
      if (i.op == isa::Opcode::kDmaCopy) i.dge = isa::Dge::kHw;
  return program;
}

isa::Program gemm_program(const model::MachineParams& machine, const GemmShape& shape, GemmKernel nest) {
  Kernel kernel("gemm", machine);
  const HbmView a = kernel.argument("a", shape.dtype, shape.k, shape.m);
  const HbmView b = kernel.argument("b", shape.dtype, shape.k, shape.n);
  const HbmView c = kernel.argument("c", shape.out, shape.m, shape.n);
  emit_gemm(nest, kernel, machine, shape, {a, b, c});
  return finish_gemm(nest, kernel);
}

}  // namespace tahoma::workloads
