// SPDX-License-Identifier: Apache-2.0
// The interval in which the true time of a run lies with a confidence of about 95 %, given the uncertainty of
// the machine's parameters. `tahoma sensitivity --store` measures it (report/run/stored_interval.h); a run
// does not.
#pragma once

#include <string>

namespace tahoma::runtime {

struct TimeInterval {
  double low_ns = 0, high_ns = 0;
  std::string of;  // the provenances whose parameters were changed, as of sensitivity --of
};

}  // namespace tahoma::runtime
