// SPDX-License-Identifier: Apache-2.0
// The packets of one DMA engine between their issue and their end: each waits for the memories' answers, is
// read, handed on, and over when whoever takes it has accepted it; all in the order of issue, whatever the
// order of the answers. Answers say when things happen, so that times do not depend on when an answer comes.
//
// Two windows bound what is under way. A packet has a place in the read window from its issue until it is
// handed on; one that goes to HBM of this chip has a place in the write window from then until the memory
// has it, and waits for one before it.
//
// A packet larger than the read window lets go of it when no more than a window's worth of it is left to
// pass, all of its data being there, so that the next one is asked for as early as a smaller one would be.
//
// Pure arithmetic on times, no SystemC. It is asked what is due: after an answer, and after each step.
#pragma once

#include <deque>
#include <vector>

#include "model/engine/dma/dma_share.h"
#include "model/engine/dma/dma_window.h"

namespace tahoma::model {

struct DmaFlight {
  Transfer* transfer = nullptr;
  DmaPacket packet;
  base::Duration cost{0}, cold{0};  // of the engine; more for a first read
  std::uint64_t bytes = 0;          // in the windows
  bool to_hbm = false;              // written to a memory of this chip
  // From here on filled as it goes.
  std::uint32_t tag = 0, unanswered = 0;  // reads
  base::Time first{0}, last{0};           // data of all reads: the latest of each
  base::Time start{0}, read{0};           // passes through the engine
  base::Time handed_on{0};                // its write starts
  base::Duration held{0};
  base::Time accepted{0};  // kNever: not known yet
};

// Where the flights of several engines lie. What was given back last is taken first: while memories answer at
// once it is always the same, whichever engine flies.
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

  // From when on another packet may be issued; kNever while that depends on an answer.
  base::Time open() { return reads_.open(); }
  // Its transfer, packet and `to_hbm` are for the caller to fill in.
  DmaFlight& issue(base::Time at, std::uint64_t bytes, base::Duration cost, base::Duration cold);
  // Nothing depends on the youngest before, however soon the memories answer.
  base::Time youngest_needed() const;

  // Answers of memories; a packet in flight says itself how many reads it waits for.
  void have_read(std::uint32_t tag, base::Time first, base::Time last);
  void have_written(std::uint32_t tag, base::Duration held, base::Time at);

  // What has not ended yet.
  const DmaFlight& flight(std::uint32_t tag) const { return *flights_[tag - flights_.front()->tag]; }

  // The next packet in order, null when it has to wait: now known when it is read; when it is handed on; when
  // it is over. The last one stays the oldest until it is dropped.
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
  std::size_t read_ = 0, handed_on_ = 0;  // how many of them are
  base::Duration unread_{0};              // what the others take of the engine
  std::uint32_t next_tag_ = 0;
  base::Time passed_{0};  // the engine has read everything before
  base::Time gone_{0};    // and handed it on
  DmaWindow reads_, writes_;
};

}  // namespace tahoma::model
