// SPDX-License-Identifier: Apache-2.0
#include "model/memory/foreign/base_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/base/error.h"

namespace tahoma::model {

using base::Time;

std::string name_of(const tlm::tlm_phase& phase) { return phase.get_name(); }

std::string describe(const tlm::tlm_generic_payload& p) {
  return fmt::format("the {} of {} bytes at {:#x}", p.is_write() ? "write" : "read", p.get_data_length(),
                     p.get_address());
}

void refuse_protocol(const std::string& where, const std::string& text) {
  throw base::UserError("E-RUN-080", where, text);
}

// Interconnects may change the address, and targets may change the response.
bool Burst::intact() const {
  return get_data_length() == data.size() &&
         get_data_ptr() == reinterpret_cast<const unsigned char*>(data.data()) &&
         get_streaming_width() == data.size() && get_byte_enable_ptr() == nullptr;
}

void Burst::set(bool write, std::uint64_t address, std::uint32_t bytes) {
  data.resize(bytes);
  set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  at = address;
  set_address(address);
  set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
  set_data_length(bytes);
  set_streaming_width(bytes);
  set_byte_enable_ptr(nullptr);
  set_dmi_allowed(false);
  set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  accepted = answered = base::kNever;
  owes_end = false;
}

Burst& BurstPool::take(bool write, std::uint64_t address, std::uint32_t bytes) {
  if (free_.empty()) {
    free_.push_back(&all_.emplace_back());
    free_.back()->set_mm(this);
  }
  Burst& burst = *free_.back();
  free_.pop_back();
  burst.acquire();
  burst.set(write, address, bytes);
  return burst;
}

void BurstPool::free(tlm::tlm_generic_payload* payload) { free_.push_back(static_cast<Burst*>(payload)); }

bool BaseProtocolInitiator::may_send(bool write, std::uint64_t address, std::uint32_t bytes) const {
  if (request_ != nullptr || under_way_.size() >= most_) return false;
  const auto [from, to] = blocks_.equal_range(address / block_);
  return std::none_of(from, to, [&](const auto& entry) {
    const Burst& other = *entry.second;
    return (write || other.is_write()) && address < other.at + other.data.size() &&
           other.at < address + bytes;
  });
}

void BaseProtocolInitiator::sending(Burst& burst) {
  request_ = &burst;
  under_way_.insert(&burst);
  blocks_.emplace(burst.at / block_, &burst);
}

void BaseProtocolInitiator::returned(Burst& burst, tlm::tlm_sync_enum how, const tlm::tlm_phase& phase,
                                     Time when) {
  if (how == tlm::TLM_ACCEPTED) return;
  if (how == tlm::TLM_COMPLETED) return begin_response(burst, when);
  if (phase == tlm::END_REQ) return end_request(burst, when);
  if (phase != tlm::BEGIN_RESP)
    refuse(burst, fmt::format("returns TLM_UPDATED with {}; expected END_REQ or BEGIN_RESP", name_of(phase)));
  begin_response(burst, when);
  ending_ = &burst;
  burst.owes_end = true;
}

void BaseProtocolInitiator::heard(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase, Time when) {
  if (!under_way_.contains(&payload))
    refuse_protocol(who_, fmt::format("the memory sends {} for a transaction that is not under way; expected "
                                      "one response to each request",
                                      name_of(phase)));
  auto& burst = static_cast<Burst&>(payload);
  if (phase == tlm::END_REQ) return end_request(burst, when);
  if (phase != tlm::BEGIN_RESP)
    refuse(burst, fmt::format("sends {}; expected END_REQ or BEGIN_RESP", name_of(phase)));
  begin_response(burst, when);
}

void BaseProtocolInitiator::end_request(Burst& burst, Time when) {
  if (burst.accepted != base::kNever)
    refuse(burst, "sends END_REQ when the request has ended; expected it once, before BEGIN_RESP");
  burst.accepted = when;
}

void BaseProtocolInitiator::begin_response(Burst& burst, Time when) {
  if (burst.answered != base::kNever) refuse(burst, "responds twice; expected one BEGIN_RESP");
  if (ending_ != nullptr && when >= ending_->answered)
    refuse(burst, "responds before END_RESP has ended its last response");
  if (burst.accepted == base::kNever) burst.accepted = when;
  if (when < burst.accepted)
    refuse(burst, fmt::format("responds {:.3f} ns before it ends the request", (burst.accepted - when).ns()));
  if (!burst.intact()) refuse(burst, "changed the data pointer, the length, the width or the byte enables");
  if (burst.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    refuse(burst, "responds with TLM_INCOMPLETE_RESPONSE; expected a status");
  if (burst.is_response_error())
    throw base::UserError("E-RUN-081", who_,
                          fmt::format("the memory answers {} with {}; expected TLM_OK_RESPONSE",
                                      describe(burst), burst.get_response_string()));
  burst.answered = when;
  answered_.emplace(when, &burst);
}

Burst* BaseProtocolInitiator::next_accepted(Time now) {
  if (request_ == nullptr || request_->accepted > now) return nullptr;
  return std::exchange(request_, nullptr);
}

Burst* BaseProtocolInitiator::next_answered(Time now) {
  if (answered_.empty() || answered_.begin()->first > now) return nullptr;
  Burst* burst = answered_.begin()->second;
  answered_.erase(answered_.begin());
  under_way_.erase(burst);
  if (ending_ == burst) ending_ = nullptr;
  const auto [from, to] = blocks_.equal_range(burst->at / block_);
  blocks_.erase(std::find_if(from, to, [burst](const auto& entry) { return entry.second == burst; }));
  return burst;
}

Time BaseProtocolInitiator::due() const {
  const Time response = answered_.empty() ? base::kNever : answered_.begin()->first;
  return request_ == nullptr ? response : std::min(request_->accepted, response);
}

void BaseProtocolInitiator::refuse(const Burst& burst, const std::string& does) const {
  refuse_protocol(who_,
                  fmt::format("the memory breaks the base protocol in {}: it {}", describe(burst), does));
}

}  // namespace tahoma::model
