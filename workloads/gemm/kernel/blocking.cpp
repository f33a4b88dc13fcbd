// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/kernel/blocking.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "isa/core/instruction.h"
#include "model/base/error.h"
#include "workloads/common/ceil_div.h"
#include "workloads/gemm/kernel/blocking_estimate.h"

namespace tahoma::workloads {

namespace {

constexpr std::uint64_t kFewMatmuls = 256;  // below this, a quarter of PSUM is enough and saves host memory
constexpr double kAlmost = 1.002;  // among estimates this close, the least SBUF wins: it costs host memory

constexpr unsigned kTagsPerElement = 4;  // rows of C whose tags share an element stay together

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return ceil_div(value, unit) * unit; }

unsigned columns(std::uint64_t wanted, std::uint64_t size) {
  return static_cast<unsigned>(std::min(wanted, size));
}

// All blockings with tiles of one size that fit.
class Search {
 public:
  Search(const model::MachineParams& machine, const GemmShape& shape, const GemmTiles& tiles)
      : core_(machine.chip.core),
        shape_(shape),
        tiles_(tiles),
        estimate_(machine, shape, tiles),
        in_(isa::size_of(shape.dtype)),
        in_of_b_(isa::size_of(shape.dtype_of_b())),
        out_(isa::size_of(shape.out)) {}

  // The fastest blocking, if any fits.
  std::optional<Blocking> best() {
    const std::uint64_t m_tiles = estimate_.m_tiles(), n_tiles = estimate_.n_tiles();
    const auto all_banks = static_cast<unsigned>(core_.psum.per_partition.count / core_.psum.bank.count);
    const bool few = estimate_.k_tiles() * m_tiles * n_tiles < kFewMatmuls;
    banks_ = few ? std::max(std::min(2U, all_banks), all_banks / 4) : all_banks;
    for (unsigned group_n = 1; group_n <= std::min<std::uint64_t>(banks_, n_tiles); group_n *= 2)
      for (unsigned group_m = 1; group_m * group_n <= banks_ && group_m <= m_tiles; group_m *= 2)
        groups(group_m, group_n);
    return choice();
  }

 private:
  void groups(unsigned group_m, unsigned group_n) {
    Blocking b;
    b.kt = tiles_.kt, b.mt = tiles_.mt, b.nt = tiles_.nt, b.group_m = group_m, b.group_n = group_n;
    b.psum_copies = std::min(banks_, 2 * group_m * group_n);
    for (const unsigned c_copies : {group_m, 2 * group_m, 8U, 16U}) {
      b.c_copies = std::max(2U, c_copies);
      stream(b, false);
      // Only if `a` is by rows; the choice for other layouts was tuned without it.
      if (shape_.a_by_rows && estimate_.n_tiles() == 1) stream(b, true);
      for (unsigned strips = group_m; strips <= round_up(estimate_.m_tiles(), group_m) && strips <= 16;
           strips *= 2)
        for (unsigned panels = group_n; panels <= round_up(estimate_.n_tiles(), group_n) && panels <= 32;
             panels += group_n)
          resident(b, strips, panels);
    }
  }

  void resident(Blocking b, unsigned strip_tiles, unsigned panel_tiles) {
    b.resident = true;
    b.strip = columns(std::uint64_t{strip_tiles} * tiles_.mt, shape_.m);
    b.panel = columns(std::uint64_t{panel_tiles} * tiles_.nt, shape_.n);
    const std::uint64_t k_tiles = estimate_.k_tiles();
    const std::uint64_t of_k = shape_.a_width(b.strip) * in_ + shape_.b_width(b.panel) * in_of_b_;
    if (k_tiles * of_k > core_.sbuf.usable.count) return;
    const std::uint64_t panels = ceil_div(shape_.n, b.panel), strips = ceil_div(shape_.m, b.strip);
    b.b_stack = estimate_.stack_of(b);
    const std::uint64_t k_loads = estimate_.k_loads(b);
    for (const unsigned ahead : {8U, 4U, 2U, 1U})
      for (const bool next : {true, false}) {
        if (next && panels == 1) continue;
        b.next_panel = next;
        b.a_copies = static_cast<unsigned>(k_tiles + (strips * panels > 1 ? ahead : 0));
        b.b_copies = static_cast<unsigned>(k_loads * (next ? 2 : 1) + (panels > 1 && !next ? ahead : 0));
        if (fits(b)) consider(b, estimate_.resident_ns(b, ahead));
        Blocking all = b;
        all.all_strips = true;
        all.a_copies = static_cast<unsigned>(k_tiles * strips);
        if (panels > 1 && fits(all)) consider(all, estimate_.resident_ns(all, ahead));
      }
  }

