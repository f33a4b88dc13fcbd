// SPDX-License-Identifier: Apache-2.0
// The headline of a run: its time, how well it used the machine, whether its values are right, and the
// resource that limits it. The limit is the resource with the largest share of the critical path
// (report/path/path_shares.h). `tahoma explain` measures it by repetitions and adds its result, which may
// differ.
//
// The rate is that of useful operations, with the MFU; of a run without any, the bus bandwidth of its largest
// collective as nccom-test counts it, else the bandwidth of HBM, else element operations.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "report/path/path_shares.h"
#include "report/summary/bottleneck.h"

namespace tahoma::runtime {

struct Summary;

struct RunHeadline {
  std::string time;        // "77.79 us"
  std::string rate;        // "3.534 PFLOPS"; "" if the efficiency says all
  std::string efficiency;  // "MFU 8.8 %", "busbw 122.1 GB/s"; "" for a run that moved and computed nothing
  std::string golden;      // "golden passed"
  std::string limit;       // "NeuronLink limits: 62.5 % of the critical path, in reduce_scatter"
  std::string explained;   // "explain agrees: ..."; "" if the run was not explained

  std::string text() const;  // in one line
  std::string block()
      const;  // the first lines of summary.txt: what does not fit in the first one is in the others
};

RunHeadline headline_of(const Summary& summary);

// The text is "" without a verdict. `limit` is the resource that limits the critical path, or "".
std::string explained_text(const std::string& limit, const std::optional<Bottlenecks>& verdict);

// Gives summary.json another verdict: its headline, its bottleneck and those of its regions.
void set_verdict(nlohmann::ordered_json& summary, const std::optional<Bottlenecks>& verdict);
RunHeadline stored_headline(const nlohmann::ordered_json& summary);
nlohmann::ordered_json headline_json(const RunHeadline& headline);

}  // namespace tahoma::runtime
