// SPDX-License-Identifier: Apache-2.0
#include "workloads/quantise/quantise.h"

#include "workloads/common/rows_case.h"
#include "workloads/quantise/quantise_definition.h"
#include "workloads/quantise/quantise_kernel.h"

namespace tahoma::workloads {

namespace {

constexpr base::Named<Group> kGroups[] = {{Group::kRow, "row"}, {Group::kBlock, "block"}};

class Scaled : public RowsCase {
 protected:
  using RowsCase::RowsCase;

  void declare_parameters(base::ParamTree& t) override {
    RowsCase::declare_parameters(t);
    t.add("fp8", fp8_, isa::DType::kFp8E4M3,
          {isa::DType::kFp8E4M3, isa::DType::kFp8E5M2, isa::DType::kFp8E3M4}, "element type of y",
          base::chosen());
    t.add("group", group_, Group::kRow, kGroups,
          "elements with a common scale: a row, or 128 columns of a row", base::chosen());
  }
  QuantiseShape shape(std::uint64_t rows) const { return {rows, columns(), compute_dtype(), fp8_, group_}; }
  CaseTensor narrow(Role role) const { return {"y", shape(0).narrow, {rows(), columns()}, role}; }
  CaseTensor scales(Role role) const {
    return {"scale", isa::DType::kFp32, {rows(), shape(0).groups()}, role};
  }

 private:
  isa::DType fp8_{};
  Group group_{};
};

class QuantiseCase final : public Scaled {
 public:
  QuantiseCase() : Scaled("quantise", {"x"}) {}
  // An element takes a comparison and a product.
  double useful_flops() const override { return 2 * elements(); }

 protected:
  std::vector<CaseTensor> tensors() const override {
    return {matrix("x", Role::kInput), narrow(Role::kOutput), scales(Role::kOutput)};
  }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return quantise_program(machine, shape(part.count));
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    const runtime::HostTensor& x = values.at("x");
    runtime::GoldenResult result = check_quantised(x, shape(rows()), values.at("y"), maker("y"));
    result.add(check_scales(x, shape(rows()), values.at("scale"), maker("scale")));
    return result;
  }
};

class Dequantise final : public Scaled {
 public:
  Dequantise() : Scaled("dequantise", {"y", "scale"}) {}
  double useful_flops() const override { return elements(); }

 protected:
  std::vector<CaseTensor> tensors() const override {
    return {narrow(Role::kInput), scales(Role::kInput), matrix("x", Role::kOutput)};
  }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return dequantise_program(machine, shape(part.count));
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    return check_dequantised(values.at("y"), values.at("scale"), shape(rows()), values.at("x"), maker("x"));
  }
};

}  // namespace

std::unique_ptr<runtime::Workload> make_quantise() { return std::make_unique<QuantiseCase>(); }
std::unique_ptr<runtime::Workload> make_dequantise() { return std::make_unique<Dequantise>(); }

}  // namespace tahoma::workloads
