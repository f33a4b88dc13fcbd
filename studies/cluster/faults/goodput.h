// SPDX-License-Identifier: Apache-2.0
// Goodput of a long training under faults: the share of the time in which steps are done that are not done
// again.
//
// Every trial is a sequence of events. Faults are independent and exponential at the rate of all working
// chips. A fault loses the work since the last checkpoint, and the job goes on after detection and restart,
// if enough chips are there: a failed chip is replaced by a spare, and is a spare again after its repair;
// without a spare the job waits. A planned interruption saves a checkpoint first, so that nothing is lost. A
// slow part makes all steps longer until it is found; then a checkpoint is saved and the part is replaced as
// a failed one. In a rolling maintenance, UltraServers leave one after the other: spares take over, and
// nothing is lost; without enough spares that turn is skipped. A checkpoint that blocks costs its time in
// every interval; an asynchronous one costs nothing, but counts only when it is written.
//
// A trial ends early where faults come faster than checkpoints. Its duration is then that of its progress so
// far, and infinite without any.
//
// Laws: Young's interval is sqrt(2 C M), Daly's (FGCS 2006) sqrt(2 C M) (1 + sqrt(C / 2M) / 3 + C / 18M) - C,
// with the cost C of a checkpoint and the mean time M between faults. Of an asynchronous checkpoint, C is the
// time of writing it.
#pragma once

#include <cstdint>

#include "studies/cluster/faults/fault_params.h"

namespace tahoma::runtime::cluster {

// All times are in seconds.
struct TrainingPlan {
  double work = 0;  // the whole training without interruptions
  double chips = 1, spares = 0;
  double interval = 0, checkpoint = 0;  // between two checkpoints; of one
  bool asynchronous = false;
  double slowdown = 1;  // a step with a slow part over one without
  double unit = 1;      // chips that maintenance takes away together
};

struct Goodput {
  double goodput = 1;                       // mean over the trials
  double elapsed_p50 = 0, elapsed_p99 = 0;  // the whole training; infinite if those trials never progress
  double lost = 0, restarting = 0, waiting = 0, checkpointing = 0, planned = 0, slowed = 0,
         maintenance = 0;  // mean shares of the elapsed time
  double interruptions_per_day = 0;
  double postponed_per_day = 0;         // maintenances for which there were too few spares
  std::uint64_t trials = 0, stuck = 0;  // all; those that ended without any progress
  double stuck_seconds = 0;             // simulated in each of those at least
};

double mean_time_between_faults(const FaultParams& faults, double chips);
double young_interval(double checkpoint, double between_faults);
double daly_interval(double checkpoint, double between_faults);

Goodput simulate_goodput(const FaultParams& faults, const TrainingPlan& plan);

}  // namespace tahoma::runtime::cluster
