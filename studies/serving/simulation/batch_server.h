// SPDX-License-Identifier: Apache-2.0
// One server: a group of chips that executes one step after the other. Each step has the sequences that
// decode and chunks of prompts, as the policy says (continuous batching).
//
// Before a step that decodes, the sequences get the blocks that they need. If there are too few, the youngest
// request on the server is preempted, as often as necessary: its blocks are given back, and it is prefilled
// again later, with the tokens that it has generated (preemption by recomputation). No request is admitted in
// that step.
//
// It does not advance time: Cluster starts and ends the steps.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "studies/serving/simulation/group_state.h"
#include "studies/serving/simulation/kv_blocks.h"
#include "studies/serving/simulation/prefill_queue.h"
#include "studies/serving/simulation/request_state.h"
#include "studies/serving/simulation/sequence_batch.h"
#include "studies/serving/simulation/server_params.h"
#include "studies/serving/steps/step_table.h"

namespace tahoma::runtime::serving {

enum class ServerRole : std::uint8_t { kBoth, kPrefill, kDecode };

class BatchServer {
 public:
  BatchServer(const ServerParams& params, const StepTable& steps, ServerRole role, const Requests& requests,
              RequestStates& states, GroupState& group);

  // A request that waits for its prefill or, on a server that only decodes, for room.
  void add(RequestNumber number);

  bool busy() const { return busy_; }
  // Starts a step, if there is one to execute. Requests that a server which only decodes has preempted are in
  // `preempted`; others wait in its own queue.
  std::optional<StepCost> start(Nanoseconds now, std::vector<RequestNumber>& preempted);
  // A step changes the state of these requests.
  struct StepResult {
    std::vector<RequestNumber> first_tokens;  // their prefill is complete
    std::vector<RequestNumber> finished;
    std::vector<RequestNumber> handed_over;  // prefilled here, to be decoded elsewhere
  };
  StepResult finish();

  // A server that only decodes reserves room for the next request, if there is any; its keys and values are
  // then transferred, and it arrives.
  std::optional<RequestNumber> reserve();
  void arrive(RequestNumber number);
  // Tells a server that only prefills that keys and values have been transferred.
  void release(RequestNumber number);

  bool idle_and_empty() const {
    return !busy_ && running() == 0 && prefill_.waiting() == 0 && blocks_.used() == 0;
  }

 private:
  std::uint64_t running() const { return prefill_.prefilling() + decode_.size() + reserved_; }
  bool make_room(std::vector<RequestNumber>& preempted);
  void preempt(RequestNumber number, std::vector<RequestNumber>& preempted);
  void plan_decoding(bool& any_preempted, std::vector<RequestNumber>& preempted);
  void plan_chunks(std::uint64_t budget, bool admit, Nanoseconds now);
  StepCost cost() const;
  void join_arrived();
  void end_chunk(const PlannedChunk& chunk, StepResult& result);
  void update_levels();

  const ServerParams& params_;
  const StepTable& steps_;
  ServerRole role_;
  const Requests& requests_;
  RequestStates& states_;
  GroupState& group_;
  KvBlocks blocks_;
  PrefillQueue prefill_;
  SequenceBatch decode_;
  std::set<RequestNumber> for_room_;    // on a server that only decodes
  std::uint64_t reserved_ = 0;          // requests that have room and are not in the batch yet
  std::vector<RequestNumber> arrived_;  // of these, those that wait for the end of the step
  bool busy_ = false, decodes_ = false;
  std::vector<PlannedChunk> chunks_;
  std::uint64_t reported_[kLevels] = {};  // this server's part of the group's levels
};

}  // namespace tahoma::runtime::serving
