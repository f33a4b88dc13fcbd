// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/blocking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "isa/instruction.h"
#include "model/base/error.h"
#include "runtime/scheduler.h"

namespace tahoma::workloads {

namespace {

constexpr std::uint64_t kFewMatmuls = 256;  // below: a quarter of PSUM will do, and spares the host memory
constexpr double kLatencyNs = 2500;         // of a load, doorbell to semaphore, with some of its transfer
constexpr std::uint64_t kLoadBytes = 4096;  // of a partition of b, where several tiles share a load
constexpr double kHandoverNs = 250;         // to the engine that empties a bank, and back
// The DMA engines' time is a bound with nothing else in the way: plan with a margin, and let every byte cost
// something, for the neighbour on the same HBM stack and the links.
constexpr double kDmaMargin = 0.75;
constexpr double kDmaPrice = 0.05;
constexpr double kAlmost = 1.002;  // among estimates this close, the least SBUF: it costs the host memory

constexpr unsigned kTagsPerElement = 4;  // rows of C whose tags share an element do not part

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
std::uint64_t aligned(std::uint64_t bytes) { return ceil_div(bytes, 64) * 64; }

// The machine's rates in plain numbers: nanoseconds and bytes.
struct Rates {
  explicit Rates(const model::MachineParams& machine) {
    const model::CoreParams& core = machine.chip.core;
    tensor_ghz = static_cast<double>(core.tensor.clock.hz) * 1e-9;
    issue_cycles = static_cast<double>(core.tensor.issue_overhead.count);
    dma_ghz = static_cast<double>(core.dma.clock.hz) * 1e-9;
    dma_bytes = static_cast<double>(core.dma.bytes_per_cycle.count);
    dma_overhead = static_cast<double>(core.dma.element_overhead.count);
    turning = static_cast<double>(core.dma.transpose_from_hbm) / 100;
    const model::HbmParams& hbm = machine.chip.hbm;
    if (!hbm.bandwidth.ideal)
      hbm_ns_per_byte = 1e9 / static_cast<double>(hbm.bandwidth.bytes_per_second) *
                        static_cast<double>(machine.chip.cores) / static_cast<double>(hbm.stacks);
  }

  double matmul_ns(double columns, isa::DType dtype) const {
    return (columns * (dtype == isa::DType::kFp32 ? 4 : 1) + issue_cycles) / tensor_ghz;
  }
  // `rows` contiguous runs of `bytes` each.
  double move_ns(double rows, double bytes) const {
    const double engines = rows * (bytes / dma_bytes + dma_overhead) / dma_ghz / isa::kDmaEngines;
    return std::max(engines, rows * bytes * hbm_ns_per_byte);
  }

  double turn_ns(double rows, double bytes) const { return move_ns(rows, bytes) / turning; }

  double tensor_ghz, issue_cycles, dma_ghz, dma_bytes, dma_overhead, turning, hbm_ns_per_byte = 0;
};

class Search {
 public:
  Search(const model::MachineParams& machine, const GemmShape& shape)
      : core_(machine.chip.core),
        rates_(machine),
        shape_(shape),
        in_(isa::size_of(shape.dtype)),
        out_(isa::size_of(shape.out)) {}

  std::optional<Blocking> with_tiles(unsigned kt, unsigned mt, unsigned nt) {
    kt_ = kt, mt_ = mt, nt_ = nt;
    k_tiles_ = ceil_div(shape_.partitions(), kt), m_tiles_ = ceil_div(shape_.m, mt),
    n_tiles_ = ceil_div(shape_.n, nt);
    const auto banks = static_cast<unsigned>(core_.psum.per_partition.count / core_.psum.bank.count);
    const bool few = k_tiles_ * m_tiles_ * n_tiles_ < kFewMatmuls;
    banks_ = few ? std::max(std::min(2U, banks), banks / 4) : banks;
    for (unsigned group_n = 1; group_n <= std::min<std::uint64_t>(banks_, n_tiles_); group_n *= 2)
      for (unsigned group_m = 1; group_m * group_n <= banks_ && group_m <= m_tiles_; group_m *= 2)
        groups(group_m, group_n);
    return best();
  }

 private:
  void groups(unsigned group_m, unsigned group_n) {
    Blocking b;
    b.kt = kt_, b.mt = mt_, b.nt = nt_, b.group_m = group_m, b.group_n = group_n;
    b.psum_copies = std::min(banks_, 2 * group_m * group_n);
    for (const unsigned c_copies : {group_m, 2 * group_m, 8U, 16U}) {
      b.c_copies = std::max(2U, c_copies);
      stream(b, false);
      // Only where a lies by rows: what is chosen for the others was settled without it.
      if (shape_.a_by_rows && n_tiles_ == 1) stream(b, true);
      for (unsigned strips = group_m; strips <= round_up(m_tiles_, group_m) && strips <= 16; strips *= 2)
        for (unsigned panels = group_n; panels <= round_up(n_tiles_, group_n) && panels <= 32;
             panels += group_n)
          resident(b, strips, panels);
    }
  }

