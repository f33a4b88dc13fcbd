// SPDX-License-Identifier: Apache-2.0
// SBUF or PSUM of one core: partitions x bytes. It holds all values in functional mode and the known values
// in every mode. The engines' timing laws include its bandwidth; psum_banks and shared_port model contention
// between engines.
#pragma once

#include <algorithm>

#include "model/memory/hbm/host_memory.h"
#include "model/sim/backdoor.h"

namespace tahoma::model {

class Scratchpad : public sim::ScratchpadIf {
 public:
  Scratchpad(std::uint64_t partitions, std::uint64_t bytes_per_partition)
      : stride_(bytes_per_partition), host_memory_(partitions * bytes_per_partition) {}

  std::byte* bytes() override { return host_memory_.data(); }
  std::size_t stride() const override { return stride_; }
  sim::KnownBytes& known() override { return known_; }
  void fill(std::byte contents) { std::fill_n(host_memory_.data(), host_memory_.size(), contents); }
  void forget() {
    host_memory_.forget();
    known_.clear();
  }

 private:
  std::size_t stride_;
  HostMemory host_memory_;
  sim::KnownBytes known_;
};

}  // namespace tahoma::model
