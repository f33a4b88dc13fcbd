// SPDX-License-Identifier: Apache-2.0
#include "model/sim/meter.h"

#include <string>

#include "model/base/error.h"

namespace tahoma::sim {

void Meter::fail() {
  if (!history_->failure) history_->failure = std::current_exception();
  // SystemC prints its note about the stop to standard output, which belongs to the report.
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_stop();
}

void Meter::rethrow() const {
  if (!history_->failure) return;
  try {
    std::rethrow_exception(history_->failure);
  } catch (const base::InvariantError& e) {
    std::string text =
        std::string(e.what()) + "\n  at " + std::to_string(now().ns()) + " ns; last activations:";
    for (std::uint64_t n = history_->activations > kLast ? history_->activations - kLast : 0;
         n < history_->activations; ++n)
      text += "\n    " + std::to_string(history_->last[n % kLast].when.ns()) + " ns " +
              history_->last[n % kLast].who;
    throw base::InvariantError(text);
  }
}

}  // namespace tahoma::sim
