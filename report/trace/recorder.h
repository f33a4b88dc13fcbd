// SPDX-License-Identifier: Apache-2.0
// The timeline of a run: observes the events of a run (model/base/activity.h) and writes the selected ones
// to a Perfetto trace while the machine runs. Its memory grows with the machine and its programs, not with
// the length of the run.
//
// UserError E-OUT-003: the file cannot be written.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "model/base/activity.h"
#include "model/base/measurements.h"
#include "report/memory/occupancy.h"
#include "report/trace/engine_slices.h"
#include "report/trace/simultaneous_records.h"
#include "report/trace/traffic_slices.h"

namespace tahoma::runtime {

class TraceRecorder final : public base::Observer, public base::TimelineObserver {
 public:
  TraceRecorder(const model::MachineParams& machine, const TraceSelection& selection,
                const std::string& path);
  // Sets the program of a core; must be called before the run.
  void program(std::uint32_t core, std::shared_ptr<const isa::Program> program);

  // Sets the source of the simulated time; must be called before the run.
  void clock(std::function<base::Time()> now) { records_.clock(std::move(now)); }

  void instruction(const base::InstructionActivity& activity) override { add(activity); }
  void stretch(const base::StretchActivity& activity) override { add(activity); }
  void transfer(const base::TransferActivity& activity) override { add(activity); }
  void ring(const base::RingActivity& activity) override { add(activity); }
  void link(const base::LinkActivity& activity) override { add(activity); }

  bool wants(TraceKind kind) const { return timeline_.selection.has(kind); }
  // To be called after the run, in this order: the occupancy of memories, any number of times,
  // then everything else.
  void occupancy(const InstanceOccupancy& occupancy, base::Duration elapsed);
  void finish(const base::RunMeasurement& run);

  const TraceTally& tally() const { return timeline_.tally; }
  const PacketWriter& writer() const { return timeline_.writer; }

 private:
  void add(const SimultaneousRecords::Record& record);
  void flush();
  void write(const base::InstructionActivity& activity) { engines_.instruction(activity); }
  void write(const base::StretchActivity& activity) { engines_.stretch(activity); }
  void write(const base::TransferActivity& activity) { transfers_.transfer(activity); }
  void write(const base::RingActivity& activity) { transfers_.ring(activity); }
  void write(const base::LinkActivity& activity) { links_.link(activity); }
  void write_tally(base::Time at);

  Timeline timeline_;
  EngineSlices engines_{timeline_};
  TransferSlices transfers_{timeline_};
  LinkSlices links_{timeline_};
  SimultaneousRecords records_;
};

}  // namespace tahoma::runtime
