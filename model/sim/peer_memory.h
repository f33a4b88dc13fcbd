// SPDX-License-Identifier: Apache-2.0
// HBM that another process simulates, in a run of several (model/system/parallel), as DMA engines see it.
// Each process has an image of the whole HBM (BackdoorIf); the bytes in it are valid for the chips that this
// process simulates. A transfer that reads or writes other chips brings the bytes it needs into the image, is
// executed there, and sends what it has written.
//
// A program without races cannot tell the delay: nothing writes the source of a transfer, and nothing else
// accesses its destination, until its semaphore is raised, which a packet does.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tahoma::sim {

struct MemoryRange {  // within one stack
  std::uint64_t address = 0, bytes = 0;
};

class PeerMemoryIf {
 public:
  virtual bool is_here(std::uint64_t address) const = 0;
  // Brings bytes of other processes into the image, then calls `then`: before the answer to any packet that
  // leaves now.
  virtual void fetch(const std::vector<MemoryRange>& ranges, std::function<void()> then) = 0;
  // Sends bytes of the image to the processes that simulate these memories. They are there before any packet
  // that leaves now.
  virtual void send(const std::vector<MemoryRange>& ranges) = 0;

 protected:
  ~PeerMemoryIf() = default;
};

}  // namespace tahoma::sim