  static std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return ceil_div(value, unit) * unit;
  }

  void resident(Blocking b, unsigned strip_tiles, unsigned panel_tiles) {
    b.resident = true;
    b.strip = columns(std::uint64_t{strip_tiles} * mt_, shape_.m);
    b.panel = columns(std::uint64_t{panel_tiles} * nt_, shape_.n);
    const std::uint64_t columns_of_k = shape_.a_width(b.strip) + shape_.b_width(b.panel);
    if (k_tiles_ * columns_of_k * in_ > core_.sbuf.usable.count) return;
    const std::uint64_t panels = ceil_div(shape_.n, b.panel), strips = ceil_div(shape_.m, b.strip);
    b.b_stack = stack_of(b);
    for (const unsigned ahead : {8U, 4U, 2U, 1U})
      for (const bool next : {true, false}) {
        if (next && panels == 1) continue;
        b.next_panel = next;
        b.a_copies = static_cast<unsigned>(k_tiles_ + (strips * panels > 1 ? ahead : 0));
        b.b_copies = static_cast<unsigned>(k_loads(b) * (next ? 2 : 1) + (panels > 1 && !next ? ahead : 0));
        if (fits(b)) consider(b, resident_ns(b, panels, strips, ahead));
        Blocking all = b;
        all.all_strips = true;
        all.a_copies = static_cast<unsigned>(k_tiles_ * strips);
        if (panels > 1 && fits(all)) consider(all, resident_ns(all, panels, strips, ahead));
      }
  }

  // Tile by tile: both, or a alone past a b that is one tile wide and stays, so that no tile is met twice.
  void stream(Blocking b, bool panel_stays) {
    b.resident = false;
    b.panel_stays = panel_stays;
    b.strip = columns(std::uint64_t{b.group_m} * mt_, shape_.m);
    b.panel = columns(std::uint64_t{b.group_n} * nt_, shape_.n);
    b.b_stack = stack_of(b);
    const auto rows = static_cast<double>(std::min<std::uint64_t>(kt_, shape_.partitions()));
    for (const unsigned ahead : {16U, 8U, 4U, 2U, 1U}) {
      b.b_copies = panel_stays ? static_cast<unsigned>(k_loads(b)) : ahead;
      b.a_copies = ahead * b.b_stack;
      if (!fits(b)) continue;
      const double steps = static_cast<double>(k_tiles_) * groups_of(b);
      const double b_steps = panel_stays ? static_cast<double>(k_tiles_) : steps;
      const double moves = steps * a_load_ns(rows, b) + b_steps * b_load_ns(rows, b);
      // The pools hold `ahead` steps: a load's latency shows when they pass faster than that.
      const double pace = std::max(step_ns(b), moves / steps);
      const double wait = std::max(0.0, kLatencyNs / ahead - pace);
      consider(b, work_ns(b, moves + store_ns(b)) + steps * wait + edges_ns(b));
      return;
    }
  }

  double resident_ns(const Blocking& b, std::uint64_t panels, std::uint64_t strips, unsigned ahead) const {
    const auto partitions = static_cast<double>(shape_.partitions());
    const double a_strip = a_load_ns(partitions, b), b_panel = b_load_ns(partitions, b);
    const auto a_strips = static_cast<double>(b.all_strips ? strips : panels * strips);
    const double moves = a_strips * a_strip + static_cast<double>(panels) * b_panel + store_ns(b);
    const double first_group = static_cast<double>(k_tiles_) * step_ns(b);
    // Until the first strip and panel are there, the array waits for what its first group cannot cover.
    const double start = std::max(0.0, a_strip + b_panel - first_group);
    const double per_switch = start + std::max(0.0, kLatencyNs - ahead * step_ns(b));
    const double of_a = b.all_strips ? 0 : std::max(0.0, a_strip - first_group);
    const double switches = b.next_panel ? of_a : per_switch;
    const double strip_switch = std::max(0.0, a_strip - first_group * (ahead >= 2 ? 1.0 : 0.5));
    return work_ns(b, moves) + start + static_cast<double>(panels - 1) * switches +
           (b.all_strips ? static_cast<double>(strips - 1) : static_cast<double>(panels * (strips - 1))) *
               strip_switch +
           edges_ns(b);
  }

