// SPDX-License-Identifier: Apache-2.0
// The critical path of a run as figures: its time by resource and operation (path_shares.h), the instructions
// with the largest shares of it (hot spots), and the path itself from its end to the start of the run in at
// most 20 rows. A row unites consecutive steps: those of one place (core, engine, region or source line)
// first, then the neighbours whose time together is the smallest. The rows are exact: each begins where the
// next one, earlier in time, ends, and together they are the simulated time.
//
// If the first resource cost nothing, the run would be shorter by at most its time on the path, because
// another chain of instructions may end last then. `tahoma explain` measures by how much.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isa/core/program.h"
#include "model/base/columns.h"
#include "report/path/critical_path.h"
#include "report/path/path_shares.h"
#include "report/text/text_layout.h"

namespace tahoma::runtime {

// The instructions of one opcode and one source line (or region, where the program has no lines) of an
// engine, on all cores that execute the program. A kernel whose loops are unrolled has thousands of
// instructions for one line, each with a negligible share.
struct PathHotSpot {
  std::string program, engine, opcode;
  std::uint64_t instructions = 0;  // of the engine's stream that are on the path
  std::uint64_t index = 0;         // of the one with the largest time, in the engine's stream
  std::string source;              // "kernel.py:30", or the region; "" if the program names neither
  std::uint64_t steps = 0;         // of the path
  base::Duration time;             // on the path
  double share_percent = 0;
};

struct PathRow {
  base::Time from{0}, to{0};
  std::uint64_t steps = 0;
  // These name the instruction with the largest time in the row; empty if no instruction explains the time.
  std::string core, engine, opcode, source;
  double share_percent = 0;
  base::Duration longest;  // of the steps
  base::Duration time() const { return to - from; }
  void unite(const PathRow& earlier);
};

struct PathSummary {
  base::Duration elapsed;
  std::uint64_t steps = 0;
  std::uint64_t not_followed = 0;  // instructions at the start of a very long run (kMostPathInstructions)
  std::vector<PathResourceShare> resources;  // both largest first
  std::vector<PathShare> operations;
  std::vector<PathHotSpot> hot_spots;  // largest first
  std::vector<PathRow> rows;           // the last one first
};

using Programs = std::map<std::uint32_t, std::shared_ptr<const isa::Program>>;  // by core
using CoreName = std::function<std::string(std::uint32_t)>;

PathSummary summarise_path(const CriticalPath& path, base::Duration elapsed, const Programs& programs,
                           const CoreName& name_of_core, const PathCosts& costs);

// Returns the columns of summary.json.
const base::Columns<PathHotSpot>& path_hot_spot_columns();
const base::Columns<PathRow>& path_row_columns();

// Unites neighbours, those whose time together is the smallest first, until there are at most that many rows.
std::vector<PathRow> united(std::vector<PathRow> rows, std::size_t most);

// Writes the block of summary.txt; "" for a run without instructions.
std::string path_text(const PathSummary& path, const RowLimits& most);

}  // namespace tahoma::runtime
