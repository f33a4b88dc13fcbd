// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/order/estimates.h"

#include <algorithm>

#include "isa/table/table_fields.h"

namespace tahoma::runtime::nki {

namespace {

constexpr double kFsPerSecond = 1e15;

std::int64_t femtoseconds(double cycles, base::Frequency clock) {
  return static_cast<std::int64_t>(cycles * kFsPerSecond / static_cast<double>(clock.hz));
}
double number(base::Cycles cycles) { return static_cast<double>(cycles.count); }

// Elements that follow each other in memory, innermost first.
std::int64_t run_length(const Side& side) {
  std::int64_t run = 1;
  for (std::size_t d = side.axes.size(); d-- > 0;) {
    const Axis& axis = side.axes[d];
    if (axis.partition || (axis.count > 1 && axis.stride != run)) break;
    run *= axis.count;
  }
  return run;
}

std::int64_t element_count(const Side& side) {
  std::int64_t count = 1;
  for (const Axis& axis : side.axes) count *= axis.count;
  return count;
}

}  // namespace

Estimator::Estimator(const Trace& trace, const model::MachineParams& machine, DescriptorSource descriptors)
    : trace_(trace), core_(machine.chip.core), descriptors_(descriptors) {}

Estimate Estimator::of(const Recorded& entry, isa::Queue queue) const {
  if (entry.transfer) return of_transfer(*entry.transfer, queue);
  if (entry.weights) return of_matmul(entry);
  switch (queue) {
    case isa::Queue::kVector:
      return of_lanes(entry.instruction, core_.vector);
    case isa::Queue::kScalar:
      return of_lanes(entry.instruction, core_.scalar);
    case isa::Queue::kGpSimd:
      return of_lanes(entry.instruction, core_.gpsimd);
    default:
      return {.queue = femtoseconds(1, core_.sequencer.clock)};
  }
}

Estimate Estimator::of_matmul(const Recorded& entry) const {
  const model::TensorParams& p = core_.tensor;
  const bool wide = entry.weights->src0.dtype == isa::DType::kFp32;
  const double passes = wide && entry.instruction.src0.dtype == isa::DType::kFp32 ? 4 : 1;
  const double columns = static_cast<double>(isa::moving_columns(entry.instruction));
  const bool mx = isa::mode_of(*entry.weights) == isa::MatmulMode::kMx;
  const double loaded = static_cast<double>(mx ? isa::stationary_columns(*entry.weights)
                                               : isa::free_elements(entry.weights->shape));
  Estimate e;
  e.queue = femtoseconds(columns * passes + number(p.issue_overhead), p.clock);
  e.weights = femtoseconds(loaded * (mx     ? p.mx_load_column
                                     : wide ? p.fp32_load_column
                                            : p.load_column),
                           p.clock);
  e.latency = p.pipeline_latency.fs;
  return e;
}

Estimate Estimator::of_lanes(const isa::Instruction& instruction, const model::LaneParams& lanes) const {
  const double each = instruction.op == isa::Opcode::kReciprocal ? number(core_.costs.reciprocal) : 1;
  const double elements = static_cast<double>(isa::free_elements(instruction.shape)) * each;
  return {.queue = femtoseconds(elements + number(lanes.issue_overhead), lanes.clock),
          .latency = lanes.latency.fs};
}

Estimate Estimator::of_transfer(const TransferWork& work, isa::Queue queue) const {
  const model::DmaParams& p = core_.dma;
  double cycles = 0;
  for (const Side& side : work.sources) {
    // The transposing path reads whole source rows.
    const std::int64_t run = work.kind == Transfer::kTranspose
                                 ? run_length(side)
                                 : std::min(run_length(side), run_length(work.dst));
    const double elements = static_cast<double>(element_count(side));
    const double bytes = elements * static_cast<double>(isa::size_of(side.dtype));
    cycles += elements / static_cast<double>(run) * number(p.element_overhead) +
              bytes / static_cast<double>(p.bytes_per_cycle.count);
  }
  constexpr double kPerCent = 100;
  if (work.kind == Transfer::kTranspose) cycles *= kPerCent / static_cast<double>(p.transpose_from_hbm);
  const bool to_hbm = !trace_.storages[work.dst.storage]->on_chip();
  Estimate e;
  e.queue = (queue == isa::Queue::kScalar   ? p.pitch_scalar
             : queue == isa::Queue::kGpSimd ? p.pitch_gpsimd
                                            : p.pitch_sync)
                .fs;
  if (dge_of(work, queue, trace_.limits().core, descriptors_) == isa::Dge::kHw)
    e.generator = p.hardware_dge.fs;
  e.dma = femtoseconds(cycles / isa::kDmaEngines, p.clock);
  e.latency = (p.start_up + (to_hbm ? p.write_hbm : p.write_sbuf) + p.semaphore_write).fs;
  return e;
}

}  // namespace tahoma::runtime::nki
