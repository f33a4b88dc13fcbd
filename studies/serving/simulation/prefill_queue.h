// SPDX-License-Identifier: Apache-2.0
// The requests of a server that wait for their prefill or are in it, in the order of arrival. Preempted
// requests wait among the others and are older than all that have not started.
//
// A request is admitted when its blocks are free: those of its prompt, of the tokens that it generated before
// a preemption, and of one more token if it decodes on this server. No request overtakes an older one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "studies/serving/simulation/kv_blocks.h"
#include "studies/serving/simulation/request_state.h"
#include "studies/serving/simulation/server_params.h"
#include "studies/serving/steps/step_cost.h"

namespace tahoma::runtime::serving {

struct PlannedChunk {
  RequestNumber number = 0;
  std::uint64_t tokens = 0, context = 0;
};

class PrefillQueue {
 public:
  // `decodes` says that the server decodes what it has prefilled.
  PrefillQueue(const ServerParams& params, bool decodes, const Requests& requests, RequestStates& states,
               KvBlocks& blocks)
      : params_(params), decodes_(decodes), requests_(requests), states_(states), blocks_(blocks) {}

  void add(RequestNumber number) { waiting_.insert(number); }
  std::uint64_t waiting() const { return waiting_.size(); }
  std::uint64_t prefilling() const { return prefilling_.size(); }

  // Chunks for a step of at most `budget` tokens: first of the prompts in progress, then of at most `slots`
  // that are admitted now.
  std::vector<PlannedChunk> plan(std::uint64_t budget, std::uint64_t slots, Nanoseconds now);
  // After the step: true if the chunk completes its prompt, which then leaves the queue with its blocks.
  bool complete(const PlannedChunk& chunk);

  // The last that arrived of those in progress.
  std::optional<RequestNumber> youngest() const;
  // Returns the request to the waiting ones; its blocks are given back and its progress is lost. Returns the
  // tokens that were cached.
  std::uint64_t preempt(RequestNumber number);

  std::uint64_t blocks_of(RequestNumber number) const;

 private:
  void plan_chunk(RequestNumber number, std::uint64_t done, std::uint64_t& budget,
                  std::vector<PlannedChunk>& chunks);
  bool may_admit(RequestNumber number, std::uint64_t budget) const;

  const ServerParams& params_;
  bool decodes_;
  const Requests& requests_;
  RequestStates& states_;
  KvBlocks& blocks_;
  std::set<RequestNumber> waiting_;
  std::map<RequestNumber, std::uint64_t> prefilling_;  // tokens that are prefilled
};

}  // namespace tahoma::runtime::serving
