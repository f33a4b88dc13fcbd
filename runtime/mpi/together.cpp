// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/together.h"

#include "model/system/parallel/agreement.h"

namespace tahoma::runtime {

void together(model::Processes* processes, const std::function<void()>& body) {
  constexpr auto kNoTime = [] { return base::Time{0}; };  // before the simulation
  if (processes == nullptr) return body();
  model::agree(*processes, kNoTime, body);
}

}  // namespace tahoma::runtime
