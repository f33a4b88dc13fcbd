// SPDX-License-Identifier: Apache-2.0
// One of the 16 DMA engines of a NeuronCore: in-order rings served round-robin at packet granularity. One
// activation moves one packet: it reserves the memories at both ends, and the next packet follows when the
// engine and the slower memory are done with this one. Packets for another chip are handed to the fabric in
// order, and wait for its credit.
//
// A plain object inside the SystemC module DmaRings, which gives it time and its socket: with 8,192 of them
// in an UltraServer, what one activation touches decides the speed of the whole simulation, so the 16 share
// one event.
//
// Leaves out: descriptor fetch, and reads of another chip's memory.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "model/base/activity.h"
#include "model/engine/dma_split.h"
#include "model/engine/dma_timing.h"
#include "model/engine/doorbell.h"
#include "model/engine/engine_params.h"

namespace tahoma::model {

// A transfer in flight, shared by the shares of the 16 engines.
struct Transfer {
  TransferRequest request;
  Runs runs;
  std::uint64_t element = 1;  // bytes of the largest side's
  bool remote = false;        // dst on another chip
  bool applied = false;       // values moved
  unsigned shares_left = 0;
};

// What an engine needs of the world around it.
struct DmaSurroundings {
  // One access to a memory of this chip, by the local payload; returns when its bandwidth is free again.
  virtual base::Time access(tlm::tlm_command command, std::uint64_t address, std::uint64_t bytes,
                            std::uint64_t runs, base::Time& data_at) = 0;
  virtual sim::Payload* packet(std::uint64_t address,
                               std::uint64_t bytes) = 0;  // an empty write for the fabric
  virtual bool offer(sim::Payload& payload) = 0;          // false: credited() will be called
  virtual void visible(const sim::Notify& notify, unsigned engine, base::Time when) = 0;
  virtual void first_packet(Transfer& transfer) = 0;  // values are applied here
  virtual void share_ended(Transfer& transfer, unsigned ring) = 0;
  // The engine is busy with the packet from `start` to `free`.
  virtual void moving(const base::PacketActivity& packet, base::Time start, base::Time free) = 0;

 protected:
  ~DmaSurroundings() = default;
};

inline constexpr unsigned kMostRings = 16;

class DmaEngine {
 public:
  // `due` is where the engine writes when it next wants to act; kNever while it has nothing to do or waits
  // for credit.
  DmaEngine(unsigned index, const DmaParams& params, DmaSurroundings& around, base::Time& due)
      : due_(due),
        index_(index),
        params_(params),
        around_(around),
        overlap_(base::Clock(params.clock).length(params.read_overlap)) {}

  void push(Transfer* transfer, unsigned ring, base::Time available);
  void acknowledge(sim::Payload& payload, base::Time ready) { enqueue(payload, ready); }
  void credited();  // the fabric has taken the packet it was offered

  void act();  // when due

  bool idle() const { return in_use_ == 0 && outgoing_.empty(); }
  struct Totals {
    base::Duration busy{0}, blocked_memory{0}, blocked_link{0};
    std::uint64_t packets = 0, bytes = 0;
  };
  const Totals& totals() const { return totals_; }

 private:
  struct Share {
    Transfer* transfer = nullptr;
    base::Time available{0};
    std::uint64_t unit = 0, last_unit = 0;  // next unit, end
    std::uint64_t done_elements = 0;        // of the current unit
    std::uint32_t done_rows = 0;            // of the current element of several rows
    std::uint32_t next = kNoShare;          // behind it in the same ring
  };
  static constexpr std::uint32_t kNoShare = ~0U;
  struct Ring {  // a list in shares_
    std::uint32_t head = kNoShare, tail = kNoShare;
  };
  struct Packet {
    std::uint64_t unit = 0, from_element = 0, elements = 0, runs = 1;
    std::uint64_t starts = 0;  // elements of the DMA that begin in it
    bool last = false;
  };
  struct Outgoing {
    sim::Payload* payload;
    base::Time ready;
  };

  void step();
  void inject();
  void sent();
  void enqueue(sim::Payload& payload, base::Time ready);

  Share* next_share(base::Time t, unsigned& ring);
  void pop_share(unsigned ring);
  Packet next_packet(const Share& share) const;
  void take_rows(Packet& packet, const Share& share, std::uint64_t room) const;
  void advance(Share& share, const Packet& packet) const;
  base::Duration cost_of(const PacketShape& shape);
  base::Duration drain_of(std::uint64_t bytes);
  PacketShape shape_of(const Transfer& transfer, const Packet& packet) const;
  base::Time access_memories(const Transfer& transfer, const Packet& packet, base::Time& data_at);
  struct Read {
    base::Time start{0}, done{0};
  };
  Read move(const Transfer& transfer, const Packet& packet, base::Time t);
  base::Duration first_read(const Transfer& transfer);
  std::uint64_t address(const Transfer& transfer, const isa::DmaSide& side, std::uint64_t base,
                        const Packet& p) const;
  void send(const Transfer& transfer, const Packet& packet, base::Time read_done);
  void have_read(const Transfer& transfer, base::Time read_done);
  void write(const Transfer& transfer, const Packet& packet, base::Time read_done);
  void complete(const Transfer& transfer);
  void tell(const Transfer& transfer, const Packet& packet, base::Time engine_start, const Read& read);
  void schedule();

  void due_at(base::Time step_at, base::Time inject_at) {
    step_at_ = step_at;
    inject_at_ = inject_at;
    due_ = std::min(step_at, inject_at);
  }

  base::Time step_at_ = base::kNever, inject_at_ = base::kNever;
  base::Time& due_;
  unsigned index_;
  std::uint32_t in_use_ = 0;  // bit per ring that holds a share
  unsigned last_ring_ = 0;
  bool blocked_on_link_ = false, awaiting_credit_ = false;
  bool cold_ = true;  // has not read HBM yet
  base::Time free_at_{0};
  base::Time written_{0}, read_{0};  // writes are in order, semaphores among them, and so are reads
  const DmaParams& params_;
  DmaSurroundings& around_;
  std::vector<Share> shares_;
  std::uint32_t free_share_ = kNoShare;
  PacketShape last_shape_;
  base::Duration last_cost_{0};
  std::uint64_t last_bytes_ = 0;
  base::Duration last_drain_{0}, overlap_;
  Totals totals_;
  std::array<Ring, kMostRings> rings_;
  std::deque<Outgoing> outgoing_;
  base::Time blocked_since_{0};
};

}  // namespace tahoma::model
