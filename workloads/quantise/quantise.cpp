// SPDX-License-Identifier: Apache-2.0
#include "workloads/quantise/quantise.h"

#include "workloads/common/rows_case.h"
#include "workloads/quantise/quantise_definition.h"
#include "workloads/quantise/quantise_kernel.h"

namespace tahoma::workloads {

namespace {

class Scaled : public RowsCase {
 protected:
  using RowsCase::RowsCase;

  void declare_parameters(base::ParamTree& t) override {
    RowsCase::declare_parameters(t);
    t.add("fp8", fp8_, std::string("fp8_e4m3"), {"fp8_e4m3", "fp8_e5m2", "fp8_e3m4"}, "element type of y",
          base::chosen());
    t.add("group", group_, std::string("row"), {"row", "block"},
          "what has a scale: a row, or 128 columns of a row", base::chosen());
  }
  QuantiseShape shape(std::uint64_t rows) const {
    return {rows, columns(), compute_dtype(), *isa::dtype_from_name(fp8_),
            group_ == "row" ? Group::kRow : Group::kBlock};
  }
  CaseTensor narrow(Role role) const { return {"y", shape(0).narrow, {rows(), columns()}, role}; }
  CaseTensor scales(Role role) const {
    return {"scale", isa::DType::kFp32, {rows(), shape(0).groups()}, role};
  }

 private:
  std::string fp8_, group_;
};

class QuantiseCase final : public Scaled {
 public:
  QuantiseCase() : Scaled("quantise", {"x"}) {}
  // A comparison and a product.
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
