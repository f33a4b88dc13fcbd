// SPDX-License-Identifier: Apache-2.0
// Partitions a transfer among the 16 DMA engines of a core, by pure arithmetic on its descriptors. The inner
// dimensions that are contiguous on all sides form a run. Runs are distributed to the engines in equal
// consecutive shares, of at least engine_partitions partitions of SBUF unless it transposes; if there are
// fewer runs than engines, each run is split into pieces. Each row that is addressed by number is a
// separate run. A transposing transfer has the runs of its source; the engines transpose the data in
// transit. Rows that are contiguous in HBM and go to or come from successive partitions are joined into
// elements.
#pragma once

#include <array>
#include <cstdint>

#include "model/engine/params/dma_params.h"
#include "model/engine/ports/doorbell.h"

namespace tahoma::model {

struct Runs {
  std::uint64_t rows = 1;               // runs of the transfer
  std::uint64_t run_elements = 1;       // elements of one run
  std::uint64_t pieces = 1;             // pieces per run
  std::uint64_t piece_elements = 1;     // elements of a piece; the last of a run may be shorter
  std::uint64_t joined = 1;             // rows of successive partitions that are one element
  unsigned engines = isa::kDmaEngines;  // number of engines that share the runs
  std::uint64_t least_share = 0;        // units; the last engines may get none
  unsigned outer = 0;                   // leading descriptor dimensions that enumerate the runs

  std::uint64_t units() const { return rows * pieces; }
  // Returns the elements of unit u and its position: row u / pieces, from element (u % pieces) *
  // piece_elements of the run.
  std::uint64_t elements_of(std::uint64_t unit) const;
};

Runs runs_of(const TransferRequest& request, const DmaParams& params, unsigned engines = isa::kDmaEngines);

// Returns the elements of all engines together: the descriptors that a generator has to write.
std::uint64_t descriptors_of(const Runs& runs);

// Returns units [first, last) of the n-th of these engines.
struct UnitRange {
  std::uint64_t first = 0, last = 0;
};
UnitRange share_of(const Runs& runs, unsigned n);

// Byte offset of an element of run `row` on an HBM side, from the side's base address.
std::int64_t byte_offset(const TransferRequest& request, const isa::DmaSide& side, const Runs& runs,
                         std::uint64_t row, std::uint64_t element);

}  // namespace tahoma::model
