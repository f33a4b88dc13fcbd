// SPDX-License-Identifier: Apache-2.0
// `tahoma cluster` reports one step, the goodput, and the whole training in time, money, power and water.
// Money is rent of all chips and spares for the whole time; power is that of the working chips at the wall,
// times the building's PUE.
#pragma once

#include <string>
#include <vector>

#include "report/cost/price_list.h"
#include "studies/cluster/faults/goodput.h"
#include "studies/cluster/step/memory.h"
#include "studies/cluster/step/training_step.h"

namespace tahoma::runtime::cluster {

// A point of a curve: the goodput with another interval, another number of chips, or other spares.
struct CurvePoint {
  double interval_minutes = 0, chips = 0, spares = 0;
  Goodput goodput;
};

struct Curves {
  std::vector<CurvePoint> intervals, chips, spares;
};

struct ClusterAnswer {
  const ClusterCase& of;
  LayerTimes times;
  TrainingStep step;
  double slowdown = 1;  // a step with a slow part over it
  MemoryShares memory;
  double checkpoint_bytes = 0, checkpoint_seconds = 0;
  double between_faults = 0, young = 0, daly = 0, interval = 0;  // seconds
  Goodput goodput;
  Curves curves;
  PriceList prices;

  double mfu() const;            // useful FLOPs over the peak
  double flops_of_chip() const;  // useful FLOPs per second of a chip
  double tokens_per_second() const { return of.step_tokens() / step.seconds; }
  double training_seconds() const { return goodput.elapsed_p50; }
  double megawatts() const;
  double dollars() const;
  double litres() const;
};

ClusterAnswer answer_of(const ClusterCase& c, const std::string& folder);

std::string cluster_text(const ClusterAnswer& answer);
std::string cluster_json(const ClusterAnswer& answer);
// spans.csv: every pass and collective of the step; goodput.csv: the curves.
std::string spans_csv(const ClusterAnswer& answer);
std::string goodput_csv(const ClusterAnswer& answer);
std::string cluster_page(const ClusterAnswer& answer);
std::string cluster_headline(const ClusterAnswer& answer);

}  // namespace tahoma::runtime::cluster
