// SPDX-License-Identifier: Apache-2.0
// Where the values of the cases come from that `tahoma cluster` executes: the keys of the job.
#pragma once

#include "runtime/cluster/input/cluster_case.h"
#include "runtime/config/case_origins.h"

namespace tahoma::runtime::cluster {

CaseOrigins cluster_origins(const ClusterCase& c);

}  // namespace tahoma::runtime::cluster
