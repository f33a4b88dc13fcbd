// SPDX-License-Identifier: Apache-2.0
// Connects an external initiator to one of Tahoma's stacks. It accepts transactions of the TLM-2.0 base
// protocol without extensions, of any length at any address, converts each into a single-row request in the
// protocol of sim/packet.h, and performs the four phases at the times that the stack reports.
//
// END_REQ comes at once while fewer than `outstanding` transactions are in flight, otherwise when a slot is
// free. BEGIN_RESP comes `response` (the return path) after the last data of a read have arrived or a write
// has been accepted; there is one response at a time, and the next follows END_RESP. Data move in the order
// of requests, when a request ends, so transactions to the same bytes need no special handling; they move
// between the initiator's array and the host pages of the stack.
//
// Addresses are offsets in the stack. Byte enables, a streaming width below the length and addresses outside
// are answered at once with the response status that the standard defines for them. An initiator that
// violates the protocol raises base::UserError E-RUN-080. The convenience socket provides b_transport.
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
    std::uint32_t core;       // the core to which the stack attributes the bytes
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

  // Validates the transaction; TLM_OK_RESPONSE if it is valid.
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
  base::Time free_{0};                 // end of the last response
  std::deque<Transaction*> tags_;      // of accesses, by tag
  std::vector<std::uint32_t> free_tags_;
  std::multimap<base::Time, Transaction*> responses_;
  sc_core::sc_event wake_;
};

}  // namespace tahoma::model
