// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/shared_user.h"

namespace tahoma::model {

Issue SharedUser::reserve(const isa::Instruction& i, Issue issue, Pipeline& pipeline, Ledger& ledger) {
  if (!shares(i)) return issue;
  const SharedUse use = shared_use(i, kind_, params_);
  const auto hold = [&](base::Duration longer, base::StallReason reason) {
    if (longer.fs != 0) issue = pipeline.hold(issue, longer, reason, ledger);
  };
  const auto user = static_cast<unsigned>(queue_);
  hold(banks_->reserve(use.banks, user, issue.enter, issue.read), base::StallReason::kBankConflict);
  if (use.through_port.count != 0)
    hold(port_->reserve(user, use.through_port, issue.enter, issue.read), base::StallReason::kPortConflict);
  return issue;
}

}  // namespace tahoma::model
