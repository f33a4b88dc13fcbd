// SPDX-License-Identifier: Apache-2.0
// The overhead of a pipeline: stages wait for the first microbatch and idle after the last one. With P equal
// stages, M microbatches and free hand-overs the overhead is (P - 1) / (M + P - 1) of the time.
#pragma once

#include <utility>
#include <vector>

#include "workloads/transformer/partition/communication.h"

namespace tahoma::workloads {

struct Bubble {
  double share = 0;             // of the time a core has no microbatch to work on, mean over the cores
  base::Duration stage{0};      // time that a core works on one microbatch, mean
  base::Duration hand_over{0};  // from complete rows to a receiver that waits for them, mean

  static double closed_form(const TransformerParams& params) {
    const double more = static_cast<double>(params.parallel.pipeline - 1);
    return more / (static_cast<double>(params.microbatches) + more);
  }
};

// Time that a core worked on its microbatches, in order. Each microbatch is given from its arrival (it may
// then wait for the previous one) to its end.
base::Duration at_work(const std::vector<std::pair<base::Time, base::Time>>& microbatches);

// Without stages the run consists of its microbatches.
Bubble bubble_of(const TransformerParams& params, const AllStages& replicas,
                 const runtime::collective::Stopwatch& stopwatch, base::Duration elapsed);

}  // namespace tahoma::workloads
