// SPDX-License-Identifier: Apache-2.0
// Durations of entries as the list scheduler estimates them, from the parameters of the machine. They decide
// only about the order, so the laws are simple (policy):
//   matmul      a cycle for each moving column and pass (4 for fp32), after the load of weights that are not
//               in the array; the result follows after the array's latency
//   lanes       a cycle for each element of a partition (of a reciprocal, several), without the fast modes;
//               a latency follows
//   transfer    the time of a doorbell on its queue; that of the queue's descriptor generator, if it makes
//               the descriptors; the bytes and elements share all DMA engines; the latencies of start, write
//               and semaphore follow
//   all others  a cycle
#pragma once

#include <cstdint>
#include <optional>

#include "frontend/nki/lower/order/choose.h"
#include "frontend/nki/record/trace.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime::nki {

// Femtoseconds.
struct Estimate {
  std::int64_t queue = 0;      // until the queue starts its next entry
  std::int64_t weights = 0;    // more of it, if other weights are in the array
  std::int64_t generator = 0;  // of the queue's descriptor generator, from the end of the queue's part
  std::int64_t dma = 0;        // of all DMA engines, after that
  std::int64_t latency = 0;    // after that, until the entry is complete
};

class Estimator {
 public:
  // The trace must outlive it.
  Estimator(const Trace& trace, const model::MachineParams& machine, DescriptorSource descriptors);
  Estimate of(const Recorded& entry, isa::Queue queue) const;

 private:
  Estimate of_matmul(const Recorded& entry) const;
  Estimate of_lanes(const isa::Instruction& instruction, const model::LaneParams& lanes) const;
  Estimate of_transfer(const TransferWork& work, isa::Queue queue) const;

  const Trace& trace_;
  model::CoreParams core_;
  DescriptorSource descriptors_;
};

}  // namespace tahoma::runtime::nki
