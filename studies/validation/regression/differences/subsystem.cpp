// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/differences/subsystem.h"

#include <array>

#include "studies/validation/regression/differences/run_statistics.h"

namespace tahoma::runtime {

namespace {

struct Row {
  const char* pattern;
  const char* subsystem;
};

// The first matching row applies.
constexpr std::array kRows{Row{"outputs.*", "values"},
                           Row{"golden.*", "values"},
                           Row{"checks.*", "values"},
                           Row{"collectives[*", "collectives"},
                           Row{"regions[*", "regions"},
                           Row{"whole.*", "regions"},
                           Row{"engines.*", "engines"},
                           Row{"*_engine_active_time_percent", "engines"},
                           Row{"*_activations", "simulator"},
                           Row{"dma*", "dma"},
                           Row{"*.dma.*", "dma"},
                           Row{"hbm*", "hbm"},
                           Row{"mbu_*", "hbm"},
                           Row{"*.hbm*", "hbm"},
                           Row{"link*", "links"},
                           Row{"traffic.*", "links"},
                           Row{"*.link.*", "links"},
                           Row{"*.core*", "engines"}};

}  // namespace

std::string subsystem_of(const std::string& statistic) {
  for (const Row& row : kRows)
    if (matches_pattern(statistic, row.pattern)) return row.subsystem;
  return "run";
}

}  // namespace tahoma::runtime
