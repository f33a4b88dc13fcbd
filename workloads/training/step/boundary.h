// SPDX-License-Identifier: Apache-2.0
// One direction of the border between two stages of a training step: each cell sends its rows of a
// micro-batch to the same cell of the other stage (workloads/transformer/partition/handover.h). Activations
// go to the stage behind, and their gradients come back.
#pragma once

#include <memory>
#include <vector>

#include "workloads/training/step/fleet.h"
#include "workloads/transformer/partition/handover.h"

namespace tahoma::workloads {

class Boundary {
 public:
  // Both must outlive this object.
  Boundary(Fleet& from, Fleet& to);

  // The rows of a cell, and the tensor that has them.
  struct OwnRows {
    const Matrix* tensor;
    runtime::HbmView rows;
  };
  using RowsOf = std::function<OwnRows(const Cell&)>;
  // The receiver, before anything is sent: where the next micro-batch arrives.
  void expect(const RowsOf& rows);
  // The sender sends the rows of the next micro-batch.
  void send(const RowsOf& rows);
  // At the receiver, later users of the rows of the next micro-batch wait for them.
  void receive();

  // After the run. `what`: the beginning of their names.
  std::vector<runtime::MessageResult> messages(const runtime::collective::Stopwatch& stopwatch,
                                               const std::string& what) const;

 private:
  Fleet &from_, &to_;
  std::vector<std::unique_ptr<Handover>> of_replica_;
};

}  // namespace tahoma::workloads
