// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/result/message_result.h"

#include <algorithm>
#include <iterator>

namespace tahoma::runtime {

void append(std::vector<MessageResult>& all, std::vector<MessageResult> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

std::vector<MessageResult> messages_of(const collective::Problem& problem, const std::string& name,
                                       std::uint64_t bytes, const std::vector<RankTimes>& ranks) {
  std::vector<MessageResult> messages;
  for (std::uint32_t from = 0; from < problem.to.size(); ++from) {
    const std::uint32_t to = problem.to[from];
    if (to != collective::kNowhere && to != from)
      messages.push_back({name, bytes, ranks.at(from), ranks.at(to)});
  }
  return messages;
}

}  // namespace tahoma::runtime
