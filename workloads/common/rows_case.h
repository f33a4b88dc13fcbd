// SPDX-License-Identifier: Apache-2.0
// A kernel case on matrices of `rows` by `columns` elements of one float dtype, sharded over cores by rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workloads/common/kernel_case.h"

namespace tahoma::workloads {

class RowsCase : public KernelCase {
 public:
  isa::DType compute_dtype() const override { return dtype_; }
  std::string describe() const override;

 protected:
  RowsCase(std::string kind, std::vector<std::string> inputs)
      : KernelCase(std::move(inputs)), kind_(std::move(kind)) {}

  void declare_parameters(base::ParamTree& t) override;
  std::uint64_t units() const override { return rows_; }

  std::uint64_t rows() const { return rows_; }
  std::uint64_t columns() const { return columns_; }
  double elements() const { return static_cast<double>(rows_) * static_cast<double>(columns_); }
  // The rows of each core in turn.
  std::vector<runtime::Part> parts() const;

  CaseTensor matrix(const std::string& name, Role role) const {
    return {name, compute_dtype(), {rows_, columns_}, role};
  }
  // fp32, equal on all cores.
  CaseTensor vector(const std::string& name) const {
    return {name, isa::DType::kFp32, {1, columns_}, Role::kInput, Sharding::kReplicated};
  }
  // fp32, one row per core.
  CaseTensor sums(const std::string& name) const {
    return {name, isa::DType::kFp32, {cores_used(), columns_}, Role::kOutput, Sharding::kPerGroup};
  }
  // fp32, one element per row.
  CaseTensor column(const std::string& name, Role role) const {
    return {name, isa::DType::kFp32, {rows_, 1}, role};
  }

 private:
  std::string kind_;
  isa::DType dtype_{};
  std::uint64_t rows_ = 0, columns_ = 0;
};

}  // namespace tahoma::workloads
