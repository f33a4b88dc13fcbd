// SPDX-License-Identifier: Apache-2.0
// The protocol of the TLM sockets between DMA engines, the on-chip network, HBM and NeuronLink. One generic
// payload is one row segment or packet. The extension carries the data for which the base protocol has no
// field. Values use the back door.
//
// Over the fabric: BEGIN_REQ transfers a write. TLM_UPDATED with END_REQ accepts it; TLM_ACCEPTED makes the
// sender wait for END_REQ on the backward path, which is the credit. The packet carries the sender's
// notification as `notify`. A read of another chip's memory is accepted like a local one and answered late:
// its payload travels there as a request and returns as the answer.
//
// To a memory of the same chip: BEGIN_REQ transfers one access, which starts after the delay argument: a
// write is announced as soon as the arrival time of its data is known. The memory answers TLM_COMPLETED, or
// TLM_ACCEPTED and later BEGIN_RESP on the backward path, which the initiator answers TLM_COMPLETED. Either
// way the answer says, as absolute times, what was (or will be) when:
//   a read   `first` and `last`, its first and last data at the initiator;
//   a write  `last`, the time at which it entered the memory's queue. `held` is the part of the time from its
//            start until then for which it waited, for a slot there or on the path; each stage adds its part.
// BEGIN_RESP is never called after both `last` and the `needed` of the request, so that waiting components
// can act in time, and never within a request; within BEGIN_RESP the initiator may make further requests. A
// payload belongs to the initiator and outlives the answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "model/base/measurements.h"
#include "model/base/units.h"
#include "model/sim/checksum.h"

namespace tahoma::sim {

inline constexpr std::uint32_t kNoCore = ~0U;

// A semaphore to raise when the packet has landed.
struct Notify {
  std::uint32_t core = 0;  // global core number, or kNoCore
  std::uint8_t semaphore = 0;
  std::uint8_t change = 0;  // sim::Change
  std::uint32_t value = 0;
  std::uint64_t cause = 0;  // for observers only, model/base/activity.h
  bool over_link = false;   // the data or this notification crossed NeuronLink

  base::StallReason awaited() const {  // the stall reason of an instruction that waits for it
    return over_link ? base::StallReason::kWaitLink : base::StallReason::kWaitDma;
  }
};

// The bytes of the memory that a packet accesses: rows of equal length, the first at the packet's address,
// each further one at a byte offset after (or before) its predecessor.
class RowPattern {
 public:
  struct Steps {
    std::uint32_t rows = 0;
    std::int64_t stride = 0;
    friend bool operator==(const Steps&, const Steps&) = default;
  };

  void start(std::uint32_t row_bytes) {
    row_bytes_ = row_bytes;
    rows_ = 1;
    first_ = {};
    more_.clear();
  }
  void add(std::uint32_t rows, std::int64_t stride);

  std::uint32_t row_bytes() const { return row_bytes_; }
  std::uint32_t rows() const { return rows_; }
  bool regular() const { return more_.empty(); }  // one stride, or one row
  // Calls visit(offset) with the offset of every row from the packet's address, in order.
  template <class Visit>
  void each_row(Visit&& visit) const {
    std::int64_t at = 0;
    visit(at);
    each_steps([&](const Steps& s) {
      for (std::uint32_t n = 0; n < s.rows; ++n) visit(at += s.stride);
    });
  }
  // Calls visit(steps) with the spacing of the rows after the first.
  template <class Visit>
  void each_steps(Visit&& visit) const {
    visit(first_);
    for (const Steps& s : more_) visit(s);
  }

 private:
  std::uint32_t row_bytes_ = 0, rows_ = 1;
  Steps first_;
  std::vector<Steps> more_;  // keeps its capacity from packet to packet
};

// Keeps the address and the sender that a packet had before a folded machine renamed it
// (model/link/renaming.h): values are at the addresses of the whole machine.
struct Home {
  std::uint64_t address = 0;
  std::uint32_t chip = 0, core = 0;  // that sent the packet, or the request of an answer
};

struct PacketInfo : tlm::tlm_extension<PacketInfo> {
  // Fields of every packet.
  std::uint32_t source_core = 0;
  std::uint32_t injector = 0;  // socket index of the sender on its chip's network
  std::uint32_t engine = 0;    // DMA engine behind that socket: each has a separate request channel
  std::uint32_t tag = 0;       // owned by the engine
  std::uint8_t operand = 0;    // of its transfer, as numbered by the engine
  RowPattern rows;
  // For a read: whatever the answer, the initiator does not act before this time. A memory may postpone its
  // decisions until then and make more of them at once.
  base::Time needed{0};
  // The answer of a memory.
  base::Time first{0}, last{0};
  base::Duration held{0};
  // Fields for the path through the fabric.
  std::uint32_t from_chip = 0, to_chip = 0;  // where it enters the fabric and leaves it
  std::uint32_t carried = 0;                 // data bytes carried: none in a read request or a notification
  std::uint32_t sequence = 0;                // among the packets of its DMA engine to that chip
  Checksum checksum;                         // functional mode: of that data at the source
  std::optional<Home> home;                  // nothing if no name was changed
  std::uint8_t vc = 0;                       // virtual channel of the link it is on
  bool answer = false;  // the data of a read of another chip's memory, on the return path
  std::optional<Notify> notify;
  base::Duration notify_delay{0};  // landed -> semaphore visible
  bool acknowledgement = false;    // carries only `notify`, back to a core on another chip
  base::Time head{0}, tail{0};     // when its first and last byte reach the next port
  // Tells where the engine's payload of a read waits for the answer if the read has left the process of its
  // DMA engine (model/system/parallel). 0: here.
  std::uint64_t awaited = 0;

  tlm_extension_base* clone() const override { return new PacketInfo(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const PacketInfo&>(other); }
  void reset();  // to the initial state
};

using Payload = tlm::tlm_generic_payload;

// A payload and its extension in one piece of memory: the extension is found without a call and without
// another address. All payloads that carry packets are of this class, because a pool makes them.
class Packet : public Payload {
 public:
  explicit Packet(tlm::tlm_mm_interface* owner) : Payload(owner) { set_extension(&info); }
  ~Packet() override { clear_extension(&info); }  // or TLM would free the member
  Packet(const Packet&) = delete;
  Packet& operator=(const Packet&) = delete;

  PacketInfo info;
};

inline PacketInfo& info_of(Payload& payload) { return static_cast<Packet&>(payload).info; }
inline const PacketInfo& info_of(const Payload& payload) { return static_cast<const Packet&>(payload).info; }

// Returns where the values of the packet are, and who sent it, in the names of the whole machine.
inline Home home_of(const Payload& payload) {
  const PacketInfo& info = info_of(payload);
  return info.home.value_or(Home{payload.get_address(), info.from_chip, info.source_core});
}

// Payloads that outlive the call that sent them: reference-counted by TLM's rules and recycled. The pool owns
// them all, including those in flight when a run stops.
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  Payload* take(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes);
  void free(Payload* payload) override;
  std::size_t in_use() const { return made_.size() - free_.size(); }

 private:
  std::vector<std::unique_ptr<Packet>> made_;
  std::vector<Packet*> free_;
};

}  // namespace tahoma::sim
