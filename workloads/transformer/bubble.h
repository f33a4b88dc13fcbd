// SPDX-License-Identifier: Apache-2.0
// What a pipeline takes beside its work: stages wait for the first microbatch and run dry behind the last
// one. With P stages alike, M microbatches and hand-overs for nothing that is (P - 1) / (M + P - 1) of the
// time.
#pragma once

#include <utility>
#include <vector>

#include "workloads/transformer/partition/communication.h"

namespace tahoma::workloads {

struct Bubble {
  double share = 0;             // of the time a core has no microbatch to work on, mean
  base::Duration stage{0};      // that a core has one microbatch, mean
  base::Duration hand_over{0};  // from complete rows to a receiver that has come to them, mean

  static double closed_form(const TransformerParams& params) {
    const double more = static_cast<double>(params.parallel.pipeline - 1);
    return more / (static_cast<double>(params.microbatches) + more);
  }
};

// When a core had its microbatches, in their order: from when each was there (it may have had to wait for the
// one before it) to when it was done.
base::Duration at_work(const std::vector<std::pair<base::Time, base::Time>>& microbatches);

// Without stages the run is its microbatches.
Bubble bubble_of(const TransformerParams& params, const AllStages& replicas,
                 const runtime::collective::Stopwatch& stopwatch, base::Duration elapsed);

}  // namespace tahoma::workloads
