// SPDX-License-Identifier: Apache-2.0
// The links, die crossings and stacks of a machine that carries nothing but what the caller announces, for
// estimates that simulate no component. Stacks and crossings are work-conserving and accept announcements of
// the future (model/sim/booked_server.h). A link serves in the order of the calls.
//
// Not modelled: buffers of routers, virtual channels, banks of DRAM (stacks are flat).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/system/machine/fabric_ways.h"

namespace tahoma::model {

class IdleMachine {
 public:
  // Both must outlive the object.
  IdleMachine(const MachineParams& machine, const FabricWays& ways);
  ~IdleMachine();
  IdleMachine(const IdleMachine&) = delete;
  IdleMachine& operator=(const IdleMachine&) = delete;

  struct Slot {
    base::Time start, end;  // of the first and the last byte
    base::Duration held{0};
  };
  // A read by a core of its own stack; `arrival` of the request. Later calls are not about times before
  // `now`.
  Slot read(std::uint32_t core, base::Time arrival, base::Bytes bytes, base::Time now);
  // A write of one core's engines to the stack of another core of the same chip.
  Slot write(std::uint32_t from, std::uint32_t to, base::Time arrival, base::Bytes bytes, base::Time now);
  Slot carry(std::uint32_t link, base::Time head, base::Bytes bytes);
  // Returns the time of an empty packet from chip to chip.
  base::Duration path(std::uint32_t from, std::uint32_t to) const;

 private:
  std::uint64_t die_of(std::uint32_t core) const {
    return core % machine_.chip.cores * machine_.chip.dies / machine_.chip.cores;
  }
  const MachineParams& machine_;
  const FabricWays& ways_;
  struct Servers;  // stacks and die crossings
  std::unique_ptr<Servers> servers_;
  std::vector<base::Time> links_;  // free from then on
};

}  // namespace tahoma::model
