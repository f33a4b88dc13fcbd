// SPDX-License-Identifier: Apache-2.0
// The overhead of a pipeline: stages wait for the first microbatch and idle after the last one. With P equal
// stages, M microbatches and free hand-overs the overhead is (P - 1) / (M + P - 1) of the time.
//
// A pipeline that stays full has no such overhead. A stage then computes a microbatch in each interval, so
// the stage that needs longest for one, the bottleneck, decides the rate; and a sequence gets a token when
// its microbatch has been through all stages, and the bottleneck has had all microbatches.
#pragma once

#include <utility>
#include <vector>

#include "workloads/transformer/communication.h"

namespace tahoma::workloads {

struct Bubble {
  double share = 0;             // of the time a core has no microbatch to work on, mean over the cores
  base::Duration stage{0};      // time that a core works on one microbatch, mean
  base::Duration hand_over{0};  // from complete rows to a receiver that waits for them, mean
  // By stage: the time that a core works on one microbatch, mean over the cores; without the first
  // microbatch, with which the run starts up, if there are several.
  std::vector<base::Duration> stages{};
  // As hand_over, of the first microbatch: every receiver waits for it, so it has no wait for a receiver.
  base::Duration free_hand_over{0};

  // With stages that take a time in proportion to their layers.
  static double closed_form(const TransformerParams& params);
};

// The time between two tokens of a sequence in a full pipeline: the longer of all microbatches on the
// bottleneck, and one microbatch on all stages and between them, where it never waits for a receiver.
// `stages` in seconds for a microbatch.
double full_pipeline_seconds(const std::vector<double>& stages, double microbatches, double hand_over);

// Time that a core worked on its microbatches, in order. Each microbatch is given from its arrival (it may
// then wait for the previous one) to its end.
base::Duration at_work(const std::vector<std::pair<base::Time, base::Time>>& microbatches);

// Without stages the run consists of its microbatches.
Bubble bubble_of(const TransformerParams& params, const AllStages& replicas,
                 const runtime::collective::Stopwatch& stopwatch, base::Duration elapsed);

}  // namespace tahoma::workloads
