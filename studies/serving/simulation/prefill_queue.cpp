// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/simulation/prefill_queue.h"

#include <algorithm>

namespace tahoma::runtime::serving {

std::uint64_t PrefillQueue::blocks_of(RequestNumber number) const {
  const Request& request = requests_[number];
  const RequestState& state = states_[number];
  const bool decodes_on = decodes_ && state.generated + 1 < request.output;
  return blocks_for(prefill_tokens(request, state) + (decodes_on ? 1 : 0), params_.kv.block_tokens);
}

void PrefillQueue::plan_chunk(RequestNumber number, std::uint64_t done, std::uint64_t& budget,
                              std::vector<PlannedChunk>& chunks) {
  const std::uint64_t rest = prefill_tokens(requests_[number], states_[number]) - done;
  const std::uint64_t most = params_.prefill == PrefillPolicy::kChunked ? params_.chunk : rest;
  const std::uint64_t tokens = std::min({rest, most, budget});
  budget -= tokens;
  chunks.push_back({number, tokens, done});
}

// Whole prompts are not divided to fill a step.
bool PrefillQueue::may_admit(RequestNumber number, std::uint64_t budget) const {
  const std::uint64_t least =
      params_.prefill == PrefillPolicy::kWhole ? prefill_tokens(requests_[number], states_[number]) : 1;
  return least <= budget && blocks_of(number) <= blocks_.free();
}

std::vector<PlannedChunk> PrefillQueue::plan(std::uint64_t budget, std::uint64_t slots, Nanoseconds now) {
  std::vector<PlannedChunk> chunks;
  for (auto request = prefilling_.begin(); request != prefilling_.end() && budget > 0; ++request)
    plan_chunk(request->first, request->second, budget, chunks);
  for (; slots > 0 && !waiting_.empty() && may_admit(*waiting_.begin(), budget); --slots) {
    const RequestNumber number = *waiting_.begin();
    waiting_.erase(waiting_.begin());
    blocks_.take(blocks_of(number));
    prefilling_.emplace(number, 0);
    if (states_[number].first_start.count < 0) states_[number].first_start = now;
    plan_chunk(number, 0, budget, chunks);
  }
  return chunks;
}

bool PrefillQueue::complete(const PlannedChunk& chunk) {
  const auto request = prefilling_.find(chunk.number);
  TAHOMA_INVARIANT(request != prefilling_.end(), "a chunk of a request that is not in its prefill");
  request->second += chunk.tokens;
  if (request->second < prefill_tokens(requests_[chunk.number], states_[chunk.number])) return false;
  prefilling_.erase(request);
  return true;
}

std::optional<RequestNumber> PrefillQueue::youngest() const {
  if (prefilling_.empty()) return std::nullopt;
  return prefilling_.rbegin()->first;
}

std::uint64_t PrefillQueue::preempt(RequestNumber number) {
  const auto request = prefilling_.find(number);
  const std::uint64_t cached = request->second;
  prefilling_.erase(request);
  blocks_.give_back(blocks_of(number));
  waiting_.insert(number);
  return cached;
}

}  // namespace tahoma::runtime::serving
