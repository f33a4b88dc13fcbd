// SPDX-License-Identifier: Apache-2.0
// Creates the requests of the transfers whose doorbells one sequencer rings, and computes how long that
// takes.
#pragma once

#include <optional>

#include "model/engine/params/engine_params.h"
#include "model/engine/ports/doorbell.h"
#include "model/engine/sequencer/sequencer.h"

namespace tahoma::model {

class DoorbellRinger {
 public:
  // `core` is a global number, `cores` the number of cores in the machine. References must outlive the
  // ringer.
  DoorbellRinger(std::uint32_t core, std::uint32_t cores, isa::Queue queue, const DmaParams& params,
                 const Sequencer& sequencer)
      : core_(core), cores_(cores), queue_(queue), params_(params), sequencer_(sequencer) {}

  struct Ring {
    TransferRequest request;
    base::Time next;  // the sequencer may read the following instruction
  };
  // The sequencer's current instruction, a doorbell, starts at `t`. `cause`: of the semaphore changes that
  // the transfer makes. Throws ProgramError E-RUN-047 for a core that the machine does not have, and the
  // errors of Sequencer::request.
  Ring ring(const isa::Instruction& i, const CoreMemories& memories, base::Time t, std::uint64_t cause);

 private:
  std::optional<sim::Notify> notification(const isa::Instruction& i, const isa::Update& update,
                                          std::int16_t peer, std::uint64_t cause) const;

  std::uint32_t core_, cores_;
  isa::Queue queue_;
  const DmaParams& params_;
  const Sequencer& sequencer_;
  bool has_rung_ = false;
};

}  // namespace tahoma::model
