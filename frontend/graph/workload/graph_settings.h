// SPDX-License-Identifier: Apache-2.0
// The parameters of the workload `graph`.
#pragma once

#include <map>
#include <string>

#include "frontend/graph/compile/compile.h"
#include "model/base/params.h"

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
  std::uint64_t cores() const { return cores_; }
  CompileOptions options() const;                     // E-ONX-008 for a text that is no list of sizes
  std::map<std::string, std::string> inputs() const;  // files by name, E-ONX-008

 private:
  std::string model_, inputs_, sizes_;
  std::uint64_t batch_ = 0, cores_ = 1;
  FloatChoice floats_{};
  bool fuse_ = true;
};

}  // namespace tahoma::workloads::graph
