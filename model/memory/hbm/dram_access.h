// SPDX-License-Identifier: Apache-2.0
// The accesses of a request: the rows of its pattern, split where the address mapping changes the DRAM row,
// and merged again where several pieces are in the same one. Accesses of a failed channel go to the other
// channels in turn, to rows of their own.
#pragma once

#include <memory>
#include <vector>

#include "model/memory/dram/channel.h"
#include "model/memory/dram/mapping.h"
#include "model/memory/hbm/hbm_params.h"
#include "model/sim/packet.h"

namespace tahoma::model {

// Data that stacks of one kind share.
struct DramDesign {
  dram::Organisation organisation;
  dram::Timing timing;
  dram::Policy policy;
  dram::AddressMapping mapping;
};

// `rate` is the fraction of its bandwidth that the stack still has.
std::shared_ptr<const DramDesign> design_of(const HbmParams& params, double rate);

class DramAccess {
 public:
  DramAccess(const DramDesign& design, const std::vector<std::uint32_t>& failed);

  struct Part {
    std::uint32_t channel = 0;
    dram::Segment segment;  // the caller sets arrival and tag
  };
  // Valid until the next call.
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
