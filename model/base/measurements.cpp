// SPDX-License-Identifier: Apache-2.0
#include "model/base/measurements.h"

#include "model/base/error.h"

namespace tahoma::base {
namespace {

struct StallReasonRow {
  const char* name;
  const char* doc;
};

// In the order of StallReason.
constexpr std::array<StallReasonRow, kStallReasons> kStallReasonTable{{
    {"busy", "an instruction occupied the engine's issue"},
    {"wait_tensor", "waited for a semaphore that the tensor engine raised last"},
    {"wait_vector", "waited for a semaphore that the vector engine raised last"},
    {"wait_scalar", "waited for a semaphore that the scalar engine raised last"},
    {"wait_gpsimd", "waited for a semaphore that the GpSimd engine raised last"},
    {"wait_sync", "waited for a semaphore that the sync engine raised last"},
    {"wait_dma", "waited for a semaphore that a DMA within the chip raised last"},
    {"wait_link",
     "waited for a semaphore that a DMA over NeuronLink raised last: its data or its notification crossed a "
     "link"},
    {"wait_collective", "waited for a semaphore that a collective core raised last"},
    {"wait_core", "waited for the other core of the logical core to arrive at a rendezvous"},
    {"handover", "the semaphore had its value and the waiting instruction had not started"},
    {"weight_load", "the array waited while weights were loaded"},
    {"throttle", "the array ran at half rate after idling"},
    {"table_load", "the scalar engine switched its function tables"},
    {"bank_conflict", "streamed longer because another engine used the same PSUM bank"},
    {"port_conflict", "streamed longer because another engine used the same port of SBUF"},
    {"dispatch", "the sequencer worked on registers, branches and semaphores"},
    {"queue_full", "a DMA ring had no room for another transfer"},
    {"drain", "everything was issued and results were still in the pipeline"},
    {"idle", "no instruction was left, or there never was one"},
}};
static_assert(static_cast<std::size_t>(StallReason::kIdle) + 1 == kStallReasons);

const StallReasonRow& row_of(StallReason name) {
  const auto row = static_cast<std::size_t>(name);
  TAHOMA_INVARIANT(row < kStallReasons, "stall reason " + std::to_string(row));
  return kStallReasonTable[row];
}

}  // namespace

const char* name_of(EngineKind kind) {
  constexpr std::array<const char*, kEngineKinds> kNames{"tensor", "vector", "scalar",
                                                         "gpsimd", "sync",   "collective"};
  const auto row = static_cast<std::size_t>(kind);
  TAHOMA_INVARIANT(row < kEngineKinds, "engine kind " + std::to_string(row));
  return kNames[row];
}

Duration waited_for_semaphores(std::span<const Duration> times) {
  Duration sum{0};
  if (times.empty()) return sum;
  for (auto n = static_cast<std::size_t>(StallReason::kWaitTensor);
       n <= static_cast<std::size_t>(StallReason::kWaitCollective); ++n)
    sum += times[n];
  return sum;
}

const char* name_of(StallReason name) { return row_of(name).name; }
const char* doc_of(StallReason name) { return row_of(name).doc; }

}  // namespace tahoma::base
