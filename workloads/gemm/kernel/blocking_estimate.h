// SPDX-License-Identifier: Apache-2.0
// Estimates the time of one core's GEMM with a blocking: the array's time, the DMA engines' time, and the
// part of start-ups, evacuations and latencies that is not hidden. It is used for the choice of a blocking.
// It uses the machine's sizes and rates and few of its latencies, and is not a prediction.
#pragma once

#include "workloads/common/ceil_div.h"
#include "workloads/gemm/kernel/blocking.h"

namespace tahoma::workloads {

// Counts of one shape in tiles of one size.
class BlockingEstimate {
 public:
  BlockingEstimate(const model::MachineParams& machine, const GemmShape& shape, const GemmTiles& tiles);

  // Tiles of the whole shape.
  std::uint64_t k_tiles() const { return k_tiles_; }
  std::uint64_t m_tiles() const { return m_tiles_; }
  std::uint64_t n_tiles() const { return n_tiles_; }

  // Stacked tiles of b in one load for a panel of that width, and the number of loads for all of K.
  unsigned stack_of(const Blocking& b) const;
  std::uint64_t k_loads(const Blocking& b) const;
  // Counts the bytes of a and b together.
  double loads(const Blocking& b) const { return a_loads(b) + b_loads(b); }

  // Nanoseconds, if loads are issued that many steps before they are used.
  double streamed_ns(const Blocking& b, unsigned ahead) const;
  double resident_ns(const Blocking& b, unsigned ahead) const;

 private:
  // The machine's rates as plain numbers: nanoseconds and bytes.
  struct Rates {
    explicit Rates(const model::MachineParams& machine);
    double matmul_ns(double columns, isa::DType dtype) const;
    // `rows` contiguous runs of `bytes` each, and the same if they are transposed in transit.
    double move_ns(double rows, double bytes) const;
    double transpose_ns(double rows, double bytes) const { return move_ns(rows, bytes) / transposing; }

    double tensor_ghz, issue_cycles, dma_ghz, dma_bytes, dma_overhead, transposing, hbm_ns_per_byte = 0;
  };

  double work_ns(const Blocking& b, double moves) const;
  double latencies_ns(const Blocking& b) const;
  double banks_ns(const Blocking& b) const;
  double loads_ns(const Blocking& b) const;
  double panels_of(const Blocking& b) const;
  double b_loads(const Blocking& b) const { return static_cast<double>(k_loads(b)) * panels_of(b); }
  double a_loads(const Blocking& b) const;
  double groups_of(const Blocking& b) const;
  double tensor_ns() const;
  double step_ns(const Blocking& b) const;
  double a_load_ns(double partitions, const Blocking& b) const;
  double b_load_ns(double partitions, const Blocking& b) const;
  double transposed_load_ns(double partitions, std::uint64_t rows) const;
  double store_ns(const Blocking& b) const;
  double edges_ns(const Blocking& b) const;

  Rates rates_;
  GemmShape shape_;
  GemmTiles tiles_;
  std::uint64_t k_tiles_, m_tiles_, n_tiles_;
  std::uint64_t in_, in_of_b_, out_;  // bytes of an element of a, b and c
};

}  // namespace tahoma::workloads
