// SPDX-License-Identifier: Apache-2.0
// The values that travel between the processes of a run: bytes of HBM that a transfer reads or writes on
// chips of another process (model/sim/peer_memory.h). Values that are sent in a window arrive after it, with
// the packets (time_windows.h); an answer takes a window more. The packets of the transfer itself need at
// least that long.
//
// In timing mode only control values travel. A range is then sent whole or as unknown.
#pragma once

#include <map>
#include <vector>

#include "model/base/byte_stream.h"
#include "model/memory/hbm/address_map.h"
#include "model/sim/peer_memory.h"
#include "model/system/parallel/node_shares.h"

namespace tahoma::model {

class MemoryExchange final : public sim::PeerMemoryIf {
 public:
  // `image` is the whole HBM. It outlives this object, and so do the others. `functional` says that all bytes
  // have values.
  MemoryExchange(Processes& processes, const NodeShares& shares, AddressMap& image, bool functional);

  bool is_here(std::uint64_t address) const override;
  void fetch(const std::vector<sim::MemoryRange>& ranges, std::function<void()> then) override;
  void send(const std::vector<sim::MemoryRange>& ranges) override;

  // Returns everything that was sent to a process since the last call; empty if nothing was.
  ByteString take_sent(std::uint32_t process);
  void deliver(std::uint32_t from_process, const ByteString& received);
  bool all_ended() const { return waiting_.empty(); }  // nothing waits for bytes

  // After the run, by all processes: process 0 gets what the programs have written.
  void gather_written();
  // Before the run: the host has filled the bytes. They are released if only another process needs them.
  void filled(std::uint64_t address, std::uint64_t bytes);

 private:
  enum class Kind : std::uint8_t { kFetch, kAnswer, kWrite };
  struct Waiting {
    std::uint32_t answers = 0;  // that are still to come, one of each process
    std::function<void()> then;
  };

  std::uint32_t process_of(std::uint64_t address) const;
  std::map<std::uint32_t, std::vector<sim::MemoryRange>> by_process(
      const std::vector<sim::MemoryRange>& ranges) const;
  void put_contents(base::ByteWriter& to, const std::vector<sim::MemoryRange>& ranges) const;
  void take_contents(base::ByteReader& from, bool written);
  void answered(std::uint64_t number);

  Processes& processes_;
  const NodeShares& shares_;
  AddressMap& image_;
  bool functional_;
  std::vector<base::ByteWriter> sent_;  // by process
  std::map<std::uint64_t, Waiting> waiting_;
  std::uint64_t next_ = 0;
};

}  // namespace tahoma::model
