// SPDX-License-Identifier: Apache-2.0
// The parameters of the workload `graph`.
#pragma once

#include <map>
#include <string>

#include "frontend/graph/compile/compile.h"
#include "model/base/params.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::workloads::graph {

enum class FloatChoice : std::uint8_t { kModel, kFp32, kBf16, kFp16 };
inline constexpr base::Named<FloatChoice> kFloatChoices[] = {{FloatChoice::kModel, "model"},
                                                             {FloatChoice::kFp32, "fp32"},
                                                             {FloatChoice::kBf16, "bf16"},
                                                             {FloatChoice::kFp16, "fp16"}};

class GraphSettings {
 public:
  void declare(base::ParamTree& t);

  const std::string& model() const { return model_; }
  bool reuse() const { return reuse_; }
  // Of the machine; E-RUN-063 if it has fewer, E-ONX-008 if both cores and chips are given.
  std::uint64_t cores(const model::MachineParams& machine) const;
  // E-ONX-008 for a text that is no list of sizes.
  CompileOptions options(const model::MachineParams& machine) const;
  std::map<std::string, std::string> inputs() const;  // files by name, E-ONX-008

 private:
  std::string model_, inputs_, sizes_;
  std::uint64_t batch_ = 0, cores_ = 1, chips_ = 0;
  FloatChoice floats_{};
  bool fuse_ = true, reuse_ = false;
};

}  // namespace tahoma::workloads::graph
