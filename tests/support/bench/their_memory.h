// SPDX-License-Identifier: Apache-2.0
// An independent memory according to the standard (IEEE 1666-2011, 15.2): it stores bytes, answers in every
// way that the base protocol allows, checks the initiator, and breaks the protocol when a test asks for it.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "model/memory/foreign/foreign_stack.h"
#include "model/system/machine/stack_maker.h"

namespace tahoma::tests {

enum class Manner { kFourPhases, kNoEndReq, kOnReturn, kAtOnce, kEndReqOnReturn, kAny };

enum class Misdeed {
  kNone,
  kEndReqTwice,
  kEndReqAfterResponse,
  kResponseTwice,
  kResponseTooEarly,
  kWrongPhase,
  kWrongReturn,
  kNoStatus,
  kErrorStatus,
  kMovesData,
  kOtherBytes,
  kNoResponse,
  kNoDebug
};

class TheirMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<TheirMemory> port{"port"};

  struct Behaviour {
    Manner manner = Manner::kFourPhases;
    std::int64_t least_ns = 5, most_ns = 120;  // of a response, by address and number of the burst
    bool delay_request = true;                 // END_REQ takes part of the latency
    Misdeed misdeed = Misdeed::kNone;
    std::uint64_t misdeed_at = 20;               // number of the burst at which the protocol is broken
    std::uint64_t burst = 64, outstanding = 32;  // limits that the initiator must keep
  };
  std::vector<std::string> complaints;  // about the initiator
  std::uint64_t reads = 0, writes = 0, most_under_way = 0;

  TheirMemory(sc_core::sc_module_name name, const Behaviour& b) : sc_module(name), b_(b) {
    port.register_nb_transport_fw(this, &TheirMemory::forward);
    port.register_transport_dbg(this, &TheirMemory::debug);
    SC_HAS_PROCESS(TheirMemory);
    SC_METHOD(act);
    sensitive << due_;
    dont_initialize();
  }

  std::vector<std::byte> contents(std::uint64_t at, std::size_t bytes) {
    std::vector<std::byte> all(bytes);
    move(at, all.data(), bytes, false);
    return all;
  }

 private:
  using Payload = tlm::tlm_generic_payload;
  enum class Step { kEndRequest, kRespond };
  struct Due {
    Payload* payload;
    Step step;
  };

  void complain(const std::string& text) { complaints.push_back(text); }

  std::int64_t random_ns() {
    return b_.least_ns + static_cast<std::int64_t>(random_() % (b_.most_ns - b_.least_ns + 1));
  }
  static sc_core::sc_time ns(std::int64_t n) { return {static_cast<double>(n), sc_core::SC_NS}; }

  void move(std::uint64_t at, std::byte* data, std::size_t bytes, bool write) {
    for (std::size_t n = 0; n < bytes; ++n, ++at) {
      std::vector<std::byte>& page = pages_[at >> 12];
      page.resize(4096, std::byte{0xee});  // unwritten bytes are not zero
      std::byte& here = page[at & 4095];
      (write ? here : data[n]) = write ? data[n] : here;
    }
  }

  unsigned debug(Payload& p) {
    if (b_.misdeed == Misdeed::kNoDebug) return 0;
    move(p.get_address(), reinterpret_cast<std::byte*>(p.get_data_ptr()), p.get_data_length(), p.is_write());
    return p.get_data_length();
  }

  void check_request(const Payload& p) {
    const std::uint64_t at = p.get_address(), bytes = p.get_data_length();
    if (request_ != nullptr) complain("a request before the end of the one before");
    if (under_way_.contains(&p)) complain("a payload twice");
    if (bytes == 0 || at / b_.burst != (at + bytes - 1) / b_.burst) complain("a burst across a border");
    if (p.get_data_ptr() == nullptr || p.get_byte_enable_ptr() != nullptr) complain("no plain data");
    if (p.get_streaming_width() < bytes) complain("a stream");
    if (p.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) complain("a status before the response");
    if (!p.has_mm() || p.get_ref_count() < 1) complain("nobody keeps the payload");
    if (p.get_extension<sim::PacketInfo>() != nullptr) complain("an extension");
    for (const Payload* other : under_way_) {
      const std::uint64_t from = other->get_address(), to = from + other->get_data_length();
      if (at < to && from < at + bytes && (p.is_write() || other->is_write())) complain("a hazard");
    }
    if (under_way_.size() >= b_.outstanding) complain("too many under way");
  }

  // Applies the transaction to the stored bytes and sets the status.
  void execute(Payload& p) {
    auto* data = reinterpret_cast<std::byte*>(p.get_data_ptr());
    move(p.get_address(), data, p.get_data_length(), p.is_write());
    if (is(p, Misdeed::kOtherBytes)) data[p.get_data_length() / 2] ^= std::byte{4};
    if (is(p, Misdeed::kMovesData)) p.set_data_ptr(p.get_data_ptr() + 1);
    p.set_response_status(is(p, Misdeed::kErrorStatus) ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                          : is(p, Misdeed::kNoStatus)  ? tlm::TLM_INCOMPLETE_RESPONSE
                                                       : tlm::TLM_OK_RESPONSE);
  }
  bool is(const Payload& p, Misdeed what) const { return b_.misdeed == what && victim_ == &p; }

