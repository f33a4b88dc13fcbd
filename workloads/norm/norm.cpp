// SPDX-License-Identifier: Apache-2.0
#include "workloads/norm/norm.h"

#include "workloads/common/rows_case.h"
#include "workloads/norm/layer_norm_kernel.h"
#include "workloads/norm/norm_backward_kernel.h"
#include "workloads/norm/norm_definition.h"
#include "workloads/norm/softmax_kernel.h"

namespace tahoma::workloads {

namespace {

class SoftmaxCase final : public RowsCase {
 public:
  SoftmaxCase() : RowsCase("softmax", {"x"}) {}
  // An element takes a comparison, a difference, an exponential, an addition and a product.
  double useful_flops() const override { return 5 * elements(); }

 protected:
  std::vector<CaseTensor> tensors() const override {
    return {matrix("x", Role::kInput), matrix("y", Role::kOutput)};
  }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return softmax_program(machine, {part.count, columns(), compute_dtype()});
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    return check_softmax(values.at("x"), values.at("y"), maker("y"));
  }
};

class SoftmaxBackwardCase final : public RowsCase {
 public:
  SoftmaxBackwardCase() : RowsCase("softmax_backward", {"y", "dy"}) {}
  // An element takes a product and an addition, a difference and a product.
  double useful_flops() const override { return 4 * elements(); }

 protected:
  std::vector<CaseTensor> tensors() const override {
    return {matrix("y", Role::kInput), matrix("dy", Role::kInput), matrix("dx", Role::kOutput)};
  }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return softmax_backward_program(machine, {part.count, columns(), compute_dtype()});
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    return check_softmax_backward(values.at("y"), values.at("dy"), values.at("dx"), maker("dx"));
  }
};

class LayerNormCase final : public RowsCase {
 public:
  LayerNormCase() : RowsCase("layer_norm", {"x", "g", "b"}) {}
  // An element takes an addition; a difference, a square and an addition; a difference, two products and an
  // addition.
  double useful_flops() const override { return 8 * elements(); }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    RowsCase::declare_parameters(t);
    t.add("epsilon", epsilon_, 1e-5, {0, 1}, "added to the variance", base::chosen());
  }
  std::vector<CaseTensor> tensors() const override {
    return {matrix("x", Role::kInput),
            vector("g"),
            vector("b"),
            matrix("y", Role::kOutput),
            column("mean", Role::kOutput),
            column("rstd", Role::kOutput)};
  }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return layer_norm_program(machine,
                              {part.count, columns(), compute_dtype(), static_cast<float>(epsilon_)});
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    const LayerNormValues in{values.at("x"), values.at("g"), values.at("b"), epsilon_};
    runtime::GoldenResult result = check_layer_norm(in, values.at("y"), maker("y"));
    result.add(check_layer_norm_mean(in, values.at("mean"), maker("mean")));
    result.add(check_layer_norm_rstd(in, values.at("rstd"), maker("rstd")));
    return result;
  }

 private:
  double epsilon_ = 0;
};

class LayerNormBackward final : public RowsCase {
 public:
  LayerNormBackward() : RowsCase("layer_norm_backward", {"x", "dy", "g", "mean", "rstd"}) {}
  // Two for x normalised, two for h, three for both sums, three for the gradients of gain and bias, four for
  // dx.
  double useful_flops() const override { return 14 * elements(); }

 protected:
  std::vector<CaseTensor> tensors() const override {
    CaseTensor rstd = column("rstd", Role::kInput);
    // The values are positive, like those of rows of numbers of about 1.
    rstd.make = [](runtime::HostTensor& tensor, std::uint64_t seed) {
      auto* values = reinterpret_cast<float*>(tensor.values.data());
      const runtime::GeneratedValues drawn(seed, tensor.name);
      for (std::uint64_t i = 0; i < tensor.elements(); ++i) values[i] = 1.25F + 0.75F * drawn[i];
    };
    return {matrix("x", Role::kInput), matrix("dy", Role::kInput),  vector("g"), column("mean", Role::kInput),
            std::move(rstd),           matrix("dx", Role::kOutput), sums("dg"),  sums("db")};
  }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return layer_norm_backward_program(machine, {part.count, columns(), compute_dtype()});
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    const NormBackwardValues in{values.at("x"), values.at("dy"), values.at("g"), &values.at("mean"),
                                &values.at("rstd")};
    runtime::GoldenResult result = check_norm_backward(in, values.at("dx"), maker("dx"));
    result.add(check_norm_gradient(in, Gradient::kGain, parts(), values.at("dg"), maker("dg")));
    result.add(check_norm_gradient(in, Gradient::kBias, parts(), values.at("db"), maker("db")));
    return result;
  }
};

class RmsNormBackward final : public RowsCase {
 public:
  RmsNormBackward() : RowsCase("rms_norm_backward", {"x", "dy", "g"}) {}
  // Two for the squares, one for x normalised, two for h, two for the sum, two for the gradient of the gain,
  // two for dx.
  double useful_flops() const override { return 11 * elements(); }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    RowsCase::declare_parameters(t);
    t.add("epsilon", epsilon_, 1e-5, {0, 1}, "added to the mean square", base::chosen());
  }
  std::vector<CaseTensor> tensors() const override {
    return {matrix("x", Role::kInput), matrix("dy", Role::kInput), vector("g"), matrix("dx", Role::kOutput),
            sums("dg")};
  }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return rms_norm_backward_program(machine,
                                     {part.count, columns(), compute_dtype(), static_cast<float>(epsilon_)});
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    const NormBackwardValues in{values.at("x"), values.at("dy"), values.at("g"), nullptr, nullptr, epsilon_};
    runtime::GoldenResult result = check_norm_backward(in, values.at("dx"), maker("dx"));
    result.add(check_norm_gradient(in, Gradient::kGain, parts(), values.at("dg"), maker("dg")));
    return result;
  }

 private:
  double epsilon_ = 0;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_softmax() { return std::make_unique<SoftmaxCase>(); }
std::unique_ptr<runtime::Workload> make_softmax_backward() { return std::make_unique<SoftmaxBackwardCase>(); }
std::unique_ptr<runtime::Workload> make_layer_norm() { return std::make_unique<LayerNormCase>(); }
std::unique_ptr<runtime::Workload> make_layer_norm_backward() {
  return std::make_unique<LayerNormBackward>();
}
std::unique_ptr<runtime::Workload> make_rms_norm_backward() { return std::make_unique<RmsNormBackward>(); }

}  // namespace tahoma::workloads
