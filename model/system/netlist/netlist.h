// SPDX-License-Identifier: Apache-2.0
// The modules of a machine: the chips that are simulated, on their servers, with the fabric between them.
// Each has a meter of its own, so that the counts of a representative are those of every chip that it stands
// for.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "model/system/folding/unfolded_events.h"
#include "model/system/folding/unfolding.h"
#include "model/system/machine/chip.h"
#include "model/system/machine/fabric.h"
#include "model/system/statistics/statistics.h"

namespace tahoma::model {

class Netlist {
 public:
  // `meter` is that of what belongs to no chip. The fabric, the cut and everything in `shared` outlive the
  // netlist. A `cut` leaves representatives to other processes (model/system/parallel); null: all are here.
  // The modules of the chips are constructed in this order, which has no effect on a result; empty: by
  // number.
  Netlist(const Chip::Shared& shared, Fabric& fabric, sim::Meter& meter, Folding folding, Cut* cut = nullptr,
          std::vector<std::uint32_t> order = {});

  const Folding& folding() const { return folding_; }
  const Unfolding& unfolding() const { return unfolding_; }
  // The chips are listed by number; a chip that is not simulated has its representative, one of another
  // process null.
  const std::vector<Chip*>& chips() const { return chips_; }
  NeuronCore& core(std::uint32_t n) const { return chips_[n / cores_]->core(n % cores_); }
  bool simulates(std::uint32_t chip) const { return chips_[chip] != nullptr && folding_.is_simulated(chip); }
  bool simulates_core(std::uint32_t n) const { return simulates(n / cores_); }
  template <class Visit>
  void for_each_simulated(Visit&& visit) const {
    for (std::uint32_t chip = 0; chip < chips_.size(); ++chip)
      if (simulates(chip)) visit(*chips_[chip]);
  }

  // Before observe(): the observers of `meter` will see the events of all chips, with the addresses of the
  // programs, which outlive the netlist.
  void unfold_events(sim::Meter& meter, const LoadedPrograms& programs);
  // Before the run: gives the observers and the hook of `meter` to every chip.
  void observe(const sim::Meter& meter);
  // After the run: nothing is left in the stacks that are simulated here.
  void check_stacks(const MachineParams& params) const;
  // Counts the instructions of all chips so far.
  std::uint64_t instructions_done() const;
  std::uint64_t activations() const;  // of the simulated components so far
  FinishedChips finished() const { return {chips_, {meters_.begin(), meters_.end()}, unfolding_}; }

 private:
  void build_servers(const Chip::Shared& shared, const sim::Meter& meter, const Cut* cut,
                     const std::vector<std::uint32_t>& order);
  void stand_for_members(const CoreParams& params);

  Folding folding_;
  Unfolding unfolding_;
  Fabric& fabric_;
  std::uint32_t cores_;  // of a chip
  sim::CoreThreads threads_;
  std::deque<sim::Meter> parts_;  // of the simulated chips
  std::unique_ptr<UnfoldedEvents> events_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::vector<Chip*> chips_;
  std::vector<sim::Meter*> meters_;  // like chips_
};

}  // namespace tahoma::model
