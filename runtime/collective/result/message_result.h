// SPDX-License-Identifier: Apache-2.0
// A message of a run from one rank to another. The operations send_recv and permute consist of messages, and
// so do the hand-overs between the stages of a pipeline. A CollectiveResult shows those of one operation
// together; an execution trace (studies/chakra) needs each with its two ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/collective/result/time_split.h"
#include "runtime/collective/schedule/operation.h"

namespace tahoma::runtime {

struct MessageResult {
  std::string name;  // in this run: "hand-over of microbatch 0 behind stage 1"
  std::uint64_t bytes = 0;
  RankTimes sender, receiver;
};

// Returns the messages of an operation with destinations. `bytes`: of each; `ranks`: the times of the
// problem's ranks. A rank that keeps its own data sends no message.
std::vector<MessageResult> messages_of(const collective::Problem& problem, const std::string& name,
                                       std::uint64_t bytes, const std::vector<RankTimes>& ranks);

void append(std::vector<MessageResult>& all, std::vector<MessageResult> more);

}  // namespace tahoma::runtime
