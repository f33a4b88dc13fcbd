// SPDX-License-Identifier: Apache-2.0
// A folder with two workloads and the sweeps that a test adds to it.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "studies/sweep/spec/spec.h"
#include "tests/support/program/refusal_of.h"
#include "tests/support/temp_dir.h"

namespace tahoma::tests {

class SweepFiles {
 public:
  SweepFiles() {
    folder_.write(
        "gemm.yaml",
        "kind: gemm\nmachine: trainium2_one_chip\nworkload: {m: 128, n: 512, k: 256, dtype: bf16}\n");
    folder_.write("add.yaml",
                  "kind: vector_add\nmachine: trainium2_one_chip\nworkload: {elements: 1024, columns: 64}\n");
  }

  std::string gemm() const { return folder_ / "gemm.yaml"; }
  std::string add() const { return folder_ / "add.yaml"; }
  const TempDir& folder() const { return folder_; }

  // `keys`: the keys below `sweep`, indented by two spaces.
  std::string write(const std::string& keys) const { return folder_.write("sweep.yaml", "sweep:\n" + keys); }
  runtime::SweepSpec load(const std::string& keys) const { return runtime::load_sweep(write(keys)); }
  // A sweep of the first workload.
  runtime::SweepSpec of_gemm(const std::string& keys) const {
    return load("  workloads: gemm.yaml\n" + keys);
  }

  // The error message that a user reads, without the folder.
  template <class Action>
  std::string refusal(Action&& action) const {
    std::string text = refusal_of(action);
    const std::string prefix = folder_ / "";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }

 private:
  TempDir folder_;
};

// Checks that the sweep of the first workload with these keys is refused.
inline void check_refused(const std::string& keys, const std::string& beginning, const std::string& hint) {
  const SweepFiles files;
  const std::string refusal = files.refusal([&] { files.of_gemm(keys); });
  CHECK_THAT(refusal, Catch::StartsWith(beginning));
  CHECK_THAT(refusal, Catch::Contains(hint));
}

}  // namespace tahoma::tests
