// SPDX-License-Identifier: Apache-2.0
// The rotary embedding's cosines and sines on every rank, and those of the backward pass: a gradient rotates
// by the negative angle.
#pragma once

#include "runtime/run/inputs.h"
#include "workloads/training/step/fleet.h"

namespace tahoma::workloads {

class RopeTables {
 public:
  RopeTables(Fleet& fleet, const TrainingParams& params);

  runtime::HbmView forward(const Cell& c) const {
    return forward_[fleet_.rank_number(c)].of(c.physical_core);
  }
  runtime::HbmView back(const Cell& c) const { return back_[fleet_.rank_number(c)].of(c.physical_core); }
  // [tokens, head_dim], cosines first.
  void fill(const runtime::HostTensor& table) const;

 private:
  Fleet& fleet_;
  std::vector<Matrix> forward_, back_;  // by rank
};

}  // namespace tahoma::workloads
