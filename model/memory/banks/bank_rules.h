// SPDX-License-Identifier: Apache-2.0
// All channels of a stack that time segments on arrival (bank_channel.h) share these rules of DRAM, in ticks,
// derived once.
#pragma once

#include "model/memory/dram/organisation.h"
#include "model/memory/dram/timing.h"

namespace tahoma::model::dram {

struct BankRules {
  // The arguments must outlive the rules.
  BankRules(const Organisation& organisation, const Timing& timing, const Policy& policy);

  const Organisation& organisation;
  const Timing& timing;
  const Policy& policy;
  Tick slot;               // of a column command
  Tick same_group;         // between column commands to one bank group
  Tick activate_slot;      // between activates of a pseudo-channel: tRRD and tFAW
  Tick ras;                // activate to precharge; activates of a bank keep tRC as well
  Tick to_read, to_write;  // slots lost when the pins turn
  Tick read_queue;         // on the pins of the channel, if it is full

  Tick on_all_pins(std::uint32_t accesses) const { return accesses * slot >> pseudo_bits_; }
  // Bank groups are counted over all stack IDs.
  std::uint32_t group_of(std::uint32_t bank) const { return bank >> bank_bits_; }
  std::uint32_t stack_of(std::uint32_t group) const { return group >> group_bits_; }

 private:
  int bank_bits_, group_bits_, pseudo_bits_;  // these counts are powers of two (organisation.h)
};

}  // namespace tahoma::model::dram