  // What bounds the steady state: the array, the DMA engines, or stores that each hold a tile of c until they
  // have landed.
  double work_ns(const Blocking& b, double moves) const {
    const double stores = static_cast<double>(m_tiles_ * ceil_div(n_tiles_, b.group_n));
    const double landing = stores * kLatencyNs / b.c_copies;
    return std::max({tensor_ns(), moves / kDmaMargin, landing, latencies_ns(b)}) + kDmaPrice * moves;
  }

  // What latencies add up to where little is computed with what is loaded. Only where a lies by rows; what is
  // chosen for the others was settled without it.
  double latencies_ns(const Blocking& b) const {
    return shape_.a_by_rows ? std::max(banks_ns(b), loads_ns(b)) : 0;
  }
  // Banks are taken from a group's first matmul until an engine has emptied them: short contractions.
  double banks_ns(const Blocking& b) const {
    const unsigned group = b.group_m * b.group_n;
    const double passes = shape_.epilogue.only_rounds() ? 0.5 : 1;
    const double emptied = std::ceil(group * passes) * static_cast<double>(nt_) + kHandoverNs;
    return groups_of(b) * (static_cast<double>(k_tiles_) * step_ns(b) + emptied) * group / b.psum_copies;
  }
  // Tiles of b hold a buffer until their panel is done, loads one of the queue's semaphores until they have
  // landed: few rows.
  double loads_ns(const Blocking& b) const {
    const double rows = b.b_stack * std::min<double>(kt_, static_cast<double>(shape_.k));
    const double landing = kLatencyNs + b_load_ns(rows, b);
    const double used = keeps_panel(b) ? tensor_ns() / panels_of(b) : b.b_stack * step_ns(b);
    return std::max(b_loads(b) * (landing + used) / b.b_copies,
                    (b_loads(b) + (b.a_first(shape_) ? 0 : a_loads(b))) * landing / runtime::kDmaSlots);
  }
  // How often all of K of b is brought.
  double panels_of(const Blocking& b) const {
    return keeps_panel(b) ? static_cast<double>(ceil_div(shape_.n, b.panel)) : groups_of(b);
  }
  double b_loads(const Blocking& b) const { return static_cast<double>(k_loads(b)) * panels_of(b); }
  double a_loads(const Blocking& b) const {
    const auto strips = static_cast<double>(ceil_div(shape_.m, b.strip));
    return static_cast<double>(k_tiles_) *
           (b.all_strips ? strips : panels_of(b) * (keeps_panel(b) ? strips : 1));
  }

  static bool keeps_panel(const Blocking& b) { return b.resident || b.panel_stays; }

  double tensor_ns() const {
    const std::uint64_t whole_tiles = shape_.n / nt_;
    const double whole = static_cast<double>(whole_tiles) * rates_.matmul_ns(nt_, shape_.dtype);
    const auto rest = static_cast<double>(shape_.n % nt_);
    return static_cast<double>(m_tiles_ * k_tiles_) *
           (whole + (rest > 0 ? rates_.matmul_ns(rest, shape_.dtype) : 0));
  }
  // One step in k of one group.
  double step_ns(const Blocking& b) const {
    return b.group_m * b.group_n * rates_.matmul_ns(nt_, shape_.dtype);
  }
  // A strip and a panel of so many partitions of the contraction.
  double a_load_ns(double partitions, const Blocking& b) const {
    if (shape_.a_by_rows) return turned_load_ns(partitions, b.strip);
    const double weights = rates_.move_ns(partitions * shape_.a_slices(), static_cast<double>(b.strip * in_));
    return shape_.sparse() ? weights + rates_.move_ns(partitions, static_cast<double>(tag_bytes(b)))
                           : weights;
  }
  double b_load_ns(double partitions, const Blocking& b) const {
    if (shape_.b_by_rows) return turned_load_ns(partitions, b.panel);
    return rates_.move_ns(partitions * shape_.b_slices(), static_cast<double>(b.panel * in_));
  }
  // Few rows meet every element of b once: loads that do not hide their latency are the bound.
  unsigned stack_of(const Blocking& b) const {
    if (!shape_.a_by_rows || shape_.b_by_rows || shape_.m > mt_) return 1;
    return static_cast<unsigned>(std::clamp<std::uint64_t>(kLoadBytes / (b.panel * in_), 1,
                                                           std::max<std::uint64_t>(1, shape_.k / kt_)));
  }
  // Of a panel: whole tiles of K, stacked, and what is left.
  std::uint64_t k_loads(const Blocking& b) const {
    return b.b_stack == 1 ? k_tiles_ : ceil_div(shape_.k / kt_, b.b_stack) + (shape_.k % kt_ > 0 ? 1 : 0);
  }
  double turned_load_ns(double partitions, std::uint64_t rows) const {
    return rates_.turn_ns(static_cast<double>(turned_rows(rows)) * std::ceil(partitions / kt_),
                          static_cast<double>(std::min<std::uint64_t>(kt_, shape_.k) * in_));
  }
  static std::uint64_t tag_bytes(const Blocking& b) {
    return GemmShape::tag_columns(b.strip) * sizeof(std::uint16_t);
  }
  double groups_of(const Blocking& b) const {
    return static_cast<double>(ceil_div(m_tiles_, b.group_m) * ceil_div(n_tiles_, b.group_n));
  }
  double store_ns(const Blocking& b) const {
    const double width = std::min<double>(static_cast<double>(shape_.n), b.group_n * nt_);
    return static_cast<double>(shape_.m) * static_cast<double>(shape_.n) / width *
           rates_.move_ns(1, width * static_cast<double>(out_)) * (shape_.epilogue.residual ? 2 : 1);
  }
  // Last group's evacuation and store, and the pauses of a PSUM without a second set of tiles.
  double edges_ns(const Blocking& b) const {
    // Two engines take turns, or each has a pass of its own.
    const double passes = shape_.epilogue.only_rounds() ? 0.5 : 1;
    const double evacuate = b.group_m * b.group_n * passes * static_cast<double>(nt_);
    const bool second = b.psum_copies >= 2 * b.group_m * b.group_n;
    const double hidden = static_cast<double>(k_tiles_) * step_ns(b);
    return evacuate + groups_of(b) * (second ? std::max(0.0, evacuate - hidden) : 0.5 * evacuate);
  }

