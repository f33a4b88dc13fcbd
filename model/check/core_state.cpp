// SPDX-License-Identifier: Apache-2.0
#include "model/check/core_state.h"

namespace tahoma::model::check {
namespace {

constexpr unsigned kScratchpadBlockBits = 11;  // 2 KiB of a partition: a PSUM bank

}  // namespace

WaitTable::WaitTable(const isa::Program& program) {
  for (std::size_t q = 0; q < isa::kQueueCount; ++q) {
    const isa::Stream& stream = program.streams[q];
    bool jumps_back = false;
    for (std::size_t n = 0; n < stream.size(); ++n) {
      const isa::Instruction& i = stream[n];
      if (i.wait.kind != isa::Wait::Kind::kNone) end[q][i.wait.semaphore] = static_cast<std::uint32_t>(n + 1);
      jumps_back |= (i.op == isa::Opcode::kJump || i.op == isa::Opcode::kBranch) && i.target <= n;
    }
    length[q] = jumps_back ? kAlways : static_cast<std::uint32_t>(stream.size());
    if (!jumps_back) continue;
    for (std::uint32_t& last : end[q])
      if (last != kNever) last = kAlways;
  }
}

bool WaitTable::has_waiters(unsigned semaphore) const {
  return std::any_of(end.begin(), end.end(), [&](const auto& queue) { return queue[semaphore] != kNever; });
}

CoreState::CoreState(std::uint32_t core, std::shared_ptr<const WaitTable> waits)
    : core_(core),
      waits_(std::move(waits)),
      queues_(isa::kQueueCount, QueueState(core)),
      sbuf_(kScratchpadBlockBits),
      psum_(kScratchpadBlockBits) {}

SemaphoreOrder* CoreState::semaphore(unsigned number) {
  std::unique_ptr<Counted>& counted = semaphores_.at(number);
  if (!counted) {
    if (!waits_->has_waiters(number)) return nullptr;
    counted = std::make_unique<Counted>();
  }
  return &counted->order;
}

void CoreState::trim(unsigned number) {
  Counted& counted = *semaphores_[number];
  if (counted.order.size() <= counted.limit) return;
  counted.order.forget([&](const Epoch& point) {
    for (std::size_t q = 0; q < isa::kQueueCount; ++q)
      if (waits_->end[q][number] > queues_[q].next && !queues_[q].known.covers(point)) return false;
    return true;
  });
  counted.limit = std::max(kFirstLimit, 2 * counted.order.size());
}

Epoch CoreState::next_transfer(isa::Queue queue, unsigned ring, bool remote, std::uint32_t target,
                               unsigned semaphore) {
  std::uint64_t key = static_cast<std::uint64_t>(queue) << 8 | ring;
  if (remote) key |= std::uint64_t{1} << 16 | std::uint64_t{semaphore} << 17 | std::uint64_t{target} << 32;
  Component& component = components_[key];
  if (component.members == 0)
    component.number = completion_of(static_cast<std::uint32_t>(isa::kQueueCount + components_.size() - 1));
  return {core_, component.number, ++component.members};
}

bool CoreState::all_know(const Epoch& point) const {
  for (std::size_t q = 0; q < isa::kQueueCount; ++q)
    if (waits_->length[q] > queues_[q].next && !queues_[q].known.covers(point)) return false;
  return true;
}

}  // namespace tahoma::model::check
