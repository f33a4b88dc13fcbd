// SPDX-License-Identifier: Apache-2.0
#include "workloads/mlp/mlp.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "isa/table/table_names.h"
#include "model/base/error.h"
#include "workloads/common/kernel_case.h"
#include "workloads/mlp/golden_mlp.h"
#include "workloads/mlp/mlp_kernel.h"

namespace tahoma::workloads {

namespace {

constexpr std::array kActivations{isa::ActFn::kSilu, isa::ActFn::kGelu, isa::ActFn::kGeluTanh,
                                  isa::ActFn::kGeluSigmoid, isa::ActFn::kRelu};

class MlpCase final : public KernelCase {
 public:
  MlpCase() : KernelCase({"x", "gate", "up", "down", "up_bias", "down_bias"}) {}

  // Products and sums of the matrices only.
  double useful_flops() const override {
    const double matrices = gated_ ? 3 : 2;
    return 2 * matrices * static_cast<double>(tokens_) * static_cast<double>(features_) *
           static_cast<double>(hidden_);
  }
  isa::DType compute_dtype() const override { return dtype_; }
  std::string describe() const override {
    return fmt::format("mlp {} tokens, {} features, {} hidden, {} {}{} on {} cores", tokens_, features_,
                       hidden_, isa::name_of(dtype_), gated_ ? "gated " : "", isa::name_of(activation_),
                       cores());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    const base::Range<std::uint64_t> extent{1, std::uint64_t{1} << 20};
    t.add("tokens", tokens_, std::uint64_t{512}, extent, "rows of x and y", base::chosen());
    t.add("features", features_, std::uint64_t{4096}, extent, "columns of x and y", base::chosen());
    t.add("hidden", hidden_, std::uint64_t{14336}, extent, "columns of gate and up, rows of down",
          base::chosen());
    t.add("dtype", dtype_, isa::DType::kBf16, {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32},
          "element type of x, y, h and the matrices; sums are fp32", base::chosen());
    t.add("activation", activation_, kActivations.front(), base::Choice<isa::ActFn>(kActivations),
          "function of the gate, or of up without one", base::chosen());
    t.add("gated", gated_, true, "h = activation(x gate) * (x up); if false, activation(x up)",
          base::chosen());
    t.add("bias", bias_, false, "fp32 biases of up and down; not with a gate", base::chosen());
  }
  void check_sizes(const model::MachineParams& /*machine*/) const override {
    if (gated_ && bias_)
      throw base::UserError("E-RUN-093", "workload.bias", "a gated MLP has no biases; expected false");
  }
  std::vector<CaseTensor> tensors() const override {
    const isa::DType dtype = compute_dtype();
    CaseTensor x{"x", dtype, {tokens_, features_}, Role::kInput};
    x.layout = HbmLayout::kTransposed;
    CaseTensor y{"y", dtype, {tokens_, features_}, Role::kOutput};
    y.layout = HbmLayout::kTransposed;
    std::vector<CaseTensor> all{x};
    if (gated_) all.push_back(weights("gate", features_, hidden_));
    all.push_back(weights("up", features_, hidden_));
    all.push_back(weights("down", hidden_, features_));
    if (bias_) {
      all.push_back({"up_bias", isa::DType::kFp32, {hidden_, 1}, Role::kInput, Sharding::kReplicated});
      all.push_back({"down_bias", isa::DType::kFp32, {features_, 1}, Role::kInput, Sharding::kReplicated});
    }
    all.push_back(y);
    return all;
  }
  std::uint64_t units() const override { return tokens_; }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return mlp_program(machine, {part.count, features_, hidden_, compute_dtype(), function(), gated_, bias_});
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    const auto find = [&](const char* name) {
      const auto found = values.find(name);
      return found == values.end() ? nullptr : &found->second;
    };
    return check_mlp({values.at("x"), find("gate"), values.at("up"), values.at("down"), find("up_bias"),
                      find("down_bias")},
                     function(), values.at("y"), maker("y"));
  }

 private:
  // Values from the seed are scaled so that sums do not grow with their length.
  CaseTensor weights(const char* name, std::uint64_t rows, std::uint64_t columns) const {
    CaseTensor tensor{name, compute_dtype(), {rows, columns}, Role::kInput, Sharding::kReplicated};
    const float scale = std::exp2(-std::floor(std::log2(static_cast<float>(rows)) / 2));
    tensor.make = [scale](runtime::HostTensor& values, std::uint64_t seed) {
      const std::size_t size = isa::size_of(values.dtype);
      const runtime::GeneratedValues drawn(seed, values.name);
      for (std::uint64_t i = 0; i < values.elements(); ++i)
        isa::store_from_fp32(values.values.data() + i * size, values.dtype, scale * drawn[i]);
    };
    return tensor;
  }

  isa::ActFn function() const { return activation_; }

  std::uint64_t tokens_ = 0, features_ = 0, hidden_ = 0;
  isa::DType dtype_{};
  isa::ActFn activation_{};
  bool gated_ = true, bias_ = false;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_mlp() { return std::make_unique<MlpCase>(); }

}  // namespace tahoma::workloads
