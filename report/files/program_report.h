// SPDX-License-Identifier: Apache-2.0
// Programs that share a machine, in the reports of a run: when each ran, and with --isolated how much longer
// it took than alone and what it waited for meanwhile. Slowdown, unfairness and weighted speedup are those of
// studies of shared memories (Eyerman and Eeckhout, IEEE Micro 2008; Mutlu and Moscibroda, MICRO 2007).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/base/columns.h"
#include "model/base/declared.h"
#include "runtime/workload/workload.h"

namespace tahoma::runtime {

// The same program alone on its cores, from the beginning of a run.
struct AloneTimes {
  std::string name;
  base::Duration time;
  base::StallTimes engines{};  // as engine_times()
};

struct ProgramRow {
  ProgramTimes program;
  base::StallTimes engines{};  // as engine_times()
  std::optional<AloneTimes> alone;

  base::Duration time() const { return program.end - program.begin; }
  double slowdown() const;  // only with `alone`
};

// The times of the engines of these cores by reason, without idle ones: the mean over the engines that
// retired instructions.
base::StallTimes engine_times(const base::RunMeasurement& run, const std::vector<std::uint32_t>& cores);

std::vector<ProgramRow> program_rows(const std::vector<ProgramTimes>& programs,
                                     const base::RunMeasurement& run, const std::vector<AloneTimes>& alone);

// How fairly programs share a machine; only if all were also run alone.
struct Sharing {
  TAHOMA_STATISTICS(Sharing);
  TAHOMA_LEVEL(double, weighted_speedup, kCount,
               "sum of the inverse slowdowns: the programs that run at their full speed, in effect");
  TAHOMA_LEVEL(double, largest_slowdown, kCount,
               "time together over time alone, of the program that suffers most");
  TAHOMA_LEVEL(double, unfairness, kCount, "largest slowdown over the smallest");
};
std::optional<Sharing> sharing_of(const std::vector<ProgramRow>& rows);

const base::Columns<ProgramRow>& program_columns();              // of summary.json and programs.csv
std::string programs_text(const std::vector<ProgramRow>& rows);  // "" if there are none
nlohmann::ordered_json programs_json(const std::vector<ProgramRow>& rows);
std::string programs_csv(const std::vector<ProgramRow>& rows);

}  // namespace tahoma::runtime
