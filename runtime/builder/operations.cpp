// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/operations.h"

#include <algorithm>

#include "isa/core/instruction_hash.h"

namespace tahoma::runtime {

namespace {

std::uint64_t hash_of(const Op& op) {
  const std::uint64_t hash = isa::hash_with_peers(op.instruction);
  return op.accesses.empty() ? hash : isa::combined(hash, op.accesses.front().region.byte);
}

}  // namespace

std::uint32_t OperationKinds::number_of(const Op& op) {
  const auto next = static_cast<std::uint32_t>(kinds_.size());
  const auto [first, added] = first_.try_emplace(hash_of(op), next);
  std::uint32_t* link = &first->second;
  for (; !added && *link != kLast; link = &kinds_[*link].next)
    if (const Op& known = kinds_[*link].op; known.queue == op.queue &&
                                            isa::identical(known.instruction, op.instruction) &&
                                            known.accesses == op.accesses)
      return *link;
  *link = next;
  kinds_.push_back({op, kLast});
  return next;
}

Op& Operations::append(Op op) {
  if (open_) {
    at_.kind = kinds_->number_of(newest_);
    occurrences_.push_back(at_);
  }
  open_ = true;
  newest_ = std::move(op);
  at_ = {0, visit_, region_, line_};
  return newest_;
}

}  // namespace tahoma::runtime
