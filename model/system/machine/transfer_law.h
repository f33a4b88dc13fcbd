// SPDX-License-Identifier: Apache-2.0
// The laws of transfers that a collective queue rings, for those who plan them without simulating the
// engines: the cut of a transfer into batches, each one packet of each engine of the queue, and the times of
// a batch. The costs are those of model/engine/dma/dma_timing.h.
#pragma once

#include <cstdint>
#include <memory>

#include "model/system/machine/machine_params.h"

namespace tahoma::model {

struct Move {
  std::uint64_t bytes = 0;  // of the result
  std::uint64_t row = 0;    // bytes that are contiguous on both sides
  std::uint32_t sources = 1;
  bool gives_back = false;  // writes a second semaphore when it has been read
};

struct PacketBatch {
  base::Bytes bytes{0};    // of all engines
  std::uint64_t most = 0;  // of the engine with the most
  std::uint32_t engines = 1;
  bool last = false;
};

// The limits on the packets that an engine has in flight (model/engine/dma/dma_window.h). A packet enters one
// window after the other, in order, and leaves each at a known time.
class EngineWindows {
 public:
  explicit EngineWindows(const DmaParams& params);
  ~EngineWindows();
  EngineWindows(EngineWindows&& other) noexcept;

  base::Time may_read();   // the earliest time of the next packet in the read window
  base::Time may_write();  // and in the write window
  void reads(base::Time from, base::Time until, std::uint64_t bytes);
  void writes(base::Time from, base::Time until, std::uint64_t bytes);

 private:
  struct Windows;
  std::unique_ptr<Windows> windows_;
};

class TransferLaw {
 public:
  explicit TransferLaw(const DmaParams& params);

  // These are the time of a doorbell's instruction and the time to the next doorbell.
  struct Doorbell {
    base::Duration instruction, pitch;
  };
  Doorbell doorbell(bool first) const;

  // Returns when a batch is written to HBM after data that are written at `before`; `held`: its wait for the
  // memory.
  base::Time written(base::Time read, base::Duration held, base::Time before, const PacketBatch& batch) const;
  // Return when the semaphore after written data is visible, and until when it delays later writes.
  base::Time visible(base::Time written) const;
  base::Time settled(base::Time written) const;

  // Returns the batch after the first `done` bytes of the busiest engine.
  PacketBatch batch(const Move& move, std::uint64_t done) const;
  // Returns the time that the batch takes on the busiest engine.
  base::Duration cost(const Move& move, const PacketBatch& batch) const;
  // Returns when a packet of that many bytes leaves the read window (model/engine/dma/dma_flights.h).
  base::Time lets_go(std::uint64_t bytes, base::Duration cost, base::Time last, base::Time handed_on) const;
  // Return the time from the start of the queue's first engine to that of its last one with data, and the
  // delay of its first engine (skew_of).
  base::Duration spread(bool second_queue, std::uint32_t engines) const;
  base::Duration first_skew(bool second_queue) const;

 private:
  std::uint64_t share(const Move& move) const;  // bytes of the busiest engine

  const DmaParams& params_;
  std::uint64_t engines_;
};

}  // namespace tahoma::model
