// SPDX-License-Identifier: Apache-2.0
// The base protocol of TLM-2.0 (IEEE 1666-2011, 15.2), approximately timed, from the initiator's side: what
// it may send when, and how a target may respond.
//
// One request at a time: the next BEGIN_REQ waits until the target has ended the one before, by END_REQ,
// or by its response if that comes first. Responses come in any order and are ended at once. Two bursts to
// the same byte, at least one of them a write, are never in flight together, because a target may serve
// them in either order.
//
// A protocol violation by the target raises base::UserError E-RUN-080, an error response E-RUN-081.
//
// It is arithmetic on times without a process: the caller reports calls and asks what is due.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <tlm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/base/units.h"

namespace tahoma::model {

// Returns "END_REQ" and so on; phases of other protocols are shown by number.
std::string name_of(const tlm::tlm_phase& phase);
// "the read of 64 bytes at 0x1c0"
std::string describe(const tlm::tlm_generic_payload& payload);
// Throws base::UserError E-RUN-080. `text` says what happened and what was expected.
[[noreturn]] void refuse_protocol(const std::string& where, const std::string& text);

// A burst without extensions, with its own data.
struct Burst : tlm::tlm_generic_payload {
  std::vector<std::byte> data;
  std::uint64_t at = 0;                // its address; interconnects may change the payload's
  std::uint32_t packet = 0;            // owned by the sender
  base::Time accepted = base::kNever;  // its request has ended
  base::Time answered = base::kNever;  // its response has arrived
  bool owes_end = false;               // its response came as a return value: END_RESP must still be sent

  // Returns whether the fields that only the initiator may set are unchanged.
  bool intact() const;
  void set(bool write, std::uint64_t address, std::uint32_t bytes);
};

// Bursts are reference-counted by TLM's rules: a target may keep one after it has completed.
class BurstPool : public tlm::tlm_mm_interface {
 public:
  Burst& take(bool write, std::uint64_t address, std::uint32_t bytes);
  void free(tlm::tlm_generic_payload* payload) override;

 private:
  std::deque<Burst> all_;
  std::vector<Burst*> free_;
};

class BaseProtocolInitiator {
 public:
  // `most` limits the bursts in flight. A block has `block` bytes, and no burst spans two.
  BaseProtocolInitiator(std::string who, std::size_t most, std::uint64_t block)
      : who_(std::move(who)), most_(most), block_(block) {}

  bool may_send(bool write, std::uint64_t address, std::uint32_t bytes) const;
  void sending(Burst& burst);  // before BEGIN_REQ is called
  void returned(Burst& burst, tlm::tlm_sync_enum how, const tlm::tlm_phase& phase, base::Time when);
  // Call on the backward path.
  void heard(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase, base::Time when);

  // Returns each event up to `now` once, then null. Requests end before their responses.
  Burst* next_accepted(base::Time now);
  Burst* next_answered(base::Time now);  // no longer in flight
  // Returns when something is due next; kNever while that depends on the target.
  base::Time due() const;
  std::size_t under_way() const { return under_way_.size(); }

 private:
  void end_request(Burst& burst, base::Time when);
  void begin_response(Burst& burst, base::Time when);
  [[noreturn]] void refuse(const Burst& burst, const std::string& does) const;

  std::string who_;
  std::size_t most_;
  std::uint64_t block_;
  Burst* request_ = nullptr;  // the request that has not ended
  Burst* ending_ = nullptr;   // the response that still requires END_RESP
  std::unordered_set<const tlm::tlm_generic_payload*> under_way_;
  std::unordered_multimap<std::uint64_t, const Burst*> blocks_;  // bursts in flight, by block
  std::multimap<base::Time, Burst*> answered_;
};

}  // namespace tahoma::model
