// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/results/slo.h"

#include "model/base/quantity.h"

namespace tahoma::runtime::serving {

void SloParams::declare(base::ParamTree& t) {
  constexpr base::Duration kMost{1'000'000'000'000'000'000};  // 1000 s
  const base::Range<base::Duration> range{base::Duration{0}, kMost};
  t.add("ttft", ttft, base::Duration{0}, range, "limit of the time to the first token; 0 s: none",
        base::chosen());
  t.add("tpot", tpot, base::Duration{0}, range, "limit of the mean time per further token; 0 s: none",
        base::chosen());
}

bool SloParams::met_by(const FinishedRequest& request) const {
  if (ttft.fs > 0 && request.ttft() > rounded_up(ttft)) return false;
  if (tpot.fs == 0) return true;
  // Avoids the division, which would round.
  const std::int64_t tokens = std::int64_t{request.request.output} - 1;
  return base::Int128{request.decoding().count} <= base::Int128{rounded_up(tpot).count} * tokens;
}

std::string SloParams::text() const {
  std::string text;
  if (ttft.fs > 0) text += "TTFT " + base::to_text(ttft);
  if (tpot.fs > 0) text += (text.empty() ? "" : ", ") + ("TPOT " + base::to_text(tpot));
  return text;
}

}  // namespace tahoma::runtime::serving
