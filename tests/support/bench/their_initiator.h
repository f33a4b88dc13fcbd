// SPDX-License-Identifier: Apache-2.0
// An independent initiator according to the standard (IEEE 1666-2011, 15.2): it sends a list of transactions,
// ends responses in every way that the base protocol allows, checks the target, and breaks the protocol when
// a test asks for it.
#pragma once

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "model/sim/time.h"

namespace tahoma::tests {

enum class Ending { kAtOnce, kOnReturn, kLater, kAny };  // of a response
enum class Offence {
  kNone,
  kNoWaiting,
  kTwice,
  kEndsTwice,
  kEndsNothing,
  kWrongPhase,
  kWrongReturn,
  kNoManager
};

class TheirInitiator : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  tlm_utils::simple_initiator_socket<TheirInitiator> port{"port"};

  struct Transaction {
    tlm::tlm_command command = tlm::TLM_READ_COMMAND;
    std::uint64_t address = 0;
    std::vector<unsigned char> data;
    std::int64_t from_ns = 0;   // earliest time to send it
    std::int64_t ahead_ns = 0;  // time from its announcement to its begin
    // The initiator fills these in.
    base::Time begin{0}, accepted = base::kNever, answered = base::kNever;
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    tlm::tlm_generic_payload payload;
  };
  std::deque<Transaction> list;
  Ending ending = Ending::kAtOnce;
  Offence offence = Offence::kNone;
  std::vector<std::string> complaints;  // about the target
  std::size_t under_way = 0, most_under_way = 0;

  explicit TheirInitiator(sc_core::sc_module_name name) : sc_module(name) {
    port.register_nb_transport_bw(this, &TheirInitiator::backward);
    SC_HAS_PROCESS(TheirInitiator);
    SC_METHOD(act);
    sensitive << due_;
  }

  Transaction& add(tlm::tlm_command command, std::uint64_t address, std::size_t bytes) {
    Transaction& t = list.emplace_back();
    t.command = command;
    t.address = address;
    t.data.resize(bytes);
    t.payload.set_command(command);
    t.payload.set_address(address);
    t.payload.set_data_ptr(t.data.data());
    t.payload.set_data_length(static_cast<unsigned>(bytes));
    t.payload.set_streaming_width(static_cast<unsigned>(bytes));
    return t;
  }
  Transaction& read(std::uint64_t address, std::size_t bytes) {
    return add(tlm::TLM_READ_COMMAND, address, bytes);
  }
  Transaction& write(std::uint64_t address, std::vector<unsigned char> bytes) {
    Transaction& t = add(tlm::TLM_WRITE_COMMAND, address, bytes.size());
    std::copy(bytes.begin(), bytes.end(), t.data.begin());  // the payload's data pointer points here
    return t;
  }

  void free(tlm::tlm_generic_payload*) override { ++freed_; }
  // Empty if everything was answered, ended and released without complaints.
  std::string verdict() const {
    std::string text;
    for (const std::string& c : complaints) text += c + "; ";
    const auto silent = std::count_if(list.begin(), list.end(),
                                      [](const Transaction& t) { return t.answered == base::kNever; });
    if (silent > 0) text += fmt::format("{} without a response; ", silent);
    if (freed_ != list.size()) text += fmt::format("{} of {} let go", freed_, list.size());
    return text;
  }

 private:
  static sc_core::sc_time ns(std::int64_t n) { return {static_cast<double>(n), sc_core::SC_NS}; }
  void complain(const Transaction& t, const std::string& text) {
    complaints.push_back(fmt::format("{} at {:#x}", text, t.address));
  }

  void act() {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (to_end_ != nullptr && end_at_ <= now) end_now();
    while (next_ < list.size() && (request_ == nullptr || offence == Offence::kNoWaiting) &&
           ns(list[next_].from_ns) <= now)
      send(list[next_++]);
    if (to_end_ != nullptr) due_.notify(end_at_ - now);
    if (next_ < list.size() && ns(list[next_].from_ns) > now) due_.notify(ns(list[next_].from_ns) - now);
  }

