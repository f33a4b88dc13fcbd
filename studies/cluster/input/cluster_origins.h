// SPDX-License-Identifier: Apache-2.0
// Where the values of the cases come from that `tahoma cluster` executes: the keys of the job.
#pragma once

#include "runtime/config/case_origins.h"
#include "studies/cluster/input/cluster_case.h"

namespace tahoma::runtime::cluster {

CaseOrigins cluster_origins(const ClusterCase& c);

}  // namespace tahoma::runtime::cluster
