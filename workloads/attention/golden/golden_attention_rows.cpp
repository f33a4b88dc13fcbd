// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/golden/golden_attention_rows.h"

#include "workloads/common/host_products.h"

namespace tahoma::workloads {

void attention_rows(const AttentionRows& block) {
  if (host_runs_v3())
    attention_rows_v3(block);
  else
    attention_rows_base(block);
}

}  // namespace tahoma::workloads
