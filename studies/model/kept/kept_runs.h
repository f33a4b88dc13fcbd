// SPDX-License-Identifier: Apache-2.0
// The runs in the folder of a study. A folder runs/NAME is always a complete run
// (runtime/host/output/output_dir.h) of the address in runs/NAME.address.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "studies/batch/child_run.h"

namespace tahoma::runtime {

class KeptRuns {
 public:
  explicit KeptRuns(std::string binary_sha256) : binary_sha256_(std::move(binary_sha256)) {}

  // The summary of this run, if its folder has it. Otherwise the folder is free for it afterwards.
  std::optional<nlohmann::ordered_json> take(const ChildRun& run) const;
  // Equal for equal computations, whose results are equal.
  std::string address_of_run(const RunOptions& options) const;

 private:
  std::string binary_sha256_;
};

}  // namespace tahoma::runtime
