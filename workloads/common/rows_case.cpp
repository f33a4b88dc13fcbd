// SPDX-License-Identifier: Apache-2.0
#include "workloads/common/rows_case.h"

#include <fmt/format.h>

namespace tahoma::workloads {

std::string RowsCase::describe() const {
  return fmt::format("{} {}x{} {} on {} cores", kind_, rows_, columns_, isa::name_of(dtype_), cores());
}

void RowsCase::declare_parameters(base::ParamTree& t) {
  t.add("rows", rows_, std::uint64_t{1024}, {1, std::uint64_t{1} << 24}, "rows of the matrices",
        base::chosen());
  t.add("columns", columns_, std::uint64_t{1024}, {1, 16384}, "columns of the matrices", base::chosen());
  t.add("dtype", dtype_, isa::DType::kBf16, {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32},
        "element type of the matrices", base::chosen());
}

std::vector<runtime::Part> RowsCase::parts() const {
  std::vector<runtime::Part> parts;
  for (std::uint64_t core = 0; core < cores_used(); ++core)
    parts.push_back(runtime::part_of(rows_, cores(), core));
  return parts;
}

}  // namespace tahoma::workloads
