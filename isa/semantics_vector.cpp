// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics_ops.h"

namespace tahoma::isa {

void do_tensor_copy_predicated(const Instruction&, const CoreView&) {}
void do_tensor_scalar_reduce(const Instruction&, const CoreView&) {}
void do_tensor_scalar_cumulative(const Instruction&, const CoreView&) {}
void do_scalar_tensor_tensor(const Instruction&, const CoreView&) {}
void do_tensor_tensor_scan(const Instruction&, const CoreView&) {}
void do_select_reduce(const Instruction&, const CoreView&) {}
void do_range_select(const Instruction&, const CoreView&) {}

}  // namespace tahoma::isa
