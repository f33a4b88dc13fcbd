// SPDX-License-Identifier: Apache-2.0
#include "model/system/child_process.h"

#include <systemc>

namespace tahoma::model {

// SystemC elaborates once per context, and makes a new context where there is none.
void forget_parent_machine() {
  sc_core::sc_curr_simcontext = nullptr;
  sc_core::sc_default_global_context = nullptr;
}

}  // namespace tahoma::model
