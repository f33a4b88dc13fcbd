// SPDX-License-Identifier: Apache-2.0
// The cut of the fabric between processes: the ends of the links that cross it, and the messages between
// them.
//
// Everything that one chip does to another one passes through a link, as a packet or as a credit; README.md
// lists it. A message is collected when it is sent and delivered after the window in which it was sent
// (time_windows.h).
//
// A read of another chip's memory travels as a request and returns as the answer. Its payload stays here
// until then, and the other processes make payloads of their own.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "model/base/byte_stream.h"
#include "model/link/cut_link.h"
#include "model/system/parallel/memory_exchange.h"
#include "model/system/parallel/node_shares.h"
#include "model/system/parallel/processes.h"

namespace tahoma::model {

class Cut : private CutTraffic {
 public:
  // All of these must outlive the cut.
  Cut(const NodeShares& shares, Processes& processes, sim::PayloadPool& pool, MemoryExchange& memory);

  bool is_here(std::uint32_t node) const { return shares_.is_here(node); }

  // Each makes the end of a direction of a link, the other end of which is elsewhere.
  // `to`: the node that is simulated there.
  LinkExit& exit_of(const LinkPort::Place& port, std::uint32_t to);
  LinkEntrance& entrance_of(const LinkPort::Place& port);

  // take_sent() returns everything that was sent since its last call.
  struct Sent {
    std::vector<ByteString> to;              // by process, values included
    base::Time first_effect = base::kNever;  // of all packets and credits, on the other side
  };
  Sent take_sent();
  void deliver(const std::vector<ByteString>& received);

  // These count what this process has sent so far: packets and credits, and the bytes of these and of values.
  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; }
  // Returns whether a link has one end in this process only.
  bool has_links() const { return !exits_.empty() || !entrances_.empty(); }
  bool all_home() const { return abroad_.empty(); }  // no read waits for its answer

 private:
  enum class Kind : std::uint8_t { kPacket, kCredit, kValues };

  void packet(std::uint32_t link, sim::Payload& payload) override;
  void credit(std::uint32_t link, const LinkCredit& credit) override;
  void deliver_packet(base::ByteReader& from);
  void deliver_credit(base::ByteReader& from);
  sim::Payload& payload_for(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes,
                            const sim::PacketInfo& info);
  // `effect` is the time at which the message has its first effect.
  base::ByteWriter& message_to(std::uint32_t node, Kind kind, std::uint32_t link, base::Time effect);

  const NodeShares& shares_;
  Processes& processes_;
  sim::PayloadPool& pool_;
  MemoryExchange& memory_;
  std::map<std::uint32_t, std::unique_ptr<LinkExit>> exits_;          // by link
  std::map<std::uint32_t, std::unique_ptr<LinkEntrance>> entrances_;  // by link
  std::unordered_map<std::uint32_t, std::uint32_t>
      far_end_;                         // by link: the node that simulates its other end
  std::vector<base::ByteWriter> sent_;  // by process
  std::unordered_map<std::uint64_t, sim::Payload*>
      abroad_;                              // reads that wait for answers, by PacketInfo::awaited
  base::Time first_effect_ = base::kNever;  // of what is in sent_
  std::uint64_t next_awaited_ = 0, messages_ = 0, bytes_ = 0;
};

}  // namespace tahoma::model
