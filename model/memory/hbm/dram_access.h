// SPDX-License-Identifier: Apache-2.0
// What a request asks of the channels: the rows of its pattern, cut where the address mapping goes on to
// another DRAM row, and put together again where several pieces lie in the same one. Accesses of a failed
// channel go to the others in turn, where they find rows of their own.
#pragma once

#include <memory>
#include <vector>

#include "model/memory/dram/channel.h"
#include "model/memory/dram/mapping.h"
#include "model/memory/hbm/hbm_params.h"
#include "model/sim/packet.h"

namespace tahoma::model {

// What stacks of one kind share.
struct DramDesign {
  dram::Organisation organisation;
  dram::Timing timing;
  dram::Policy policy;
  dram::AddressMapping mapping;
};

// `rate`: fraction of its bandwidth that the stack has left.
std::shared_ptr<const DramDesign> design_of(const HbmParams& params, double rate);

class DramAccess {
 public:
  DramAccess(const DramDesign& design, const std::vector<std::uint32_t>& failed);

  struct Part {
    std::uint32_t channel = 0;
    dram::Segment segment;  // arrival and tag are the caller's
  };
  // The caller's until the next call.
  std::vector<Part>& parts(std::uint64_t offset, const sim::RowPattern& rows, bool write);

 private:
  void touch(std::uint64_t offset, std::uint64_t bytes, bool write);
  void add(dram::DramAddress place, std::uint32_t accesses, bool write);
  void redirect(dram::DramAddress& place) const;

  const DramDesign& design_;
  std::vector<bool> failed_;            // by channel; empty: none
  std::vector<std::uint32_t> healthy_;  // those that work
  std::vector<Part> parts_;
};

}  // namespace tahoma::model
