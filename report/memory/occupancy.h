// SPDX-License-Identifier: Apache-2.0
// Occupancy of SBUF, PSUM and HBM over time.
//
// An on-chip buffer (program_buffers.h) is live from the first byte written to it to the last one read
// before it is overwritten. A tensor in HBM is live from its first access (an input: from the beginning)
// to its last (a result: to the end). Live bytes are averages over a window of the run, so an instant may
// have more; `footprint` is everything that the programs ever write to, or that was allocated, and no
// instant has more than that. Variables of the source may share bytes, which each of them counts.
//
// Bytes are those of a core or of a stack that holds live data; sums and averages are over those. Not
// included: bytes that register addresses access outside the buffers of the program, and data in
// flight from another chip.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/base/activity.h"
#include "model/base/busy_series.h"
#include "model/system/machine/machine_params.h"
#include "report/memory/program_buffers.h"
#include "runtime/run/machine.h"

namespace tahoma::runtime {

struct Filling {  // memory use of one filler or tensor
  std::string what;
  std::uint64_t bytes = 0;         // in the fullest instance
  std::vector<double> mean_bytes;  // live, by window: mean over the instances
};

struct SpaceOccupancy {
  isa::Space space = isa::Space::kSbuf;
  std::uint64_t capacity = 0;  // of a core or stack
  std::uint64_t instances = 0;
  std::vector<Filling> fillings;  // by footprint, largest first
  std::string fullest;            // the instance with the largest footprint; the first of several
  std::uint64_t footprint = 0;    // its bytes
  double most_live = 0;           // the largest mean of a window in any instance, in bytes
  std::string most_live_in;       // the instance with most_live
  base::Time most_live_at{0};     // start of the window
};

// Live bytes of one core's memory, or of a stack, as shares of the capacity.
struct InstanceOccupancy {
  std::string instance;
  std::uint32_t core = 0;  // or chip of a stack
  isa::Space space = isa::Space::kSbuf;
  std::uint64_t capacity = 0;
  base::Series series;
};

// Collects data while the machine runs; use one per run.
class OccupancyRecorder final : public base::Observer {
 public:
  OccupancyRecorder(const model::MachineParams& machine, const std::vector<Tensor>& tensors);
  void program(std::uint32_t core, const std::shared_ptr<const isa::Program>& program);

  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity& activity) override;

  // To be called once, after the run. Spaces that were never used are omitted. Calls
  // `each` for every instance.
  using Each = std::function<void(const InstanceOccupancy&)>;
  std::vector<SpaceOccupancy> summarise(base::Duration elapsed, const Each& each = {});

 private:
  static constexpr std::size_t kOnChip = 2;  // isa::Space::kSbuf, kPsum
  struct Live {                              // one buffer of one core
    base::Time start = base::kNever, last{0};
    std::uint32_t filler = 0;
    bool read = false;
  };
  struct Core {
    const ProgramBuffers* program = nullptr;
    // Numbers in fillings_, by the program's own numbers
    const std::vector<std::uint32_t>* fillers = nullptr;
    std::vector<Live> live;
    std::array<base::BusySeries, kOnChip> series;
  };
  struct Known {  // a program that several cores may run
    std::unique_ptr<ProgramBuffers> buffers;
    std::vector<std::uint32_t> fillers;
  };
  struct Kept {  // one tensor
    std::uint64_t offset = 0, end = 0;
    std::uint32_t tensor = 0;
    base::Time first = base::kNever, last{0};
    bool read_first = false, written_last = false;
  };
  using Key = std::pair<isa::Space, std::string>;

  std::uint32_t number_of(isa::Space space, const std::string& what);
  void touch(Core& core, const ProgramBuffers::Access& access, base::Time start, base::Time end);
  void close(Core& core, std::uint32_t buffer);
  void touch_hbm(std::uint64_t address, base::Time start, base::Time end, bool writes);
  std::uint64_t capacity_of(isa::Space space) const;
  void close(const Kept& kept, base::BusySeries& stack, base::Duration elapsed);
  SpaceOccupancy of_cores(isa::Space space, base::Duration elapsed, const Each& each) const;
  SpaceOccupancy of_stacks(base::Duration elapsed, const Each& each);
  void fill(SpaceOccupancy& o, const std::map<std::uint32_t, std::uint64_t>& footprint,
            base::Duration elapsed) const;

  const model::MachineParams& machine_;
  const std::vector<Tensor>& tensors_;
  std::vector<Core> cores_;
  std::map<const isa::Program*, Known> known_;
  std::vector<std::vector<Kept>> stacks_;  // by stack of the machine, by offset
  std::map<Key, std::uint32_t> numbers_;
  std::vector<Key> fillings_;
  std::vector<base::BusySeries> by_filling_;  // shares of one instance's capacity, summed over instances
};

}  // namespace tahoma::runtime
