// SPDX-License-Identifier: Apache-2.0
#include "workloads/rms_norm/rms_norm.h"

#include <fmt/format.h>

#include "workloads/common/kernel_case.h"
#include "workloads/rms_norm/golden_rms_norm.h"
#include "workloads/rms_norm/rms_norm_kernel.h"
#include "workloads/vector_add/golden_sum.h"

namespace tahoma::workloads {

namespace {

class RmsNormCase final : public KernelCase {
 public:
  RmsNormCase() : KernelCase({"x", "g", "add"}) {}

  // An element takes a square and an addition, a product by 1 / rms and one by g.
  double useful_flops() const override {
    return 4.0 * static_cast<double>(rows_) * static_cast<double>(columns_);
  }
  isa::DType compute_dtype() const override { return dtype_; }
  std::string describe() const override {
    return fmt::format("rms_norm {}x{} {}{} on {} cores", rows_, columns_, isa::name_of(dtype_),
                       residual_ ? ", residual" : "", cores());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    t.add("rows", rows_, std::uint64_t{1024}, {1, std::uint64_t{1} << 24}, "rows of x and y", base::chosen());
    t.add("columns", columns_, std::uint64_t{1024}, {1, 16384}, "columns of x and y, elements of g",
          base::chosen());
    t.add("dtype", dtype_, isa::DType::kBf16, {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32},
          "element type of x and y", base::chosen());
    t.add("epsilon", epsilon_, 1e-5, {0, 1}, "added to the mean square", base::chosen());
    t.add("residual", residual_, false, "normalises x + add, which is also the output `sum`", base::chosen());
  }
  std::vector<CaseTensor> tensors() const override {
    std::vector<CaseTensor> all{{"x", compute_dtype(), {rows_, columns_}, Role::kInput},
                                {"g", isa::DType::kFp32, {1, columns_}, Role::kInput, Sharding::kReplicated},
                                {"y", compute_dtype(), {rows_, columns_}, Role::kOutput}};
    if (!residual_) return all;
    all.push_back({"add", compute_dtype(), {rows_, columns_}, Role::kInput});
    all.push_back({"sum", compute_dtype(), {rows_, columns_}, Role::kOutput});
    return all;
  }
  std::uint64_t units() const override { return rows_; }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return rms_norm_program(machine, {part.count, columns_, compute_dtype(), static_cast<float>(epsilon_)},
                            residual_);
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    const auto& in = values.at(residual_ ? "sum" : "x");
    runtime::GoldenResult result = check_rms_norm(in, values.at("g"), values.at("y"), epsilon_, maker("y"));
    if (residual_) result.add(check_sum(values.at("x"), values.at("add"), in, maker("sum")));
    return result;
  }

 private:
  std::uint64_t rows_ = 0, columns_ = 0;
  double epsilon_ = 0;
  isa::DType dtype_{};
  bool residual_ = false;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_rms_norm() { return std::make_unique<RmsNormCase>(); }

}  // namespace tahoma::workloads
