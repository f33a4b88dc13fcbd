// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/results/request_rows.h"

#include <fmt/format.h>

#include "model/base/decimal.h"

namespace tahoma::runtime::serving {

std::string seconds_text(Nanoseconds time) {
  return base::decimal_text(static_cast<std::uint64_t>(time.count), kNanosecondsPerSecond);
}

RequestRows::RequestRows(const std::string& path, const SloParams& slo) : file_(path), slo_(slo) {
  file_.add(
      "request,arrival_s,prompt_tokens,output_tokens,wait_s,ttft_s,tpot_s,end_to_end_s,preemptions,dropped_"
      "tokens,"
      "within_slo\n");
}

void RequestRows::add(const FinishedRequest& r) {
  file_.add(fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", r.number, seconds_text(r.request.arrival),
                        r.request.prompt, r.request.output, seconds_text(r.wait()), seconds_text(r.ttft()),
                        r.request.output > 1 ? seconds_text(r.tpot()) : "", seconds_text(r.end_to_end()),
                        r.preemptions, r.dropped_tokens, slo_.met_by(r) ? 1 : 0));
}

}  // namespace tahoma::runtime::serving
