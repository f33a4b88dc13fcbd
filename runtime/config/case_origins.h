// SPDX-License-Identifier: Apache-2.0
// A case that a command generates, such as those of `tahoma model`: what the user gave for its values. An
// error about such a case names these inputs, because its user has neither its file nor its parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/base/error.h"

namespace tahoma::runtime {

struct CaseOrigin {
  std::string path;   // in the case: "workload.batch"; stands for what is below it, too
  std::string given;  // by the user: "--batch", "hidden_size", "cluster.job.sequence"
  std::string place;  // in errors: "--batch 16", "config.json:hidden_size", "job.yaml:5:12"
};

class CaseOrigins {
 public:
  CaseOrigins() = default;
  explicit CaseOrigins(std::vector<CaseOrigin> origins) : origins_(std::move(origins)) {}

  bool empty() const { return origins_.empty(); }
  // The one with the longest path that is `path` or above it; null if there is none.
  const CaseOrigin* of(const std::string& path) const;
  // Replaces paths and places of the case in an error by what the user gave. A path that the user may give
  // stays, as `--set PATH` below workload.
  base::UserError in_words(const base::UserError& error) const;
  // Returns the result of `work`. Its errors pass through in_words(), unless there are no origins.
  template <class Work>
  auto with_origins(const Work& work) const {
    try {
      return work();
    } catch (const base::UserError& error) {
      if (empty()) throw;
      throw base::UserError(in_words(error));
    }
  }

 private:
  std::string text_in_words(const std::string& text, const std::string& place) const;
  std::vector<CaseOrigin> origins_;
};

}  // namespace tahoma::runtime
