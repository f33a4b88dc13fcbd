// SPDX-License-Identifier: Apache-2.0
// The shared state of the parts of a timeline: the output, the selection, and the names of
// instances and instructions.
#pragma once

#include <string>

#include "report/trace/instruction_text.h"
#include "report/trace/packet_writer.h"
#include "report/trace/selection.h"
#include "report/trace/track_tree.h"

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
  // True if any core of the chip is selected; for a switch, if every core is.
  bool shows_chip(std::uint64_t chip) const;

  const model::MachineParams& machine;
  const TraceSelection selection;
  TraceTally tally;
  PacketWriter writer;
  TrackTree tracks;
  InstructionTexts texts;
};

}  // namespace tahoma::runtime