  void send(Transaction& t) {
    request_ = &t;
    of_[&t.payload] = &t;
    most_under_way = std::max(most_under_way, ++under_way);
    if (offence != Offence::kNoManager) {
      t.payload.set_mm(this);
      t.payload.acquire();
    }
    tlm::tlm_phase phase = offence == Offence::kWrongPhase ? tlm::END_REQ : tlm::BEGIN_REQ;
    if (offence == Offence::kEndsNothing) phase = tlm::END_RESP;
    sc_core::sc_time delay = ns(t.ahead_ns);
    t.begin = sim::now() + sim::from_systemc(delay);
    const tlm::tlm_sync_enum how = port->nb_transport_fw(t.payload, phase, delay);
    if (offence == Offence::kTwice) {
      phase = tlm::BEGIN_REQ;
      port->nb_transport_fw(t.payload, phase, delay);
    }
    const base::Time when = sim::now() + sim::from_systemc(delay);
    if (how == tlm::TLM_UPDATED && phase == tlm::END_REQ) accept(t, when);
    if (how == tlm::TLM_UPDATED && phase != tlm::END_REQ && offence == Offence::kNone)
      complain(t, "a strange phase on return");
    if (how == tlm::TLM_COMPLETED) {
      answer(t, when);
      finish(t);
    }
  }

  void accept(Transaction& t, base::Time when) {
    if (request_ != &t) complain(t, "END_REQ out of turn");
    t.accepted = when;
    request_ = nullptr;
  }

  void answer(Transaction& t, base::Time when) {
    if (t.answered != base::kNever) complain(t, "answered twice");
    if (to_end_ != nullptr) complain(t, "answered before the response before has ended");
    if (when < t.begin || (t.accepted != base::kNever && when < t.accepted))
      complain(t, "answered too early");
    if (t.accepted == base::kNever) accept(t, when);
    t.status = t.payload.get_response_status();
    if (t.status == tlm::TLM_INCOMPLETE_RESPONSE) complain(t, "answered without a status");
    t.answered = when;
  }

  void finish(Transaction& t) {
    --under_way;
    of_.erase(&t.payload);
    t.payload.release();
  }

  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay) {
    const auto found = of_.find(&payload);
    if (found == of_.end()) {
      complaints.push_back("a call back for nothing");
      return tlm::TLM_ACCEPTED;
    }
    Transaction& t = *found->second;
    const base::Time when = sim::now() + sim::from_systemc(delay);
    if (phase == tlm::END_REQ) {
      accept(t, when);
      due_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_ACCEPTED;
    }
    if (phase != tlm::BEGIN_RESP) complain(t, "a strange phase");
    answer(t, when);
    due_.notify(sc_core::SC_ZERO_TIME);
    const Ending how = ending == Ending::kAny ? static_cast<Ending>(random_() % 3) : ending;
    if (how == Ending::kLater) {
      to_end_ = &t;
      end_at_ = sc_core::sc_time_stamp() + ns(3);
      return tlm::TLM_ACCEPTED;
    }
    finish(t);
    phase = offence == Offence::kWrongReturn ? tlm::BEGIN_REQ : tlm::END_RESP;
    if (how == Ending::kAtOnce) return tlm::TLM_COMPLETED;
    delay += ns(2);
    return tlm::TLM_UPDATED;
  }

  void end_now() {
    Transaction& t = *to_end_;
    to_end_ = nullptr;
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    t.payload.acquire();
    port->nb_transport_fw(t.payload, phase, delay);
    if (offence == Offence::kEndsTwice) {
      phase = tlm::END_RESP;
      port->nb_transport_fw(t.payload, phase, delay);
    }
    finish(t);
    t.payload.release();
  }

  std::mt19937_64 random_{5};
  std::map<const tlm::tlm_generic_payload*, Transaction*> of_;
  std::size_t next_ = 0, freed_ = 0;
  Transaction* request_ = nullptr;  // not ended
  Transaction* to_end_ = nullptr;   // answered; END_RESP is still to be sent
  sc_core::sc_time end_at_;
  sc_core::sc_event due_;
};

}  // namespace tahoma::tests