  tlm::tlm_sync_enum forward(Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      if (ending_ != &p) complain("an END_RESP for nothing");
      ending_ = nullptr;
      finish(p);
      due_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_COMPLETED;
    }
    if (phase != tlm::BEGIN_REQ) complain("a phase of the target's");
    check_request(p);
    ++(p.is_read() ? reads : writes);
    // Only a read can return wrong bytes.
    if (reads + writes >= b_.misdeed_at && victim_ == nullptr &&
        (p.is_read() || b_.misdeed != Misdeed::kOtherBytes))
      victim_ = &p;
    under_way_.insert(&p);
    most_under_way = std::max<std::uint64_t>(most_under_way, under_way_.size());
    p.acquire();
    const Manner manner = b_.manner == Manner::kAny ? static_cast<Manner>(random_() % 5) : b_.manner;
    const auto wait = random_ns();
    const auto until_end = b_.delay_request ? wait / 3 : 0;
    if (is(p, Misdeed::kWrongReturn)) return phase = tlm::END_RESP, tlm::TLM_UPDATED;
    switch (manner) {
      case Manner::kAtOnce:
        execute(p);
        delay += ns(wait);
        finish(p);
        return tlm::TLM_COMPLETED;
      case Manner::kOnReturn:
        if (ending_ != nullptr) break;
        execute(p);
        delay += ns(wait);
        ending_ = &p;
        ends_from_ = sc_core::sc_time_stamp() + delay;
        phase = tlm::BEGIN_RESP;
        return tlm::TLM_UPDATED;
      case Manner::kEndReqOnReturn:
        schedule(p, Step::kRespond, wait);
        delay += ns(until_end);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
      case Manner::kNoEndReq:
        request_ = &p;
        schedule(p, Step::kRespond, wait);
        return tlm::TLM_ACCEPTED;
      default:
        break;
    }
    request_ = &p;
    schedule(p, Step::kEndRequest, until_end);
    schedule(p, Step::kRespond, wait);
    return tlm::TLM_ACCEPTED;
  }

  void schedule(Payload& p, Step step, std::int64_t after) {
    const sc_core::sc_time when = sc_core::sc_time_stamp() + ns(after);
    plan_.emplace(when, Due{&p, step});
    due_.notify(ns(after));
  }

  void act() {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    while (!plan_.empty() && plan_.begin()->first <= now) {
      if (ending_ != nullptr && ends_from_ <= now && plan_.begin()->second.step == Step::kRespond) return;
      const Due d = plan_.begin()->second;
      plan_.erase(plan_.begin());
      if (d.step == Step::kEndRequest)
        end_request(*d.payload);
      else
        respond(*d.payload);
    }
    if (!plan_.empty()) due_.notify(plan_.begin()->first - now);
  }

  void call(Payload& p, tlm::tlm_phase phase, std::int64_t after = 0) {
    sc_core::sc_time delay = ns(after);
    const bool response = phase == tlm::BEGIN_RESP;
    const tlm::tlm_sync_enum how = port->nb_transport_bw(p, phase, delay);
    if (b_.misdeed == Misdeed::kNone && how != (response ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED))
      complain("not the answer to a call back");
  }

  void end_request(Payload& p) {
    if (is(p, Misdeed::kEndReqAfterResponse)) return;
    request_ = nullptr;
    call(p, is(p, Misdeed::kWrongPhase) ? tlm::END_RESP : tlm::END_REQ,
         is(p, Misdeed::kResponseTooEarly) ? 1000 : 0);
    if (is(p, Misdeed::kEndReqTwice)) call(p, tlm::END_REQ);
  }

  void respond(Payload& p) {
    if (is(p, Misdeed::kNoResponse)) return;
    if (request_ == &p) request_ = nullptr;
    execute(p);
    p.acquire();
    finish(p);
    call(p, tlm::BEGIN_RESP, is(p, Misdeed::kResponseTwice) ? 5 : 0);
    if (is(p, Misdeed::kResponseTwice)) call(p, tlm::BEGIN_RESP);
    if (is(p, Misdeed::kEndReqAfterResponse)) call(p, tlm::END_REQ);
    p.release();
  }

  void finish(Payload& p) {
    under_way_.erase(&p);
    p.release();
  }

  Behaviour b_;
  std::mt19937_64 random_{11};
  std::map<std::uint64_t, std::vector<std::byte>> pages_;
  std::set<const Payload*> under_way_;
  const Payload* request_ = nullptr;  // not ended
  const Payload* ending_ = nullptr;   // responded by return; END_RESP is still to come
  const Payload* victim_ = nullptr;
  sc_core::sc_time ends_from_;
  std::multimap<sc_core::sc_time, Due> plan_;
  sc_core::sc_event due_;
};

// The memory and the adaptor, in the form that a machine takes.
struct TheirStack : model::ForeignStack {
  TheirMemory memory;
  TheirStack(sc_core::sc_module_name name, const model::StackSite& site, const TheirMemory::Behaviour& b)
      : ForeignStack(name, {site.params, site.meter, {b.burst}, static_cast<std::uint32_t>(b.outstanding)},
                     site.faults),
        memory("memory", b) {
    bursts.bind(memory.port);
  }
};

}  // namespace tahoma::tests
