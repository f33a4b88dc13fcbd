// SPDX-License-Identifier: Apache-2.0
// The output of `tahoma params [PATH]`: every parameter with its default, legal range, sentence and
// provenance, read from the declarations. With a path, it is that parameter or the group below it; an
// unknown path is UserError E-CFG-002 with the nearest path. The parameters of all kinds of workload are
// listed, each with its kind, and those of `tahoma serve` and of cards.
#pragma once

#include <string>
#include <vector>

#include "runtime/workload/workload.h"

namespace tahoma::runtime {

std::string params_text(const std::string& path, const std::vector<WorkloadKind>& kinds = workload_kinds());
// An array of objects with the keys path, workload_kind (below `workload` only), type, default, range,
// may_be_ideal, doc, provenance, source.
std::string params_json(const std::string& path, const std::vector<WorkloadKind>& kinds = workload_kinds());

}  // namespace tahoma::runtime
