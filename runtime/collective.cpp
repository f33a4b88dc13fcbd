// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "runtime/placement.h"

namespace tahoma::runtime {

namespace {

// Rows of a chunk that one lane moves, at most.
std::uint64_t slot_rows(std::uint64_t rows, std::uint32_t ranks) {
  return part_of(part_of(rows, ranks, 0).count, std::uint64_t{kDirections} * kLanes, 0).count;
}

RingArguments declare_arguments(Kernel& kernel, const RingRank& place, unsigned direction,
                                const HbmView& partial) {
  const std::string suffix = direction == 0 ? "_up" : "_down";
  const std::uint64_t rows = staging_rows(partial.rows, place.ranks);
  RingArguments a;
  a.staging = kernel.argument("staging" + suffix, isa::DType::kFp32, rows, partial.columns);
  a.next_staging = kernel.argument("next_staging" + suffix, isa::DType::kFp32, rows, partial.columns);
  a.next_core = kernel.core_argument("next_core" + suffix);
  a.previous_ack =
      kernel.argument("previous_ack" + suffix, isa::DType::kFp32, ack_rows(place.ranks), kAckColumns);
  a.previous_core = kernel.core_argument("previous_core" + suffix);
  return a;
}

// One lane of one direction as a collective core runs it. Positions and chunks are numbered along the
// direction, so that the next neighbour always has position + 1.
class Lane {
 public:
  Lane(Kernel& kernel, const RingRank& place, unsigned direction, std::uint32_t lane, const HbmView& partial,
       const RingArguments& arguments)
      : kernel_(kernel),
        ranks_(place.ranks),
        direction_(direction),
        lane_(lane),
        position_(direction == 0 ? place.rank : place.ranks - 1 - place.rank),
        partial_(partial),
        arguments_(arguments),
        queue_(direction == 0 ? isa::Queue::kCc0 : isa::Queue::kCc1),
        slot_rows_(slot_rows(partial.rows, place.ranks)) {
    for (std::uint32_t slot = 0; slot < kStagingSlots; ++slot) {
      arrived_[slot] = kernel.signal();
      credit_[slot] = kernel.signal();
    }
  }

  void send(std::uint32_t step) {
    const Part rows = rows_of(position_ + 2 * ranks_ - step - 1);
    if (rows.count == 0) return;
    const std::uint32_t slot = sent_ % kStagingSlots, earlier = sent_ / kStagingSlots;
    if (earlier > 0) kernel_.wait(queue_, credit_[slot], isa::kDmaEngines * earlier);
    kernel_.send(slot_of(arguments_.next_staging, slot, rows.count), view_of(rows), queue_,
                 {arguments_.next_core, arrived_[slot]});
    ++sent_;
  }

  void add(std::uint32_t step) {
    const Part rows = rows_of(position_ + 2 * ranks_ - step - 2);
    if (rows.count == 0) return;
    const std::uint32_t slot = received_ % kStagingSlots;
    kernel_.wait(queue_, arrived_[slot], isa::kDmaEngines * (received_ / kStagingSlots + 1));
    kernel_.move(view_of(rows), slot_of(arguments_.staging, slot, rows.count), queue_, true);
    ++received_;
    if (slot_is_used_again(step)) acknowledge(rows, step, slot);
  }

  void finish(const HbmView& out, std::uint64_t chunk_first) {
    const Part own = rows_of(position_);
    if (own.count == 0) return;
    kernel_.move(out.window(own.first - chunk_first, 0, own.count, out.columns), view_of(own), queue_);
  }

 private:
  // This lane's part of chunk `label` (modulo ranks, numbered along the direction).
  Part rows_of(std::uint32_t label) const {
    const std::uint32_t along = label % ranks_;
    const Part chunk = part_of(partial_.rows, ranks_, direction_ == 0 ? along : ranks_ - 1 - along);
    const Part mine =
        part_of(chunk.count, std::uint64_t{kDirections} * kLanes, std::uint64_t{direction_} * kLanes + lane_);
    return {chunk.first + mine.first, mine.count};
  }

  HbmView view_of(const Part& rows) const {
    return partial_.window(rows.first, 0, rows.count, partial_.columns);
  }

  HbmView slot_of(const HbmView& staging, std::uint32_t slot, std::uint64_t rows) const {
    const std::uint64_t first = (lane_ * kStagingSlots + slot) * slot_rows_;
    return staging.window(first, 0, rows, partial_.columns);
  }

  // Carries a piece of the sum itself: that it reads it orders it behind the addition, and so behind the
  // slot's reading.
  void acknowledge(const Part& rows, std::uint32_t step, std::uint32_t slot) {
    const std::uint64_t columns = std::min(kAckColumns, partial_.columns);
    kernel_.send(arguments_.previous_ack.window(lane_ * ranks_ + step, 0, 1, columns),
                 partial_.window(rows.first, 0, 1, columns), queue_,
                 {arguments_.previous_core, credit_[slot]});
  }

  // Will another kStagingSlots chunks arrive after the one of this step?
  bool slot_is_used_again(std::uint32_t step) const {
    std::uint32_t more = 0;
    for (std::uint32_t later = step + 1; later + 1 < ranks_ && more < kStagingSlots; ++later)
      more += rows_of(position_ + 2 * ranks_ - later - 2).count > 0 ? 1 : 0;
    return more >= kStagingSlots;
  }

  Kernel& kernel_;
  std::uint32_t ranks_, direction_, lane_, position_;
  HbmView partial_;
  RingArguments arguments_;
  isa::Queue queue_;
  std::uint64_t slot_rows_;
  // One of each for every slot: of two chunks under way on one signal, a count of 16 would prove neither.
  std::array<Signal, kStagingSlots> arrived_{}, credit_{};
  std::uint32_t sent_ = 0, received_ = 0;
};

}  // namespace

std::uint64_t staging_rows(std::uint64_t rows, std::uint32_t ranks) {
  return std::uint64_t{kLanes} * kStagingSlots * slot_rows(rows, ranks);
}

std::uint64_t ack_rows(std::uint32_t ranks) { return std::uint64_t{kLanes} * ranks; }

void ring_reduce_scatter(Kernel& kernel, const RingRank& place, const HbmView& partial, const HbmView& out) {
  std::vector<Lane> lanes;
  for (unsigned direction = 0; direction < kDirections; ++direction) {
    const RingArguments arguments = declare_arguments(kernel, place, direction, partial);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      lanes.emplace_back(kernel, place, direction, lane, partial, arguments);
  }
  for (Lane& lane : lanes) lane.send(0);
  for (std::uint32_t step = 0; step + 1 < place.ranks; ++step)
    for (Lane& lane : lanes) {  // one lane's sum goes on its way before the queue waits for the next lane's
      lane.add(step);
      if (step + 2 < place.ranks) lane.send(step + 1);
    }
  const Part chunk = part_of(partial.rows, place.ranks, place.rank);
  for (Lane& lane : lanes) lane.finish(out, chunk.first);
}

}  // namespace tahoma::runtime
