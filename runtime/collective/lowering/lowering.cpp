// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/lowering/lowering.h"

#include <algorithm>

#include "model/base/error.h"
#include "runtime/collective/lowering/windows.h"
#include "runtime/collective/schedule/channel_semaphores.h"
#include "runtime/collective/schedule/chunk_pipeline.h"
#include "runtime/host/host_threads.h"

namespace tahoma::runtime::collective {

namespace {

class Lowering {
 public:
  Lowering(const Channel& channel, const Allocate& allocate)
      : op_(channel.op), pipeline_(channel), semaphores_(pipeline_), windows_(pipeline_, allocate) {}

  void emit() const {
    std::size_t lanes = 1;
    for (const Seat& seat : pipeline_.channel().seats) lanes = std::max(lanes, seat.at->lane + 1);
    for_each_block(lanes, [this](std::uint64_t lane) {
      for (std::uint32_t rank = 0; rank < pipeline_.problem().ranks; ++rank)
        if (pipeline_.seat(rank).at->lane == lane) emit(rank);
    });
  }

  Completions completions() const {
    Completions levels;
    for (std::uint32_t rank = 0; rank < pipeline_.problem().ranks; ++rank)
      levels.push_back(semaphores_.complete(rank));
    return levels;
  }

 private:
  void emit(std::uint32_t rank) const {
    for (const auto& [hop, piece] : pipeline_.turns(rank)) issue(hop, piece);
    finish(rank);
  }

  void await(const Seat& at, const std::optional<Semaphores::Level>& level) const {
    if (level) at.at->kernel->wait(at.queue, level->signal, level->value);
  }

  // A transfer of a chunk without such a piece still waits, because later transfers rely on that.
  void issue(std::uint32_t hop, std::uint32_t piece) const {
    const Seat& at = pipeline_.sender(hop);
    for (const std::uint32_t arrival : pipeline_.hop(hop).waits)
      await(at, semaphores_.arrived(arrival, piece));
    if (pipeline_.units(hop, piece) == 0) return;
    await(at, semaphores_.slot_free(hop, piece));
    if (pipeline_.transfer(hop).kind == TransferKind::kSettle) return settle(at, hop, piece);
    const std::vector<HbmView> what = windows_.sources(hop, piece);
    TAHOMA_INVARIANT(what.size() <= isa::kMostSources,
                     "a transfer folds more sources than a descriptor holds");
    at.at->kernel->send(windows_.target(hop, piece), {what, op_}, at.queue, semaphores_.landed(hop, piece),
                        semaphores_.given_back(hop, piece));
  }

  // Folds 16 sources at once, then 15 more at a time onto the result.
  void settle(const Seat& at, std::uint32_t hop, std::uint32_t piece) const {
    if (pipeline_.hop(hop).from_output) return;
    const std::vector<HbmView> what = windows_.sources(hop, piece);
    const HbmView so_far = windows_.sum_so_far(hop, piece);
    for (std::size_t next = 0; next < what.size();) {
      std::vector<HbmView> some;
      if (next > 0) some.push_back(so_far);
      while (next < what.size() && some.size() < isa::kMostSources) some.push_back(what[next++]);
      const bool last = next == what.size();
      at.at->kernel->fold(last ? windows_.output(pipeline_.transfer(hop).from, hop, piece) : so_far,
                          {some, op_}, at.queue,
                          last ? semaphores_.given_back(hop, piece) : std::optional<Delivery>{});
    }
  }

  // Makes the queue wait until all data of this rank are in place.
  void finish(std::uint32_t rank) const {
    const Seat& at = pipeline_.seat(rank);
    await(at, semaphores_.complete(rank));
    for (const std::uint32_t hop : pipeline_.hops_of(rank))
      if (pipeline_.transfer(hop).kind == TransferKind::kSettle)
        for (std::uint32_t p = 0; p < pipeline_.pieces(); ++p)
          if (pipeline_.units(hop, p) > 0) at.at->kernel->wait(at.queue, windows_.output(rank, hop, p));
  }

  isa::AluOp op_;
  Pipeline pipeline_;
  Semaphores semaphores_;
  Windows windows_;
};

}  // namespace

Completions lower(const Channel& channel, const Allocate& allocate) {
  if (channel.most_units() == 0) return Completions(channel.seats.size());
  const Lowering lowering(channel, allocate);
  lowering.emit();
  return lowering.completions();
}

}  // namespace tahoma::runtime::collective
