// SPDX-License-Identifier: Apache-2.0
// The port of SBUF that the vector engine and GpSimd share. Documented: hardware arbitrates it, and the two
// are no longer serialised. Assumed: arbitration is per cycle and loses no cycle, so both stream without
// delay while the port's bandwidth suffices, and the excess is served afterwards.
#pragma once

#include <array>
#include <deque>

#include "model/sim/sharing.h"

namespace tahoma::model {

class SharedPort : public sim::SharedPortIf {
 public:
  explicit SharedPort(base::Bandwidth rate) : rate_(rate) {}

  base::Duration reserve(unsigned user, base::Bytes bytes, base::Time from, base::Time until) override;

 private:
  struct Stream {
    base::Time from, until;
    base::Duration needed;  // port time without contention
  };
  base::Bandwidth rate_;
  std::array<std::deque<Stream>, sim::kSharers> streams_;  // of each user
};

}  // namespace tahoma::model
