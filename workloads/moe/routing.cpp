// SPDX-License-Identifier: Apache-2.0
#include "workloads/moe/routing.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "workloads/common/kernel_case.h"
#include "workloads/moe/routing_definition.h"
#include "workloads/moe/routing_kernel.h"

namespace tahoma::workloads {

namespace {

std::vector<std::string> input_names(bool from_hidden) {
  return from_hidden ? std::vector<std::string>{"x", "w"} : std::vector<std::string>{"logits"};
}

// Inputs are the logits of a router, or tokens and the router's weights: two kinds, because their inputs
// differ.
class Routing final : public KernelCase {
 public:
  explicit Routing(bool from_hidden) : KernelCase(input_names(from_hidden)), from_hidden_(from_hidden) {}

  // Only the router's product counts; the rest is decisions.
  double useful_flops() const override {
    return 2.0 * static_cast<double>(tokens_ * experts_ * (from_hidden_ ? hidden_ : 1));
  }
  isa::DType compute_dtype() const override { return from_hidden_ ? dtype_ : isa::DType::kFp32; }
  std::string describe() const override {
    return fmt::format(
        "moe_routing of {} tokens to {} of {} experts{} on {} cores", tokens_, top_k_, experts_,
        from_hidden_ ? fmt::format(", from {} {}", hidden_, isa::name_of(dtype_)) : "", cores());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    t.add("tokens", tokens_, std::uint64_t{4096}, {1, std::uint64_t{1} << 22}, "tokens to route",
          base::chosen());
    t.add("experts", experts_, std::uint64_t{64}, {1, 512}, "experts to choose from", base::chosen());
    t.add("top_k", top_k_, std::uint64_t{2}, {1, kMostChosen}, "experts of a token", base::chosen());
    t.add("normalised", normalised_, true, "gates of a token add up to 1; else they are softmax over all",
          base::chosen());
    if (!from_hidden_) return;
    t.add("hidden", hidden_, std::uint64_t{4096}, {1, 16384}, "elements of a token", base::chosen());
    t.add("dtype", dtype_, isa::DType::kBf16, {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32},
          "element type of x and w; logits are fp32", base::chosen());
  }
  void check_sizes(const model::MachineParams&) const override {
    if (top_k_ > experts_)
      throw base::UserError(
          "E-RUN-097", "workload.top_k",
          fmt::format("expected at most the {} experts there are, got {}", experts_, top_k_));
  }
  std::vector<CaseTensor> tensors() const override {
    const isa::DType wide = isa::DType::kFp32, whole = isa::DType::kInt32;
    std::vector<CaseTensor> all;
    if (from_hidden_) {
      all.push_back({"x", compute_dtype(), {tokens_, hidden_}});
      all.back().layout = HbmLayout::kTransposed;
      all.push_back({"w", compute_dtype(), {hidden_, experts_}, Role::kInput, Sharding::kReplicated});
    }
    all.push_back({"logits", wide, {tokens_, experts_}, from_hidden_ ? Role::kOutput : Role::kInput});
    all.push_back({"chosen", whole, {tokens_, top_k_}, Role::kOutput});
    all.push_back({"gates", wide, {tokens_, top_k_}, Role::kOutput});
    all.push_back({"places", whole, {tokens_, top_k_}, Role::kOutput});
    all.push_back({"counts", whole, {cores_used(), experts_}, Role::kOutput, Sharding::kPerGroup});
    return all;
  }
  std::uint64_t units() const override { return tokens_; }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return routing_program(
        machine, {part.count, experts_, top_k_, from_hidden_ ? hidden_ : 0, normalised_, compute_dtype()});
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    RoutingTensors t{values.at("logits"), values.at("chosen"), values.at("gates"), values.at("places"),
                     values.at("counts")};
    if (from_hidden_) {
      t.x = &values.at("x");
      t.w = &values.at("w");
    }
    t.normalised = normalised_;
    for (std::uint64_t core = 0; core < cores_used(); ++core)
      t.tokens_of_core.push_back(runtime::part_of(tokens_, cores(), core).count);
    return check_routing(t, maker);
  }

 private:
  bool from_hidden_, normalised_ = true;
  std::uint64_t tokens_ = 0, experts_ = 0, top_k_ = 0, hidden_ = 0;
  isa::DType dtype_{};
};

}  // namespace

std::unique_ptr<runtime::Workload> make_moe_routing() { return std::make_unique<Routing>(false); }
std::unique_ptr<runtime::Workload> make_moe_router() { return std::make_unique<Routing>(true); }

}  // namespace tahoma::workloads
