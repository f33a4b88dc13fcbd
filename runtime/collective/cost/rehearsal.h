// SPDX-License-Identifier: Apache-2.0
// The time of a collective from its schedule: a list scheduling of its transfers over the queues, DMA engines,
// links and stacks of an otherwise idle machine, in the order in which they are free. Queues issue in the order
// of the lowering (runtime/collective/lowering/chunk_pipeline.h) and wait for the same arrivals and slots. All
// times are those of declared parameters.
//
// It is coarser than the simulation: the engines of a queue move packets in step, a link serves packets in the
// order of their arrival without limits of buffers, and stacks are flat.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <queue>
#include <vector>

#include "model/system/fabric_ways.h"
#include "model/system/transfer_law.h"
#include "runtime/collective/cost/idle_machine.h"
#include "runtime/collective/lowering/chunk_pipeline.h"

namespace tahoma::runtime::collective {

// One channel of a rehearsal. The elements of its chunks are bytes.
struct RehearsedChannel {
  Channel channel;                   // without seats
  std::vector<std::uint32_t> cores;  // of the machine, by rank
  bool second_queue = false;
};

class Rehearsal {
 public:
  // `chips`: of each rank. All arguments must outlive the object.
  Rehearsal(const model::MachineParams& machine, const model::FabricWays& ways,
            const std::vector<std::uint32_t>& chips, const std::vector<RehearsedChannel>& channels);
  ~Rehearsal();

  base::Duration time();

 private:
  struct Lane;      // a channel
  struct Line;      // a queue of one rank, with its engines
  struct Share;     // a transfer that its engines have to move
  struct Parcel;    // a wave on its way
  struct Awaited {  // a transfer or a returned slot
    base::Time when = base::kNever;
    std::vector<std::uint32_t> lines;  // that wait for it
  };
  enum class What : std::uint8_t { kLine, kEngine, kParcel };
  struct Event {
    base::Time when;
    std::uint64_t number;
    What what;
    std::uint32_t of;
    bool operator>(const Event& other) const {
      return when != other.when ? when > other.when : number > other.number;
    }
  };

  void at(base::Time when, What what, std::uint32_t of);
  void advance(std::uint32_t line);
  bool waits_over(std::uint32_t line, std::uint32_t hop, std::uint32_t piece);
  bool wait_for(std::uint32_t line, const std::vector<Awaited*>& all);
  void issue(std::uint32_t line, std::uint32_t hop, std::uint32_t piece);
  void push(std::uint32_t line, const model::Move& move, std::uint32_t hop, std::uint32_t piece);
  void move_wave(std::uint32_t line);
  base::Time read_wave(Line& line, const model::Wave& wave, const model::Move& move, base::Time now,
                       base::Duration cost);
  void carry(std::uint32_t parcel);
  std::uint32_t parcel_of(Parcel parcel);
  void write_here(const Parcel& parcel);
  void give_back(std::uint32_t line, const Share& share, base::Time read);
  void over(Awaited& awaited, base::Time when);

  const model::MachineParams& machine_;
  const model::FabricWays& ways_;
  const std::vector<std::uint32_t>& chips_;
  model::TransferLaw law_;
  IdleMachine idle_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Line> lines_;
  std::vector<Parcel> parcels_;
  std::vector<std::uint32_t> free_parcels_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  base::Time now_{0};
  std::uint64_t next_number_ = 0;
};

}  // namespace tahoma::runtime::collective
