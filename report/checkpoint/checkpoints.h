// SPDX-License-Identifier: Apache-2.0
// The tensor checkpoints of one run. They are taken when the requested values are in memory, written
// to a folder of dumps and compared with a reference. Functional mode only; without a request,
// nothing is observed. A run with a reference takes everything that the reference contains, in
// addition to the requested dumps.
//
// UserError: E-CKP-001, requested in timing mode; E-CKP-003, an unknown name; E-CKP-008, an invalid
// tolerance, or one without a reference; those of dump_request.h, dump_points.h and dumps.h.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/activity.h"
#include "report/checkpoint/catalogue.h"
#include "report/checkpoint/dump_points.h"
#include "report/checkpoint/tensor_comparison.h"

namespace tahoma::runtime {

struct CheckpointOptions {
  std::vector<std::string> dump;  // report/checkpoint/dump_request.h
  std::string compare_with;       // folder of a reference
  DumpTolerance tolerance;
  bool any() const { return !dump.empty() || !compare_with.empty(); }
};

class Checkpoints final : private base::ResultObserver, private base::Observer {
 public:
  // Reads the requests and the reference's index.
  Checkpoints(const CheckpointOptions& options, model::Mode mode);

  void write_to(const std::string& folder) { writer_.emplace(folder); }
  // To be called when the programs are loaded, before the run.
  void attach(Machine& machine);
  void finish(base::Duration elapsed);  // to be called after the run

  const std::optional<DumpComparison>& comparison() const { return comparison_; }

 private:
  struct Snapshot {  // of a tensor or tile
    std::size_t item = 0;
    std::string name;
    bool expected = false, dumped = false;
  };
  struct Wish {
    DumpRequest request;
    bool of_reference = false, of_user = false;
  };

  void result(const base::ResultActivity& activity) override;
  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity&) override {}

  void wish(const std::string& text, bool of_reference);
  void resolve(const Wish& wish);
  void resolve_results(const Wish& wish) const;
  bool wants_instruction(const DumpRequest& request, std::uint32_t core, std::uint8_t queue,
                         std::uint32_t index) const;
  void take(const base::ResultActivity& activity, std::uint32_t occurrence);
  void take(const Snapshot& snapshot, base::Time time);
  void keep(Checkpoint checkpoint, bool expected, bool dumped);

  std::vector<Wish> wishes_;
  std::vector<std::string> requests_;  // of the user, for the index
  std::optional<DumpWriter> writer_;
  std::optional<DumpComparison> comparison_;

  const Machine* machine_ = nullptr;
  std::optional<Catalogue> catalogue_;
  std::optional<DumpPoints> points_;
  std::vector<std::vector<Snapshot>> at_point_;  // by number of the point
  std::vector<Snapshot> at_end_;
  // Number of results of each instruction, by core and queue.
  std::map<std::uint32_t, std::array<std::vector<std::uint32_t>, isa::kQueueCount>> counts_;
};

}  // namespace tahoma::runtime
