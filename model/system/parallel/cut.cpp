// SPDX-License-Identifier: Apache-2.0
#include "model/system/parallel/cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/base/error.h"
#include "model/link/packet_fields.h"

namespace tahoma::model {
namespace {

constexpr std::uint32_t kMostPorts = 1U << 12;  // of a node
// PacketInfo::awaited has the number of a read below this bit, and the process above.
constexpr unsigned kProcessShift = 40;

std::uint32_t number_of(const LinkPort::Place& port) {
  TAHOMA_INVARIANT(port.index < kMostPorts, "a node of the fabric has too many ports");
  return port.from * kMostPorts + port.index;
}

}  // namespace

Cut::Cut(const NodeShares& shares, Processes& processes, sim::PayloadPool& pool, MemoryExchange& memory)
    : shares_(shares), processes_(processes), pool_(pool), memory_(memory), sent_(processes.count()) {}

LinkExit& Cut::exit_of(const LinkPort::Place& port, std::uint32_t to) {
  const std::uint32_t link = number_of(port);
  far_end_[link] = to;
  const std::string name = fmt::format("exit_{}_{}", port.from, port.index);
  return *(exits_[link] =
               std::make_unique<LinkExit>(name.c_str(), link, static_cast<CutTraffic&>(*this), pool_));
}

LinkEntrance& Cut::entrance_of(const LinkPort::Place& port) {
  const std::uint32_t link = number_of(port);
  far_end_[link] = port.from;
  const std::string name = fmt::format("entrance_{}_{}", port.from, port.index);
  return *(entrances_[link] =
               std::make_unique<LinkEntrance>(name.c_str(), link, port, static_cast<CutTraffic&>(*this)));
}

base::ByteWriter& Cut::message_to(std::uint32_t node, Kind kind, std::uint32_t link, base::Time effect) {
  ++messages_;
  first_effect_ = std::min(first_effect_, effect);
  base::ByteWriter& to = sent_[shares_.process_of(node)];
  to(kind, link);
  return to;
}

void Cut::packet(std::uint32_t link, sim::Payload& payload) {
  sim::PacketInfo& info = sim::info_of(payload);
  if (payload.is_read() && info.awaited == 0) {
    info.awaited = (std::uint64_t{processes_.rank()} << kProcessShift) | ++next_awaited_;
    payload.acquire();
    abroad_[info.awaited] = &payload;
  }
  message_to(far_end_.at(link), Kind::kPacket, link, info.head)(payload.get_command(), payload.get_address(),
                                                                payload.get_data_length(), info);
}

void Cut::credit(std::uint32_t link, const LinkCredit& credit) {
  message_to(far_end_.at(link), Kind::kCredit, link, credit.when)(credit);
}

Cut::Sent Cut::take_sent() {
  Sent all{{}, std::exchange(first_effect_, base::kNever)};
  for (std::uint32_t p = 0; p < sent_.size(); ++p) {
    if (const ByteString values = memory_.take_sent(p); !values.empty()) sent_[p](Kind::kValues, values);
    bytes_ += sent_[p].bytes().size();
    all.to.push_back(std::exchange(sent_[p].bytes(), {}));
  }
  return all;
}

void Cut::deliver(const std::vector<ByteString>& received) {
  for (std::uint32_t p = 0; p < received.size(); ++p) {
    base::ByteReader from(received[p]);
    while (!from.empty()) {
      Kind kind{};
      from(kind);
      if (kind == Kind::kPacket) deliver_packet(from);
      if (kind == Kind::kCredit) deliver_credit(from);
      if (kind == Kind::kValues) {
        ByteString values;
        from(values);
        memory_.deliver(p, values);
      }
    }
  }
}

void Cut::deliver_credit(base::ByteReader& from) {
  std::uint32_t link = 0;
  LinkCredit credit;
  from(link, credit);
  exits_.at(link)->credit(credit);
}

void Cut::deliver_packet(base::ByteReader& from) {
  std::uint32_t link = 0, bytes = 0;
  tlm::tlm_command command{};
  std::uint64_t address = 0;
  sim::PacketInfo info;
  from(link, command, address, bytes, info);
  sim::Payload& payload = payload_for(command, address, bytes, info);
  entrances_.at(link)->packet(payload);
  payload.release();
}

// Returns a payload with a reference for the caller.
sim::Payload& Cut::payload_for(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes,
                               const sim::PacketInfo& info) {
  if (info.awaited == 0 || info.awaited >> kProcessShift != processes_.rank()) {
    sim::Payload* made = pool_.take(command, address, bytes);
    sim::info_of(*made) = info;
    return *made;
  }
  const auto found = abroad_.find(info.awaited);
  TAHOMA_INVARIANT(found != abroad_.end(), "an answer arrives for which nothing waits");
  sim::Payload& own = *found->second;
  abroad_.erase(found);
  own.set_address(address);  // a chip that stands for others may have renamed it
  sim::info_of(own) = info;
  sim::info_of(own).awaited = 0;
  return own;
}

}  // namespace tahoma::model
