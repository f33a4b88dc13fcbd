// SPDX-License-Identifier: Apache-2.0
// Someone else's initiator at a stack of the machine's kind: takes transactions of the TLM-2.0 base protocol
// without extensions, of any length at any address, makes each a request of one row in the protocol of
// sim/packet.h, and goes through the four phases with the times that the stack says.
//
// END_REQ comes at once while fewer than `outstanding` transactions are under way, otherwise when a place is
// free. BEGIN_RESP comes when the last data of a read are there, or a write has been accepted, and `response`
// later, the way back; one at a time, the next when END_RESP has ended it. Data move in the order of
// requests, when a request ends, so that transactions to the same bytes need no care; they move between the
// initiator's array and the host pages of the stack.
//
// Addresses are offsets in the stack. Byte enables, a streaming width below the length and addresses outside
// are answered at once with the response status that the standard has for them. An initiator that breaks the
// protocol is refused with base::UserError E-RUN-080. b_transport comes with the convenience socket.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <map>
#include <unordered_set>

#include "model/memory/hbm/hbm_stack.h"
#include "model/sim/meter.h"

namespace tahoma::model {

class ForeignPort : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ForeignPort> foreign{"foreign"};

  struct Place {
    HbmStack& stack;
    std::uint32_t core;       // in whose name the stack counts the bytes
    base::Duration response;  // no shorter than the stack takes to answer
    std::uint32_t outstanding;
    sim::PayloadPool& pool;
    sim::Meter& meter;
  };
  ForeignPort(sc_core::sc_module_name name, const Place& place);

 private:
  using Transaction = tlm::tlm_generic_payload;

  tlm::tlm_sync_enum on_forward(Transaction& transaction, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum begin_request(Transaction& transaction, tlm::tlm_phase& phase, base::Duration ahead);
  void end_response(Transaction& transaction, base::Time when);
  tlm::tlm_sync_enum on_answer(sim::Payload& access, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  unsigned on_debug(Transaction& transaction);

  // What is wrong with it; TLM_OK_RESPONSE if nothing is.
  tlm::tlm_response_status verdict(const Transaction& transaction);
  void move_data(Transaction& transaction, unsigned bytes);
  void access(Transaction& transaction, base::Time start);
  void answered(sim::Payload& access);
  void step();
  void respond(Transaction& transaction);
  void take_waiting();

  tlm_utils::simple_initiator_socket<ForeignPort> to_stack_{"to_stack"};
  Place place_;
  std::unordered_set<const Transaction*> under_way_;
  struct Waiting {
    Transaction* transaction = nullptr;  // its request has not ended
    base::Time start{0};
  };
  Waiting waiting_;
  Transaction* responding_ = nullptr;  // until END_RESP
  base::Time free_{0};                 // when the last response has ended
  std::deque<Transaction*> tags_;      // of accesses, by tag
  std::vector<std::uint32_t> free_tags_;
  std::multimap<base::Time, Transaction*> responses_;
  sc_core::sc_event wake_;
};

}  // namespace tahoma::model
