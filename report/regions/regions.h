// SPDX-License-Identifier: Apache-2.0
// The named parts of a run (runtime::Kernel::region, or `.region` in assembler text; without any,
// each program under its own name): the time of each, and the lower bound that the machine's
// timing laws give for it.
//
// The time of a region is from the start of its first instruction or packet on any core to its last result.
// Data that it sends to another chip have arrived when an instruction that waits for them continues. Regions
// may overlap. The bound of a region is the largest time for which its own instructions occupy one resource:
//   tensor, vector, scalar, gpsimd   the issue of that engine, on the core with the maximum
//   dma                              the 16 DMA engines of a core, on the core with the maximum, if evenly
//                                    distributed over them
//   generator                        the hardware descriptor generator of a queue, on the core with the
//                                    maximum
//   hbm                              bytes read and written of a stack at the stack's peak bandwidth
//   link                             data over the busiest direction of a link, at its rate, on links that
//                                    they take however adaptive routing decides. Of data that no instruction
//                                    waits for, no more than arrives in the time of the region
// It never exceeds the time (invariant).
// A perfect schedule of the same instructions would take that long. The bound does not consider a better
// choice of instructions; MFU does. region_times.h splits the time of its engines.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/core/program.h"
#include "model/base/activity.h"
#include "model/base/columns.h"
#include "model/system/machine/machine_params.h"
#include "report/regions/region_numbers.h"
#include "report/regions/region_times.h"
#include "report/text/text_layout.h"

namespace tahoma::runtime {

enum class RooflineResource : std::uint8_t {
  kTensor,
  kVector,
  kScalar,
  kGpSimd,
  kDma,
  kGenerator,
  kHbm,
  kLink
};
inline constexpr std::size_t kResources = 8;
const char* name_of(RooflineResource resource);

struct RegionSummary {
  std::string name;
  base::Time start{0}, end{0};
  std::uint64_t cores = 0;  // that executed part of it
  // 2 for each multiply-accumulate of the tensor engine, 1 for each element of an
  // instruction of another engine.
  double operations = 0;
  std::uint64_t hbm_bytes = 0, sent_bytes = 0;
  std::array<base::Duration, kResources> needs{};  // minimum time on each resource
  KindTimes engines{};                             // busy and stalled, by kind of engine

  base::Duration time() const { return end - start; }
  RooflineResource bound_by() const;
  base::Duration bound() const { return needs[static_cast<std::size_t>(bound_by())]; }
  double bound_percent() const;  // bound in percent of the time
  double intensity() const;      // operations per byte of HBM traffic; 0 without traffic
};

// Collects regions while the machine runs; use one per run.
class RegionRecorder final : public base::Observer {
 public:
  explicit RegionRecorder(const model::MachineParams& machine);
  void program(std::uint32_t core, std::shared_ptr<const isa::Program> program);

  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity& activity) override;

  struct Summaries {
    RegionSummary whole;                 // all regions together, "all"
    std::vector<RegionSummary> regions;  // by start, then name
  };
  Summaries summarise(const base::RunMeasurement& run);  // to be called once, after the run

 private:
  struct OnCore {
    std::array<base::Duration, kResources> busy{};              // engines; DMA is the sum of its 16
    std::array<base::Duration, isa::kQueueCount> generating{};  // by queue
    bool used = false;
  };
  struct Region {
    Region(const std::string& name, const model::MachineParams& machine);
    void touch(std::uint32_t core, base::Time start, base::Time end);
    void count_bytes(std::size_t stack, std::uint64_t bytes);
    void count_flow(std::uint64_t bytes, std::uint32_t from, std::uint32_t to);
    void add(const Region& other);

    std::string name;
    base::Time start = base::kNever, end{0};
    double operations = 0;
    std::uint64_t hbm_bytes = 0;
    std::vector<OnCore> cores;
    std::vector<std::uint64_t> stacks;             // bytes of each stack
    std::map<std::uint64_t, std::uint64_t> flows;  // bytes from one chip to another, by both chip numbers
    bool awaited = false;                          // an instruction has waited for what it sent
  };
  void book(Region& region, const base::InstructionActivity& a, double operations) const;
  void book(Region& region, const base::TransferActivity& a) const;
  void arrived(const base::InstructionActivity& a);
  RegionSummary summary_of(const Region& region, const KindTimes& engines) const;
  base::Duration link_time(const Region& region) const;

  const model::MachineParams& machine_;
  RegionNumbers numbers_;
  RegionCursor instructions_, transfers_;
  std::vector<Region> regions_;                               // by number
  std::unordered_map<std::uint64_t, std::uint32_t> senders_;  // regions of transfers to other chips, by cause
  RegionTimes times_;
};

// Returns the columns of regions.csv and of summary.json, there also of the engines of a region.
const base::Columns<RegionSummary>& region_columns();
const base::Columns<KindTime>& region_engine_columns();

// The block of summary.txt (with `all` if there are several regions) and regions.csv (one line each).
std::string regions_text(const RegionRecorder::Summaries& regions, const RowLimits& most);
std::string regions_csv(const std::vector<RegionSummary>& regions);

}  // namespace tahoma::runtime
