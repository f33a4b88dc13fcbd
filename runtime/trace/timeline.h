// SPDX-License-Identifier: Apache-2.0
// What the parts of a timeline share: where it is written, which part of the run it shows, and what instances
// and instructions are called.
#pragma once

#include <string>

#include "runtime/trace/instruction_text.h"
#include "runtime/trace/packet_writer.h"
#include "runtime/trace/selection.h"
#include "runtime/trace/track_tree.h"

namespace tahoma::runtime {

struct Timeline {
  Timeline(const model::MachineParams& params, const TraceSelection& chosen, const std::string& path)
      : machine(params),
        selection(chosen),
        tally(selection),
        writer(path),
        tracks(writer),
        texts(params.cores()) {}

  bool admits(TraceKind kind, std::uint32_t core, base::Time start, base::Time end) {
    return tally.admits(kind, selection.cores[core], start, end);
  }
  // Whether any core of the chip is selected; of a switch, whether every core is.
  bool shows_chip(std::uint64_t chip) const;

  const model::MachineParams& machine;
  const TraceSelection selection;
  TraceTally tally;
  PacketWriter writer;
  TrackTree tracks;
  InstructionTexts texts;
};

}  // namespace tahoma::runtime
