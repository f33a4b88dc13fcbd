// SPDX-License-Identifier: Apache-2.0
// requests.csv: one row for each request, in the order in which they end; of those that end together, by
// number. Times are exact decimal seconds.
#pragma once

#include "studies/serving/results/slo.h"
#include "studies/serving/results/streamed_file.h"
#include "studies/serving/simulation/request_state.h"

namespace tahoma::runtime::serving {

class RequestRows {
 public:
  RequestRows(const std::string& path, const SloParams& slo);
  void add(const FinishedRequest& request);
  void close() { file_.close(); }

 private:
  StreamedFile file_;
  SloParams slo_;
};

// "0.25": the exact time in seconds.
std::string seconds_text(Nanoseconds time);

}  // namespace tahoma::runtime::serving
