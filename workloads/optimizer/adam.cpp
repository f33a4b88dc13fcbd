// SPDX-License-Identifier: Apache-2.0
#include "workloads/optimizer/adam.h"

#include <fmt/format.h>

#include "workloads/common/kernel_case.h"
#include "workloads/optimizer/adam_definition.h"
#include "workloads/optimizer/adam_kernel.h"

namespace tahoma::workloads {

namespace {

class AdamCase final : public KernelCase {
 public:
  AdamCase() : KernelCase({"p", "g", "m", "v"}) {}

  // An element takes three FLOPs for m, four for v, six for p and two for its decay.
  double useful_flops() const override {
    return 15.0 * static_cast<double>(rows_) * static_cast<double>(columns_);
  }
  isa::DType compute_dtype() const override { return isa::DType::kFp32; }
  std::string describe() const override {
    return fmt::format("adam {}x{}, gradients {}, on {} cores", rows_, columns_, isa::name_of(gradient_),
                       cores());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    t.add("rows", rows_, std::uint64_t{1024}, {1, std::uint64_t{1} << 24}, "rows of the parameters",
          base::chosen());
    t.add("columns", columns_, std::uint64_t{1024}, {1, std::uint64_t{1} << 24}, "columns of the parameters",
          base::chosen());
    t.add("gradient", gradient_, isa::DType::kFp32, {isa::DType::kBf16, isa::DType::kFp32},
          "element type of the gradients", base::chosen());
    t.add("copy", copy_, false, "the new parameters are also stored in bf16", base::chosen());
    settings_.declare(t);
    t.add("step", settings_.step, std::uint64_t{1}, {1, std::uint64_t{1} << 32},
          "number of this step, from 1 on, for the bias correction", base::chosen());
  }
  std::vector<CaseTensor> tensors() const override {
    const auto matrix = [&](const char* name, isa::DType dtype, Role role) {
      return CaseTensor{name, dtype, {rows_, columns_}, role};
    };
    CaseTensor v = matrix("v", isa::DType::kFp32, Role::kInput);
    // A mean of squares is not negative.
    v.make = [](runtime::HostTensor& tensor, std::uint64_t seed) {
      auto* values = reinterpret_cast<float*>(tensor.values.data());
      const runtime::GeneratedValues roots(seed, tensor.name);
      for (std::uint64_t i = 0; i < tensor.elements(); ++i) values[i] = roots[i] * roots[i];
    };
    std::vector<CaseTensor> all{matrix("p", isa::DType::kFp32, Role::kInput),
                                matrix("g", gradient(), Role::kInput),
                                matrix("m", isa::DType::kFp32, Role::kInput),
                                std::move(v),
                                matrix("p_next", isa::DType::kFp32, Role::kOutput),
                                matrix("m_next", isa::DType::kFp32, Role::kOutput),
                                matrix("v_next", isa::DType::kFp32, Role::kOutput)};
    if (copy_) all.push_back(matrix("p_copy", isa::DType::kBf16, Role::kOutput));
    return all;
  }
  std::uint64_t units() const override { return rows_; }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return adam_program(machine, {part.count, columns_, gradient(), copy_}, settings_);
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    const AdamValues in{values.at("p"), values.at("g"), values.at("m"), values.at("v"), settings_};
    const auto check = [&](const char* name, AdamOutput output) {
      return check_adam(in, output, values.at(name), maker(name));
    };
    runtime::GoldenResult result = check("p_next", AdamOutput::kParameter);
    result.add(check("m_next", AdamOutput::kFirstMoment));
    result.add(check("v_next", AdamOutput::kSecondMoment));
    if (copy_) result.add(check("p_copy", AdamOutput::kParameter));
    return result;
  }

 private:
  isa::DType gradient() const { return gradient_; }

  std::uint64_t rows_ = 0, columns_ = 0;
  isa::DType gradient_{};
  bool copy_ = false;
  AdamSettings settings_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_adam() { return std::make_unique<AdamCase>(); }

}  // namespace tahoma::workloads
