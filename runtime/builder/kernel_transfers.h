// SPDX-License-Identifier: Apache-2.0
// Data movement of a kernel by the DMA engines of its own core.
#pragma once

#include "runtime/builder/kernel_views.h"

namespace tahoma::runtime {

class KernelRecord;

class KernelTransfers {
 public:
  explicit KernelTransfers(KernelRecord& record) : record_(record) {}

  // These move data; `on` rings the doorbell.
  void load(const TileView& dst, const HbmView& src, isa::Queue on = isa::Queue::kSync);
  // dst [C,R] = src [R,C] through the transposing path of the DMA engines: 2- or 4-byte elements, R a
  // multiple of 16, C at most 128 per call.
  void load_transposed(const TileView& dst, const HbmView& src, isa::Queue on = isa::Queue::kSync);
  void store(const HbmView& dst, const TileView& src, isa::Queue on = isa::Queue::kSync,
             bool accumulate = false);
  void move(const HbmView& dst, const HbmView& src, isa::Queue on);
  void move(const TileView& dst, const TileView& src, isa::Queue on);  // inside SBUF, by DMA
  // dst[p] = src[rows[p]] and dst[rows[p]] = src[p]: rows of the window are selected by number, from a [P,1]
  // column of int32 or uint32 in SBUF. GpSimd software writes the descriptors and rings the doorbell, because
  // no other descriptor generator supports row numbers. A number beyond the window's rows ends the run
  // (E-RUN-043). In timing mode the numbers must come from a control argument.
  void gather(const TileView& dst, const HbmView& src, const TileView& rows);
  void scatter(const HbmView& dst, const TileView& src, const TileView& rows);

 private:
  KernelRecord& record_;
};

}  // namespace tahoma::runtime
