// SPDX-License-Identifier: Apache-2.0
#include "model/base/measurements.h"

#include "model/base/error.h"
#include "model/base/stall_text.h"

namespace tahoma::base {
namespace {

// Neuron Explorer's names are those of its profile schema reference (version 7.4.0, Neuron SDK 2.31) and of
// its glossary: evt_wait_time_ns of an instruction is its wait for a semaphore, whichever engine raises it;
// throttled_flops has an active part, which is lost while the engine computes. LDWEIGHTS and ACT_TABLE_LOAD
// are instructions of its traces with a time of their own.
struct StallReasonRow {
  const char *name, *doc;
  const char* vendor_name;  // "": none
  const char* advice;
};

constexpr const char* kEventWait = "evt_wait_time_ns";

// In the order of StallReason.
constexpr std::array<StallReasonRow, kStallReasons> kStallReasonTable{{
    {"busy", "an instruction occupied the engine's issue", "",
     "fewer or larger instructions, a cheaper data type, or work moved to another engine"},
    {"wait_tensor", "waited for a semaphore that the tensor engine raised last", kEventWait,
     "keep several PSUM buffers, so that the tensor engine computes the next result while this engine reads "
     "one"},
    {"wait_vector", "waited for a semaphore that the vector engine raised last", kEventWait,
     "move work of the vector engine to the scalar engine or to GpSimd, or cut it into smaller tiles that "
     "overlap"},
    {"wait_scalar", "waited for a semaphore that the scalar engine raised last", kEventWait,
     "move work of the scalar engine to the vector engine or to GpSimd, or cut it into smaller tiles that "
     "overlap"},
    {"wait_gpsimd", "waited for a semaphore that the GpSimd engine raised last", kEventWait,
     "move work of GpSimd to the vector or the scalar engine, or begin it earlier"},
    {"wait_sync", "waited for a semaphore that the sync engine raised last", kEventWait,
     "raise the semaphore from the engine that has the result, or let the sync engine run ahead"},
    {"wait_dma", "waited for a semaphore that a DMA within the chip raised last", kEventWait,
     "prefetch into one more buffer, move longer contiguous rows, and load each byte once"},
    {"wait_link",
     "waited for a semaphore that a DMA over NeuronLink raised last: its data or its notification crossed a "
     "link",
     kEventWait,
     "overlap the exchange with computation, shard so that neighbours exchange data, or send less"},
    {"wait_collective", "waited for a semaphore that a collective core raised last", kEventWait,
     "start the collective earlier, cut it into pieces that overlap with computation, or choose another "
     "algorithm"},
    {"wait_core", "waited for the other core of the logical core to arrive at a rendezvous",
     "CoreBarriers.duration_ns", "balance the work of the two cores, or let them meet less often"},
    {"handover", "the semaphore had its value and the waiting instruction had not started", "",
     "a latency of each wait: use larger tiles, so that there are fewer waits"},
    {"weight_load", "the array waited while weights were loaded", "LDWEIGHTS",
     "stream more moving columns for each stationary matrix, so that the next one loads meanwhile"},
    {"throttle", "the array ran at half rate after idling", "throttled_flops",
     "avoid gaps between matmuls: after each gap the array starts at half rate"},
    {"table_load", "the scalar engine switched its function tables", "ACT_TABLE_LOAD",
     "group activation functions of one table"},
    {"bank_conflict", "streamed longer because another engine used the same PSUM bank", "",
     "give engines that work at the same time different PSUM banks"},
    {"port_conflict", "streamed longer because another engine used the same port of SBUF", "",
     "do not let the vector engine and GpSimd work on SBUF at the same time"},
    {"dispatch", "the sequencer worked on registers, branches and semaphores", "",
     "unroll loops, and compute addresses on another engine"},
    {"queue_full", "a DMA ring had no room for another transfer", "",
     "spread transfers over more rings, or join them into larger ones"},
    {"drain", "everything was issued and results were still in the pipeline", "",
     "issue independent instructions behind the last ones"},
    {"idle", "no instruction was left, or there never was one", "",
     "no stall: the program has nothing for this engine to do"},
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
const char* vendor_name_of(StallReason name) { return row_of(name).vendor_name; }
const char* advice_of(StallReason name) { return row_of(name).advice; }

}  // namespace tahoma::base
