// SPDX-License-Identifier: Apache-2.0
// The packets of one DMA engine between issue and completion. Each waits for the memories' answers, is read
// and handed on, and completes when its receiver has accepted it. All steps follow the order of issue,
// whatever the order of the answers. Answers carry their times, so results do not depend on when an answer
// arrives in the simulation.
//
// Two windows limit the packets in flight. A packet occupies the read window from its issue until it is
// handed on. A packet to HBM of this chip occupies the write window from then until the memory has accepted
// it, and waits for space there first.
//
// A packet larger than the read window releases it when all of its data have arrived and no more than one
// window's worth remains to pass, so the next packet is requested as early as after a smaller one.
//
// Pure arithmetic on times, no SystemC. The caller asks what is due after an answer and after each step.
#pragma once

#include <deque>
#include <vector>

#include "model/engine/dma/dma_share.h"
#include "model/engine/dma/dma_window.h"

namespace tahoma::model {

struct DmaFlight {
  Transfer* transfer = nullptr;
  DmaPacket packet;
  base::Duration cost{0}, cold{0};  // engine time; a first read takes more
  std::uint64_t bytes = 0;          // bytes counted in the windows
  bool to_hbm = false;              // written to a memory of this chip
  base::Time possible{0};           // its share was available from then on
  base::Time unblocked{0};          // until then, the fabric kept the engine from issuing it
  // The fields below are filled as the packet progresses.
  std::uint32_t tag = 0, unanswered = 0;  // reads
  base::Time first{0}, last{0};           // data of all reads: the latest of each
  base::Time start{0}, read{0};           // passes through the engine
  base::Duration blocked{0}, starved{0};  // before and within that, see base::PacketActivity
  base::Time handed_on{0};                // its write starts
  base::Duration held{0};
  base::Time accepted{0};  // kNever: not known yet
};

// Storage for the flights of several engines. The flight freed last is reused first: while memories answer at
// once, all engines use the same one.
class FlightPool {
 public:
  DmaFlight* take() {
    if (free_.empty()) free_.push_back(&all_.emplace_back());
    DmaFlight* flight = free_.back();
    free_.pop_back();
    *flight = {};
    return flight;
  }
  void give(DmaFlight* flight) { free_.push_back(flight); }
  bool all_given_back() const { return free_.size() == all_.size(); }

 private:
  std::deque<DmaFlight> all_;
  std::vector<DmaFlight*> free_;
};

class DmaFlights {
 public:
  DmaFlights(const DmaParams& params, FlightPool& pool);

  // Returns when another packet may be issued; kNever while that depends on an answer.
  base::Time open() { return reads_.open(); }
  // The caller fills in the transfer, the packet and `to_hbm`.
  DmaFlight& issue(base::Time at, std::uint64_t bytes, base::Duration cost, base::Duration cold);
  // Returns the earliest time at which anything can depend on the youngest packet, however soon the
  // memories answer.
  base::Time youngest_needed() const;

  // Memory answers. A packet in flight counts the reads that it waits for.
  void have_read(std::uint32_t tag, base::Time first, base::Time last);
  void have_written(std::uint32_t tag, base::Duration held, base::Time at);

  // Returns a packet that has not completed.
  const DmaFlight& flight(std::uint32_t tag) const { return *flights_[tag - flights_.front()->tag]; }

  // Return the next packet in order, or null if it has to wait: the one whose read time is now known, the one
  // to be handed on, and the one that is complete. The last one stays the oldest until it is dropped.
  DmaFlight* next_read();
  DmaFlight* next_handed_on();
  DmaFlight* oldest_over();
  void drop_oldest();

  bool empty() const { return flights_.empty(); }

 private:
  base::Time lets_go(const DmaFlight& flight, base::Time handed_on) const;
  DmaFlight& at(std::uint32_t tag) { return *flights_[tag - flights_.front()->tag]; }

  base::Duration overlap_;
  std::uint64_t read_window_;
  FlightPool& pool_;
  sim::Fifo<DmaFlight*, 8> flights_;
  std::size_t read_ = 0, handed_on_ = 0;  // number of packets read and handed on
  base::Duration unread_{0};              // engine time that the other packets need
  std::uint32_t next_tag_ = 0;
  base::Time passed_{0};  // end of the engine's last read
  base::Time gone_{0};    // end of the last hand-over
  DmaWindow reads_, writes_;
};

}  // namespace tahoma::model
