// SPDX-License-Identifier: Apache-2.0
#include "model/memory/foreign/foreign_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "isa/core/program.h"
#include "model/memory/foreign/base_protocol.h"

namespace tahoma::model {

using base::Duration, base::Time;

ForeignPort::ForeignPort(sc_core::sc_module_name name, const Place& place) : sc_module(name), place_(place) {
  TAHOMA_INVARIANT(place.outstanding > 0, std::string(this->name()) + ": no transaction may be under way");
  foreign.register_nb_transport_fw(this, &ForeignPort::on_forward);
  foreign.register_transport_dbg(this, &ForeignPort::on_debug);
  to_stack_.register_nb_transport_bw(this, &ForeignPort::on_answer);
  to_stack_.bind(place.stack.port);
  SC_HAS_PROCESS(ForeignPort);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

tlm::tlm_sync_enum ForeignPort::on_forward(Transaction& transaction, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED;
  place_.meter.guard(name(), [&] {
    if (phase == tlm::BEGIN_REQ)
      answer = begin_request(transaction, phase, sim::from_systemc(delay));
    else if (phase == tlm::END_RESP)
      end_response(transaction, sim::now() + sim::from_systemc(delay));
    else
      refuse_protocol(name(), fmt::format("the initiator sends {} for {}; expected BEGIN_REQ or END_RESP",
                                          name_of(phase), describe(transaction)));
  });
  return answer;
}

tlm::tlm_sync_enum ForeignPort::begin_request(Transaction& transaction, tlm::tlm_phase& phase,
                                              Duration ahead) {
  if (waiting_.transaction != nullptr)
    refuse_protocol(name(),
                    fmt::format("the initiator sends BEGIN_REQ for {}; expected it to wait for END_REQ "
                                "of {}",
                                describe(transaction), describe(*waiting_.transaction)));
  if (under_way_.contains(&transaction))
    refuse_protocol(name(),
                    fmt::format("the initiator sends BEGIN_REQ for {} a second time before its response",
                                describe(transaction)));
  if (!transaction.has_mm())
    refuse_protocol(name(),
                    fmt::format("the initiator sends {} without a memory manager; expected one, since "
                                "the transaction outlives the call",
                                describe(transaction)));
  const tlm::tlm_response_status status = verdict(transaction);
  transaction.set_dmi_allowed(false);
  transaction.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE || transaction.get_command() == tlm::TLM_IGNORE_COMMAND)
    return tlm::TLM_COMPLETED;
  const Time start = sim::now() + ahead;
  const bool room = under_way_.size() < place_.outstanding;
  transaction.acquire();
  under_way_.insert(&transaction);
  if (!room) {
    waiting_ = {&transaction, start};
    return tlm::TLM_ACCEPTED;
  }
  access(transaction, start);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

tlm::tlm_response_status ForeignPort::verdict(const Transaction& t) {
  if (t.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  if (t.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (t.get_data_length() == 0 || t.get_streaming_width() < t.get_data_length())
    return tlm::TLM_BURST_ERROR_RESPONSE;
  const std::uint64_t size = place_.stack.host_memory().size();
  if (t.get_address() >= size || t.get_data_length() > size - t.get_address())
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return t.get_data_ptr() == nullptr ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
}

void ForeignPort::move_data(Transaction& t, unsigned bytes) {
  std::byte* here = place_.stack.host_memory().data() + t.get_address();
  if (t.is_write())
    std::memcpy(here, t.get_data_ptr(), bytes);
  else
    std::memcpy(t.get_data_ptr(), here, bytes);
}

void ForeignPort::access(Transaction& transaction, Time start) {
  move_data(transaction, transaction.get_data_length());
  const isa::GlobalAddress to{0, 0, transaction.get_address()};
  sim::Payload* p = place_.pool.take(transaction.get_command(), to.bits(), transaction.get_data_length());
  sim::PacketInfo& info = sim::info_of(*p);
  info.source_core = place_.core;
  info.rows.start(transaction.get_data_length());
  if (free_tags_.empty()) {
    free_tags_.push_back(static_cast<std::uint32_t>(tags_.size()));
    tags_.emplace_back();
  }
  info.tag = free_tags_.back();
  free_tags_.pop_back();
  tags_[info.tag] = &transaction;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sim::to_systemc(start - sim::now());
  if (to_stack_->nb_transport_fw(*p, phase, delay) == tlm::TLM_COMPLETED) answered(*p);
}

tlm::tlm_sync_enum ForeignPort::on_answer(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  TAHOMA_INVARIANT(phase == tlm::BEGIN_RESP, std::string(name()) + ": unexpected phase from a stack");
  answered(payload);
  return tlm::TLM_COMPLETED;
}

void ForeignPort::answered(sim::Payload& payload) {
  const sim::PacketInfo& info = sim::info_of(payload);
  const Time when = info.last + place_.response;
  TAHOMA_INVARIANT(when >= sim::now(), std::string(name()) + ": a stack answers too late for the way back");
  responses_.emplace(when, tags_[info.tag]);
  free_tags_.push_back(info.tag);
  payload.release();
  sim::notify_at(wake_, when);
}

void ForeignPort::step() {
  place_.meter.guard(name(), [this] {
    const Time now = sim::now();
    while (responding_ == nullptr && free_ <= now && !responses_.empty() &&
           responses_.begin()->first <= now) {
      Transaction* transaction = responses_.begin()->second;
      responses_.erase(responses_.begin());
      respond(*transaction);
    }
    take_waiting();
    if (responding_ != nullptr) return;
    if (!responses_.empty()) sim::notify_at(wake_, std::max({free_, responses_.begin()->first, now}));
  });
}

void ForeignPort::respond(Transaction& transaction) {
  responding_ = &transaction;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum how = foreign->nb_transport_bw(transaction, phase, delay);
  if (how == tlm::TLM_ACCEPTED) return;
  if (how == tlm::TLM_UPDATED && phase != tlm::END_RESP)
    refuse_protocol(name(), fmt::format("the initiator answers BEGIN_RESP of {} with {}; expected END_RESP",
                                        describe(transaction), name_of(phase)));
  end_response(transaction, sim::now() + sim::from_systemc(delay));
}

void ForeignPort::end_response(Transaction& transaction, Time when) {
  if (responding_ != &transaction)
    refuse_protocol(name(),
                    fmt::format("the initiator sends END_RESP for {}; expected it once, after BEGIN_RESP",
                                describe(transaction)));
  responding_ = nullptr;
  free_ = when;
  under_way_.erase(&transaction);
  transaction.release();
  if (waiting_.transaction != nullptr || !responses_.empty()) sim::notify_at(wake_, when);
}

// The slot of an ended response goes to the waiting request.
void ForeignPort::take_waiting() {
  if (waiting_.transaction == nullptr || under_way_.size() > place_.outstanding || free_ > sim::now()) return;
  const Waiting next = std::exchange(waiting_, {});
  access(*next.transaction, std::max(next.start, sim::now()));
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  foreign->nb_transport_bw(*next.transaction, phase, delay);
}

unsigned ForeignPort::on_debug(Transaction& transaction) {
  const std::uint64_t size = place_.stack.host_memory().size();
  if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND || transaction.get_address() >= size) return 0;
  const auto bytes = static_cast<unsigned>(
      std::min<std::uint64_t>(transaction.get_data_length(), size - transaction.get_address()));
  move_data(transaction, bytes);
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  return bytes;
}

}  // namespace tahoma::model