  unsigned columns(std::uint64_t wanted, std::uint64_t size) const {
    return static_cast<unsigned>(std::min(wanted, size));
  }

  bool fits(Blocking& b) const {
    const std::uint64_t c = aligned(columns(std::uint64_t{b.group_n} * nt_, shape_.n) * out_);
    b.sbuf_bytes = b.a_copies * aligned(shape_.a_width(b.strip) * in_) +
                   b.b_copies * aligned(shape_.b_width(b.panel) * b.b_stack * in_) + b.c_copies * c;
    if (shape_.sparse()) b.sbuf_bytes += b.a_copies * aligned(tag_bytes(b));
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

  std::optional<Blocking> best() const {
    if (found_.empty()) return std::nullopt;
    const auto less = [](const Blocking& x, const Blocking& y) { return x.estimate_ns < y.estimate_ns; };
    const Blocking* choice = &*std::min_element(found_.begin(), found_.end(), less);
    const double good_enough = choice->estimate_ns * kAlmost;
    for (const Blocking& b : found_)
      if (b.estimate_ns <= good_enough && cheaper(b, *choice)) choice = &b;
    return *choice;
  }

  // Of two with almost the same estimate. Where a lies by rows, what few loads bring does not depend on how
  // well their latencies are hidden.
  bool cheaper(const Blocking& b, const Blocking& other) const {
    const double loads = a_loads(b) + b_loads(b), others = a_loads(other) + b_loads(other);
    if (shape_.a_by_rows && loads != others) return loads < others;
    return b.sbuf_bytes < other.sbuf_bytes;
  }

  const model::CoreParams& core_;
  Rates rates_;
  GemmShape shape_;
  std::uint64_t in_, out_;
  unsigned kt_ = 0, mt_ = 0, nt_ = 0, banks_ = 0;
  std::uint64_t k_tiles_ = 0, m_tiles_ = 0, n_tiles_ = 0;
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
  if (shape.a_by_rows || shape.b_by_rows) kt = std::min(kt, kTurnedColumns);
  // A small SBUF holds smaller tiles: first narrower ones, then fewer output rows.
  const unsigned kept = std::max<unsigned>(1, isa::row_of(shape.mode).kept);
  for (unsigned divisor = 1; divisor <= nt; divisor *= 2) {
    const unsigned rows = std::max(1U, divisor <= 8 ? mt : mt * 8 / divisor);
    if (shape.sparse() && (rows % kTagsPerElement != 0 || kt < kept)) break;
    if (auto found = Search(machine, shape).with_tiles(kt / kept * kept, rows, nt / divisor)) return *found;
  }
  throw base::UserError("E-RUN-024", "gemm",
                        fmt::format("no tile fits: SBUF has {} bytes a partition, PSUM {}",
                                    core.sbuf.usable.count, core.psum.per_partition.count));
}

}  // namespace tahoma::workloads
