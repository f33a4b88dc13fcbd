// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/doorbell_ringer.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/core/program_error.h"
#include "model/engine/dma/dma_split.h"
#include "model/engine/dma/dma_timing.h"
#include "model/engine/sequencer/semaphore_update.h"

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

// Returns the time that the GpSimd engine spends on descriptors that it generates itself.
Duration generation_of(const TransferRequest& request, const DmaParams& params) {
  if (request.dge != isa::Dge::kSw) return Duration{0};
  return generation_time(descriptors_of(runs_of(request, params)), params);
}

}  // namespace

std::optional<sim::Notify> DoorbellRinger::notification(const isa::Instruction& i, const isa::Update& update,
                                                        std::int16_t peer, std::uint64_t cause) const {
  if (!changes_semaphore(update)) return std::nullopt;
  const std::uint64_t from = i.notify_arg == isa::kNone ? core_ : sequencer_.argument(i.notify_arg);
  const std::uint64_t core = from + static_cast<std::uint64_t>(std::int64_t{peer});
  if (core >= cores_)
    throw isa::ProgramError(
        "E-RUN-047", "",
        fmt::format("notifies core {}{:+}; the machine has cores 0..{}", from, peer, cores_ - 1));
  return sim::Notify{static_cast<std::uint32_t>(core), update.semaphore,
                     static_cast<std::uint8_t>(change_of(update)), update.value, cause};
}

DoorbellRinger::Ring DoorbellRinger::ring(const isa::Instruction& i, const CoreMemories& memories, Time t,
                                          std::uint64_t cause) {
  Ring ring{sequencer_.request(i, memories), t};
  TransferRequest& request = ring.request;
  request.queue = queue_;
  request.index = static_cast<std::uint32_t>(sequencer_.pc());
  request.dge = i.dge;
  const DoorbellTime bell = doorbell_time(queue_, !has_rung_, params_);
  const Duration generation = generation_of(request, params_);
  has_rung_ = true;
  request.rung = t + generation + bell.instruction;
  request.notify = notification(i, i.update, i.peer, cause);
  request.on_read = i.update.on_read;
  request.notify_read = notification(i, i.read_update, i.read_peer, cause);
  request.cause = cause;
  ring.next = t + generation + std::max(bell.instruction, bell.pitch);
  return ring;
}

}  // namespace tahoma::model
