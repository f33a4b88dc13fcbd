// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/kernel/blocking_estimate.h"

#include <algorithm>
#include <cmath>

#include "runtime/builder/scheduler.h"

namespace tahoma::workloads {

namespace {

constexpr double kLatencyNs = 2500;         // of a load, doorbell to semaphore, with part of its transfer
constexpr std::uint64_t kLoadBytes = 4096;  // of a partition of b, if several tiles share a load
constexpr double kHandoverNs = 250;         // to the engine that evacuates a bank, and back
// The DMA engines' time is a bound without contention. The estimate adds a margin and a cost per byte, for
// contention on the HBM stack and the links.
constexpr double kDmaMargin = 0.75;
constexpr double kDmaPrice = 0.05;

bool keeps_panel(const Blocking& b) { return b.resident || b.panel_stays; }

}  // namespace

BlockingEstimate::Rates::Rates(const model::MachineParams& machine) {
  const model::CoreParams& core = machine.chip.core;
  tensor_ghz = static_cast<double>(core.tensor.clock.hz) * 1e-9;
  issue_cycles = static_cast<double>(core.tensor.issue_overhead.count);
  dma_ghz = static_cast<double>(core.dma.clock.hz) * 1e-9;
  dma_bytes = static_cast<double>(core.dma.bytes_per_cycle.count);
  dma_overhead = static_cast<double>(core.dma.element_overhead.count);
  transposing = static_cast<double>(core.dma.transpose_from_hbm) / 100;
  const model::HbmParams& hbm = machine.chip.hbm;
  if (!hbm.bandwidth.ideal)
    hbm_ns_per_byte = 1e9 / static_cast<double>(hbm.bandwidth.bytes_per_second) *
                      static_cast<double>(machine.chip.cores) / static_cast<double>(hbm.stacks);
}

double BlockingEstimate::Rates::matmul_ns(double columns, isa::DType dtype) const {
  return (columns * (dtype == isa::DType::kFp32 ? 4 : 1) + issue_cycles) / tensor_ghz;
}

double BlockingEstimate::Rates::move_ns(double rows, double bytes) const {
  const double engines = rows * (bytes / dma_bytes + dma_overhead) / dma_ghz / isa::kDmaEngines;
  return std::max(engines, rows * bytes * hbm_ns_per_byte);
}

BlockingEstimate::BlockingEstimate(const model::MachineParams& machine, const GemmShape& shape,
                                   const GemmTiles& tiles)
    : rates_(machine),
      shape_(shape),
      tiles_(tiles),
      k_tiles_(ceil_div(shape.partitions(), tiles.kt)),
      m_tiles_(ceil_div(shape.m, tiles.mt)),
      n_tiles_(ceil_div(shape.n, tiles.nt)),
      in_(isa::size_of(shape.dtype)),
      in_of_b_(isa::size_of(shape.dtype_of_b())),
      out_(isa::size_of(shape.out)) {}

double BlockingEstimate::streamed_ns(const Blocking& b, unsigned ahead) const {
  const auto rows = static_cast<double>(std::min<std::uint64_t>(tiles_.kt, shape_.partitions()));
  const double steps = static_cast<double>(k_tiles_) * groups_of(b);
  const double b_steps = b.panel_stays ? static_cast<double>(k_tiles_) : steps;
  const double moves = steps * a_load_ns(rows, b) + b_steps * b_load_ns(rows, b);
  // The pools hold `ahead` steps: a load's latency shows if the steps take less time.
  const double pace = std::max(step_ns(b), moves / steps);
  const double wait = std::max(0.0, kLatencyNs / ahead - pace);
  return work_ns(b, moves + store_ns(b)) + steps * wait + edges_ns(b);
}

double BlockingEstimate::resident_ns(const Blocking& b, unsigned ahead) const {
  const std::uint64_t panels = ceil_div(shape_.n, b.panel), strips = ceil_div(shape_.m, b.strip);
  const auto partitions = static_cast<double>(shape_.partitions());
  const double a_strip = a_load_ns(partitions, b), b_panel = b_load_ns(partitions, b);
  const auto a_strips = static_cast<double>(b.all_strips ? strips : panels * strips);
  const double moves = a_strips * a_strip + static_cast<double>(panels) * b_panel + store_ns(b);
  const double first_group = static_cast<double>(k_tiles_) * step_ns(b);
  // Until the first strip and panel are loaded, the array waits for the time that its first group cannot
  // cover.
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

// The bound of the steady state: the array, the DMA engines, or stores that each hold a tile of c until they
// have landed.
double BlockingEstimate::work_ns(const Blocking& b, double moves) const {
  const double stores = static_cast<double>(m_tiles_ * ceil_div(n_tiles_, b.group_n));
  const double landing = stores * kLatencyNs / b.c_copies;
  return std::max({tensor_ns(), moves / kDmaMargin, landing, latencies_ns(b)}) + kDmaPrice * moves;
}

// The sum of latencies if there is little computation per load. Only if `a` is by rows; the choice for other
// layouts was tuned without it.
double BlockingEstimate::latencies_ns(const Blocking& b) const {
  return shape_.a_by_rows ? std::max(banks_ns(b), loads_ns(b)) : 0;
}

// A group occupies its banks from its first matmul until an engine has evacuated them; this limits short
// contractions.
double BlockingEstimate::banks_ns(const Blocking& b) const {
  const unsigned group = b.group_m * b.group_n;
  const double passes = shape_.epilogue.only_rounds() ? 0.5 : 1;
  const double emptied = std::ceil(group * passes) * static_cast<double>(tiles_.nt) + kHandoverNs;
  return groups_of(b) * (static_cast<double>(k_tiles_) * step_ns(b) + emptied) * group / b.psum_copies;
}

// Tiles of b hold a buffer until their panel is done, and loads hold one of the queue's semaphores until they
// have landed; this limits GEMMs with few rows.
double BlockingEstimate::loads_ns(const Blocking& b) const {
  const double rows = b.b_stack * std::min<double>(tiles_.kt, static_cast<double>(shape_.k));
  const double landing = kLatencyNs + b_load_ns(rows, b);
  const double used = keeps_panel(b) ? tensor_ns() / panels_of(b) : b.b_stack * step_ns(b);
  return std::max(b_loads(b) * (landing + used) / b.b_copies,
                  (b_loads(b) + (b.a_first(shape_) ? 0 : a_loads(b))) * landing / runtime::kDmaSlots);
}

// The number of times that all of K of b is loaded.
double BlockingEstimate::panels_of(const Blocking& b) const {
  return keeps_panel(b) ? static_cast<double>(ceil_div(shape_.n, b.panel)) : groups_of(b);
}

double BlockingEstimate::a_loads(const Blocking& b) const {
  const auto strips = static_cast<double>(ceil_div(shape_.m, b.strip));
  return static_cast<double>(k_tiles_) *
         (b.all_strips ? strips : panels_of(b) * (keeps_panel(b) ? strips : 1));
}

double BlockingEstimate::groups_of(const Blocking& b) const {
  return static_cast<double>(ceil_div(m_tiles_, b.group_m) * ceil_div(n_tiles_, b.group_n));
}

double BlockingEstimate::tensor_ns() const {
  const std::uint64_t whole_tiles = shape_.n / tiles_.nt;
  const double whole = static_cast<double>(whole_tiles) * rates_.matmul_ns(tiles_.nt, shape_.dtype);
  const auto rest = static_cast<double>(shape_.n % tiles_.nt);
  return static_cast<double>(m_tiles_ * k_tiles_) *
         (whole + (rest > 0 ? rates_.matmul_ns(rest, shape_.dtype) : 0));
}

// One step in k of one group.
double BlockingEstimate::step_ns(const Blocking& b) const {
  return b.group_m * b.group_n * rates_.matmul_ns(tiles_.nt, shape_.dtype);
}

// A strip and a panel of that many partitions of the contraction.
double BlockingEstimate::a_load_ns(double partitions, const Blocking& b) const {
  if (shape_.a_by_rows) return transposed_load_ns(partitions, b.strip);
  const double weights = rates_.move_ns(partitions * shape_.a_slices(), static_cast<double>(b.strip * in_));
  return shape_.sparse()
             ? weights + rates_.move_ns(partitions, static_cast<double>(GemmShape::tag_bytes(b.strip)))
             : weights;
}

double BlockingEstimate::b_load_ns(double partitions, const Blocking& b) const {
  if (shape_.b_by_rows) return transposed_load_ns(partitions, b.panel);
  return rates_.move_ns(partitions * shape_.b_slices(), static_cast<double>(b.panel * in_of_b_));
}

double BlockingEstimate::transposed_load_ns(double partitions, std::uint64_t rows) const {
  return rates_.transpose_ns(
      static_cast<double>(transposed_load_rows(rows)) * std::ceil(partitions / tiles_.kt),
      static_cast<double>(std::min<std::uint64_t>(std::uint64_t{tiles_.kt} * shape_.a_slices(), shape_.k) *
                          in_));
}

// With few rows, every element of b is used once, and loads that do not hide their latency are the bound.
unsigned BlockingEstimate::stack_of(const Blocking& b) const {
  if (!shape_.a_by_rows || shape_.b_by_rows || shape_.m > tiles_.mt || shape_.turns_pairs()) return 1;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(kLoadBytes / (b.panel * in_of_b_), 1,
                                                         std::max<std::uint64_t>(1, shape_.k / tiles_.kt)));
}

// Counts whole stacks of tiles of K, and the remainder.
std::uint64_t BlockingEstimate::k_loads(const Blocking& b) const {
  return b.b_stack == 1 ? k_tiles_
                        : ceil_div(shape_.k / tiles_.kt, b.b_stack) + (shape_.k % tiles_.kt > 0 ? 1 : 0);
}

double BlockingEstimate::store_ns(const Blocking& b) const {
  const double width = std::min<double>(static_cast<double>(shape_.n), b.group_n * tiles_.nt);
  return static_cast<double>(shape_.m) * static_cast<double>(shape_.n) / width *
         rates_.move_ns(1, width * static_cast<double>(out_)) * (shape_.epilogue.residual ? 2 : 1);
}

// Evacuation and store of the last group, and the pauses of a PSUM without a second set of tiles.
double BlockingEstimate::edges_ns(const Blocking& b) const {
  // Two engines alternate, or each has its own pass.
  const double passes = shape_.epilogue.only_rounds() ? 0.5 : 1;
  const double evacuate = b.group_m * b.group_n * passes * static_cast<double>(tiles_.nt);
  const bool second = b.psum_copies >= 2 * b.group_m * b.group_n;
  const double hidden = static_cast<double>(k_tiles_) * step_ns(b);
  return evacuate + groups_of(b) * (second ? std::max(0.0, evacuate - hidden) : 0.5 * evacuate);
}

}  // namespace tahoma::workloads
