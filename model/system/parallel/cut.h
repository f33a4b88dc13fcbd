// SPDX-License-Identifier: Apache-2.0
// Where the fabric is cut between processes: which process simulates a node, the ends of the links that cross the cut, and the
// messages between them.
//
// Everything that one chip does to another one passes through a link, as a packet or as a credit; README.md lists it. A message is
// collected when it is sent and delivered after the window in which it was sent (time_windows.h).
//
// A read of another chip's memory travels as a request and returns as the answer. Its payload stays here until then, and the
// other processes make payloads of their own.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "model/base/byte_stream.h"
#include "model/base/topology/topology.h"
#include "model/link/cut_link.h"
#include "model/system/parallel/memory_exchange.h"
#include "model/system/parallel/processes.h"

namespace tahoma::model {

class Cut : private CutTraffic {
 public:
  // All of these outlive the cut.
  Cut(const base::Topology& topology, Processes& processes, sim::PayloadPool& pool, MemoryExchange& memory);

  // Chips and switches are distributed in contiguous blocks.
  std::uint32_t process_of(std::uint32_t node) const;
  bool is_here(std::uint32_t node) const { return process_of(node) == processes_.rank(); }

  // Each makes the end of a direction of a link, the other end of which is elsewhere.
  LinkExit& exit_of(const LinkPort::Place& port);
  LinkEntrance& entrance_of(const LinkPort::Place& port);

  // What was sent since the last call, by process, values included.
  std::vector<ByteString> take_sent();
  void deliver(const std::vector<ByteString>& received);

  // Sent by this process so far: packets and credits, and the bytes of these and of values.
  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; }
  bool all_home() const { return abroad_.empty(); }  // no read waits for its answer

 private:
  enum class Kind : std::uint8_t { kPacket, kCredit, kValues };

  void packet(std::uint32_t link, sim::Payload& payload) override;
  void credit(std::uint32_t link, const LinkCredit& credit) override;
  void deliver_packet(base::ByteReader& from);
  void deliver_credit(base::ByteReader& from);
  sim::Payload& payload_for(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes,
                            const sim::PacketInfo& info);
  base::ByteWriter& message_to(std::uint32_t node, Kind kind, std::uint32_t link);

  const base::Topology& topology_;
  Processes& processes_;
  sim::PayloadPool& pool_;
  MemoryExchange& memory_;
  std::map<std::uint32_t, std::unique_ptr<LinkExit>> exits_;          // by link
  std::map<std::uint32_t, std::unique_ptr<LinkEntrance>> entrances_;  // by link
  std::unordered_map<std::uint32_t, std::uint32_t>
      far_end_;                         // by link: the node that simulates its other end
  std::vector<base::ByteWriter> sent_;  // by process
  std::unordered_map<std::uint64_t, sim::Payload*>
      abroad_;  // reads that wait for answers, by PacketInfo::awaited
  std::uint64_t next_awaited_ = 0, messages_ = 0, bytes_ = 0;
};

}  // namespace tahoma::model
