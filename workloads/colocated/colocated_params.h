// SPDX-License-Identifier: Apache-2.0
// Parameters of the workload `colocated`: for each program its case, its cores and its start.
//
//   workload:
//     programs:
//       prefill: {case: prefill.yaml, cores: 0-3}
//       decode: {case: decode.yaml, cores: 4-5, start: 20 us}
//       save: {case: save.yaml, cores: 6-7, after: prefill, set: "workload.rows=4096; workload.columns=512"}
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/base/params.h"
#include "model/base/units.h"

namespace tahoma::workloads {

struct ProgramParams {
  std::string name;
  std::string file;     // of the case
  std::string changes;  // as --set, separated by semicolons
  std::string cores;    // numbers, ranges or names of instances, separated by commas
  base::Duration start{0};
  std::string after;  // names of programs, separated by commas; it starts when all of them have completed
  void declare(base::ParamTree& t);
};

struct ColocatedParams {
  std::vector<std::unique_ptr<ProgramParams>> programs;  // in the order of the file
  std::string only;                                      // the one that runs; "": all
  void declare(base::ParamTree& t);

  const ProgramParams* of(const std::string& name) const;  // null: none
  std::vector<std::string> names() const;
  // Throws UserError E-RUN-026: no programs, one without a case or cores, `after` or `only` that name none of
  // them, programs that wait for each other.
  void check() const;
};

// The words of a list, without blanks around them and without empty ones.
std::vector<std::string> listed(const std::string& text, const char* separator);

}  // namespace tahoma::workloads