  // Tile by tile: both operands, or `a` alone if b is one tile wide and stays, so that no tile is loaded
  // twice.
  void stream(Blocking b, bool panel_stays) {
    b.resident = false;
    b.panel_stays = panel_stays;
    b.strip = columns(std::uint64_t{b.group_m} * tiles_.mt, shape_.m);
    b.panel = columns(std::uint64_t{b.group_n} * tiles_.nt, shape_.n);
    b.b_stack = estimate_.stack_of(b);
    for (const unsigned ahead : {16U, 8U, 4U, 2U, 1U}) {
      b.b_copies = panel_stays ? static_cast<unsigned>(estimate_.k_loads(b)) : ahead;
      b.a_copies = ahead * b.b_stack;
      if (!fits(b)) continue;
      consider(b, estimate_.streamed_ns(b, ahead));
      return;
    }
  }

  bool fits(Blocking& b) const {
    const std::uint64_t c = aligned(columns(std::uint64_t{b.group_n} * tiles_.nt, shape_.n) * out_);
    b.sbuf_bytes = b.a_copies * aligned(shape_.a_width(b.strip) * in_) +
                   b.b_copies * aligned(shape_.b_width(b.panel) * b.b_stack * in_of_b_) + b.c_copies * c;
    if (shape_.sparse()) b.sbuf_bytes += b.a_copies * aligned(GemmShape::tag_bytes(b.strip));
    if (shape_.epilogue.residual) b.sbuf_bytes += b.c_copies * c;
    if (shape_.epilogue.bias == BiasOf::kRows) b.sbuf_bytes += b.c_copies * aligned(sizeof(float));
    if (shape_.epilogue.bias == BiasOf::kColumns)
      b.sbuf_bytes +=
          std::uint64_t{2} * kPanelsOfBias * aligned(b.panel * sizeof(float)) + aligned(b.mt * sizeof(float));
    return b.sbuf_bytes <= core_.sbuf.usable.count;
  }

  void consider(const Blocking& b, double estimate) {
    found_.push_back(b);
    found_.back().estimate_ns = estimate;
  }

  std::optional<Blocking> choice() const {
    if (found_.empty()) return std::nullopt;
    const auto less = [](const Blocking& x, const Blocking& y) { return x.estimate_ns < y.estimate_ns; };
    const Blocking* chosen = &*std::min_element(found_.begin(), found_.end(), less);
    const double good_enough = chosen->estimate_ns * kAlmost;
    for (const Blocking& b : found_)
      if (b.estimate_ns <= good_enough && cheaper(b, *chosen)) chosen = &b;
    return *chosen;
  }

  // Chooses between two blockings with almost the same estimate. If `a` is by rows, few loads do not depend
  // on how well their latencies are hidden.
  bool cheaper(const Blocking& b, const Blocking& other) const {
    const double loads = estimate_.loads(b), others = estimate_.loads(other);
    if (shape_.a_by_rows && loads != others) return loads < others;
    return b.sbuf_bytes < other.sbuf_bytes;
  }

  const model::CoreParams& core_;
  GemmShape shape_;
  GemmTiles tiles_;
  BlockingEstimate estimate_;
  std::uint64_t in_, in_of_b_, out_;
  unsigned banks_ = 0;
  std::vector<Blocking> found_;
};

}  // namespace

GemmTiles largest_tiles(const model::CoreParams& core) {
  return {static_cast<unsigned>(std::min(core.tensor.rows, core.sbuf.partitions)),
          static_cast<unsigned>(std::min(core.tensor.columns, core.sbuf.partitions)),
          static_cast<unsigned>(std::min(core.tensor.moving_columns, core.psum.bank.count / sizeof(float)))};
}

Blocking choose_blocking(const model::MachineParams& machine, const GemmShape& shape) {
  const model::CoreParams& core = machine.chip.core;
  auto [kt, mt, nt] = largest_tiles(core);
  if (shape.a_by_rows || shape.b_by_rows) kt = std::min(kt, kTransposeColumns);
  // A small SBUF needs smaller tiles: first narrower ones, then fewer output rows.
  const unsigned kept = std::max<unsigned>(1, isa::row_of(shape.mode).kept);
  for (unsigned divisor = 1; divisor <= nt; divisor *= 2) {
    const unsigned rows = std::max(1U, divisor <= 8 ? mt : mt * 8 / divisor);
    if (shape.sparse() && (rows % kTagsPerElement != 0 || kt < kept)) break;
    if (auto found = Search(machine, shape, {kt / kept * kept, rows, nt / divisor}).best()) return *found;
  }
  throw base::UserError("E-RUN-024", "gemm",
                        fmt::format("no tile fits: SBUF has {} bytes per partition, PSUM {}",
                                    core.sbuf.usable.count, core.psum.per_partition.count));
}

}  // namespace tahoma::workloads
