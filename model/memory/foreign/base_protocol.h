// SPDX-License-Identifier: Apache-2.0
// The base protocol of TLM-2.0 (IEEE 1666-2011, 15.2), approximately timed, from the initiator's side: what
// may be sent when, and what a target may say to it.
//
// One request at a time: the next BEGIN_REQ waits until the target has ended the one before, by END_REQ, or
// by its response if that comes first. Responses come in any order and are ended at once. Two bursts to the
// same byte of which one is a write are never under way together, since a target may serve them in either
// order.
//
// Whatever a target does against the protocol is refused with base::UserError E-RUN-080, an error response
// with E-RUN-081.
//
// Arithmetic on times, no process: it is told what was called, and asked what is due.
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

// "END_REQ"; phases of other protocols come with their number.
std::string name_of(const tlm::tlm_phase& phase);
// "the read of 64 bytes at 0x1c0"
std::string describe(const tlm::tlm_generic_payload& payload);
// Throws base::UserError E-RUN-080: `text` says who did what, and what was expected.
[[noreturn]] void refuse_protocol(const std::string& where, const std::string& text);

// A burst without extensions, and with data of its own.
struct Burst : tlm::tlm_generic_payload {
  std::vector<std::byte> data;
  std::uint64_t at = 0;                // its address, which the payload's need not stay
  std::uint32_t packet = 0;            // the sender's own
  base::Time accepted = base::kNever;  // its request has ended
  base::Time answered = base::kNever;  // its response has come
  bool owes_end = false;               // of a response that came with a return: END_RESP is to be sent

  // Whether nobody changed what only the initiator may set.
  bool intact() const;
  void set(bool write, std::uint64_t address, std::uint32_t bytes);
};

// Bursts are counted by TLM's rules: a target may keep one for longer than it is under way.
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
  // `most`: bursts under way. A block has `block` bytes, and no burst lies in two.
  BaseProtocolInitiator(std::string who, std::size_t most, std::uint64_t block)
      : who_(std::move(who)), most_(most), block_(block) {}

  bool may_send(bool write, std::uint64_t address, std::uint32_t bytes) const;
  void sending(Burst& burst);  // before BEGIN_REQ is called
  void returned(Burst& burst, tlm::tlm_sync_enum how, const tlm::tlm_phase& phase, base::Time when);
  // On the backward path.
  void heard(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase, base::Time when);

  // What has happened until `now`: each once; null for nothing more. Requests end before their responses.
  Burst* next_accepted(base::Time now);
  Burst* next_answered(base::Time now);  // no longer under way
  // When something is due next; kNever while that depends on the target.
  base::Time due() const;
  std::size_t under_way() const { return under_way_.size(); }

 private:
  void end_request(Burst& burst, base::Time when);
  void begin_response(Burst& burst, base::Time when);
  [[noreturn]] void refuse(const Burst& burst, const std::string& does) const;

  std::string who_;
  std::size_t most_;
  std::uint64_t block_;
  Burst* request_ = nullptr;  // has not ended
  Burst* ending_ = nullptr;   // owes END_RESP
  std::unordered_set<const tlm::tlm_generic_payload*> under_way_;
  std::unordered_multimap<std::uint64_t, const Burst*> blocks_;  // those under way, by their block
  std::multimap<base::Time, Burst*> answered_;
};

}  // namespace tahoma::model
