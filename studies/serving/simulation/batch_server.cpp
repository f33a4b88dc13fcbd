// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/simulation/batch_server.h"

#include <algorithm>

namespace tahoma::runtime::serving {

BatchServer::BatchServer(const ServerParams& params, const StepTable& steps, ServerRole role,
                         const Requests& requests, RequestStates& states, GroupState& group)
    : params_(params),
      steps_(steps),
      role_(role),
      requests_(requests),
      states_(states),
      group_(group),
      blocks_(params.kv.blocks),
      prefill_(params, role == ServerRole::kBoth, requests, states, blocks_),
      decode_(params.kv.block_tokens) {}

void BatchServer::add(RequestNumber number) {
  ++group_.count(Count::kEntered);
  if (role_ == ServerRole::kDecode)
    for_room_.insert(number);
  else
    prefill_.add(number);
  update_levels();
}

void BatchServer::preempt(RequestNumber number, std::vector<RequestNumber>& preempted) {
  RequestState& state = states_[number];
  ++state.preemptions;
  ++group_.count(Count::kPreemptions);
  if (prefill_.youngest() == number) {
    state.dropped += prefill_.preempt(number);
    return;
  }
  const LeftSequence left = decode_.remove(number);
  blocks_.give_back(left.blocks);
  state.generated += static_cast<std::uint32_t>(left.tokens);
  state.dropped += left.cached;
  if (role_ == ServerRole::kBoth) {
    prefill_.add(number);
    return;
  }
  ++group_.count(Count::kLeft);
  preempted.push_back(number);
}

bool BatchServer::make_room(std::vector<RequestNumber>& preempted) {
  bool any = false;
  for (; decode_.blocks_due() > blocks_.free(); any = true)
    preempt(std::max(prefill_.youngest().value_or(0), decode_.youngest().value_or(0)), preempted);
  return any;
}

void BatchServer::plan_decoding(bool& any_preempted, std::vector<RequestNumber>& preempted) {
  any_preempted = make_room(preempted);
  blocks_.take(decode_.blocks_due());
  decodes_ = decode_.size() > 0;
}

void BatchServer::plan_chunks(std::uint64_t budget, bool admit, Nanoseconds now) {
  const std::uint64_t slots = admit ? params_.max_sequences - std::min(running(), params_.max_sequences) : 0;
  chunks_ = prefill_.plan(budget, slots, now);
}

StepCost BatchServer::cost() const {
  std::vector<PromptChunk> chunks;
  for (const PlannedChunk& chunk : chunks_)
    chunks.push_back(
        {blocks_for(chunk.tokens, params_.chunk_multiple) * params_.chunk_multiple, chunk.context});
  return steps_.cost_of({decodes_ ? decode_.size() : 0, decodes_ ? decode_.mean_context() : 0, chunks});
}

std::optional<StepCost> BatchServer::start(Nanoseconds now, std::vector<RequestNumber>& preempted) {
  TAHOMA_INVARIANT(!busy_, "a server starts a step in a step");
  bool any_preempted = false;
  decodes_ = false;
  chunks_.clear();
  if (params_.prefill == PrefillPolicy::kWhole) {
    plan_chunks(params_.max_tokens, true, now);
    if (chunks_.empty()) plan_decoding(any_preempted, preempted);
  } else {
    plan_decoding(any_preempted, preempted);
    plan_chunks(params_.max_tokens - (decodes_ ? decode_.size() : 0), !any_preempted, now);
  }
  busy_ = decodes_ || !chunks_.empty();
  update_levels();
  if (!busy_) return std::nullopt;
  ++group_.count(Count::kSteps);
  return cost();
}

void BatchServer::end_chunk(const PlannedChunk& chunk, StepResult& result) {
  group_.count(Count::kPromptTokens) += chunk.tokens;
  if (!prefill_.complete(chunk)) return;
  const RequestNumber number = chunk.number;
  const std::uint64_t blocks = prefill_.blocks_of(number);
  RequestState& state = states_[number];
  const std::uint64_t cached = prefill_tokens(requests_[number], state);
  ++state.generated;
  ++group_.count(Count::kOutputTokens);
  result.first_tokens.push_back(number);
  const std::uint64_t remaining = requests_[number].output - state.generated;
  if (remaining == 0) {
    blocks_.give_back(blocks);
    ++group_.count(Count::kLeft);
    result.finished.push_back(number);
  } else if (role_ == ServerRole::kBoth) {
    decode_.join(number, cached, remaining);
  } else {
    ++group_.count(Count::kLeft);
    result.handed_over.push_back(number);
  }
}

BatchServer::StepResult BatchServer::finish() {
  TAHOMA_INVARIANT(busy_, "a server ends a step that it has not started");
  StepResult result;
  busy_ = false;
  if (decodes_) {
    group_.count(Count::kOutputTokens) += decode_.size();
    decode_.step();
    while (const auto left = decode_.take_finished()) {
      blocks_.give_back(left->blocks);
      ++group_.count(Count::kLeft);
      result.finished.push_back(left->number);
    }
  }
  for (const PlannedChunk& chunk : chunks_) end_chunk(chunk, result);
  join_arrived();
  update_levels();
  return result;
}

std::optional<RequestNumber> BatchServer::reserve() {
  if (for_room_.empty() || running() >= params_.max_sequences) return std::nullopt;
  const RequestNumber number = *for_room_.begin();
  // The token that the prefill generated is not cached yet; the first step caches it.
  const std::uint64_t blocks = blocks_for(std::uint64_t{requests_[number].prompt} + states_[number].generated,
                                          params_.kv.block_tokens);
  if (blocks > blocks_.free()) return std::nullopt;
  blocks_.take(blocks);
  for_room_.erase(for_room_.begin());
  ++reserved_;
  update_levels();
  return number;
}

void BatchServer::arrive(RequestNumber number) {
  arrived_.push_back(number);
  if (!busy_) join_arrived();
  update_levels();
}

void BatchServer::join_arrived() {
  for (const RequestNumber number : arrived_) {
    const RequestState& state = states_[number];
    --reserved_;
    decode_.join(number, std::uint64_t{requests_[number].prompt} + state.generated - 1,
                 requests_[number].output - state.generated);
  }
  arrived_.clear();
}

void BatchServer::release(RequestNumber number) {
  const std::uint64_t cached = std::uint64_t{requests_[number].prompt} + states_[number].generated - 1;
  blocks_.give_back(blocks_for(cached, params_.kv.block_tokens));
  update_levels();
}

void BatchServer::update_levels() {
  const std::uint64_t levels[kLevels] = {busy_ ? 1U : 0U, prefill_.waiting() + for_room_.size(), running(),
                                         blocks_.used()};
  for (std::size_t n = 0; n < kLevels; ++n) {
    group_.levels[n] += levels[n] - reported_[n];
    reported_[n] = levels[n];
  }
}

}  // namespace tahoma::runtime::serving
