// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/gemm.h"

#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/host/host_threads.h"
#include "runtime/run/inputs.h"
#include "workloads/gemm/gemm_params.h"
#include "workloads/gemm/gemm_programs.h"
#include "workloads/gemm/golden_gemm.h"
#include "workloads/gemm/kernel/gemm_layout.h"
#include "workloads/gemm/kernel/sparsity.h"

namespace tahoma::workloads {

namespace {

using runtime::HostTensor;
using runtime::Machine;
using runtime::Tensor;

// Not a KernelCase, because cores share tiles of a and b and add up partial sums over NeuronLink.
class Gemm final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override { params_.declare(t); }

  void check(const model::MachineParams& machine) const override {
    params_.check();
    runtime::check_shard(machine, params_.shard());
    const auto groups = gemm_groups(machine, shape(), params_.shard());
    if (groups.front().ranks() == 1) return;
    runtime::collective::Estimates estimates(machine);
    GemmSum(estimates, groups.front(), {}, params_.algorithm());
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    seed_ = seed;
    layout_.emplace(machine, shape(), params_.shard(), params_.algorithm());
    programs_.load(machine, *layout_, params_.nest());
    for (const GemmTile& tile : layout_->tiles())
      for (const Tensor* input : {&tile.a, &tile.b, &tile.tags, &tile.bias, &tile.residual})
        if (!input->shape.empty()) machine.declare_input(*input);
    if (machine.functional()) place_inputs(machine);
  }

  runtime::GoldenResult verify(Machine& machine) override {
    HostTensor a, b, c;
    runtime::in_parallel({[&] { a = this->a(); }, [&] { b = this->b(); }, [&] { c = gather(machine); }});
    const model::MachineParams& params = machine.params();
    const GemmEpilogue& behind = shape().epilogue;
    const HostTensor bias = this->bias(), residual = this->residual();
    const ProductEpilogue epilogue{behind.bias == BiasOf::kRows ? &bias : nullptr,
                                   behind.bias == BiasOf::kColumns ? &bias : nullptr, behind.activation,
                                   behind.residual ? &residual : nullptr};
    runtime::GoldenResult result = check_gemm(
        a, b, c,
        [&](std::uint64_t row, std::uint64_t column) {
          return runtime::core_name(params, layout_->maker(row, column).core);
        },
        epilogue, shape().sparse() ? shape().partitions() : 0);
    correct_ = result.passed();
    return result;
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    HostTensor c = gather(machine);
    return {{"c", c.dtype, c.shape, std::move(c.values)}};
  }

  std::vector<runtime::CollectiveResult> collectives(Machine& machine, const base::RunMeasurement&) override {
    return programs_.sums(machine.params(), *layout_, correct_);
  }

  double useful_flops() const override {
    const GemmShape s = shape();
    const double all = 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    return s.sparse() ? all / isa::row_of(s.mode).slices : all;  // of a sparse A only the kept weights
  }
  isa::DType compute_dtype() const override { return shape().dtype; }
  isa::MatmulMode compute_mode() const override { return shape().mode; }

  std::uint32_t cores_used() const override {
    const runtime::Shard shard = params_.shard();
    return static_cast<std::uint32_t>(runtime::parts_used(shape().m, shard.m) *
                                      runtime::parts_used(shape().n, shard.n) *
                                      runtime::parts_used(shape().k, shard.k));
  }

  std::string describe() const override { return params_.describe(); }

 private:
  GemmShape shape() const { return params_.shape(); }
  // A sparse operand as the machine uses it, including zeros.
  HostTensor a() const {
    const std::string& file = params_.inputs().a;
    HostTensor a = runtime::input(file, "a", shape().dtype, {shape().m, shape().k}, seed_);
    if (shape().sparse() && file.empty()) prune(a, shape().mode);
    if (shape().sparse() && !file.empty()) check_pruned(a, shape().mode, file);
    return a;
  }
  HostTensor b() const {
    return runtime::input(params_.inputs().b, "b", shape().dtype, {shape().k, shape().n}, seed_);
  }
  HostTensor bias() const {
    if (shape().epilogue.bias == BiasOf::kNone) return {};
    const std::vector<std::uint64_t> extents = shape().epilogue.bias == BiasOf::kRows
                                                   ? std::vector<std::uint64_t>{shape().m, 1}
                                                   : std::vector<std::uint64_t>{1, shape().n};
    return runtime::input(params_.inputs().bias, "bias", isa::DType::kFp32, extents, seed_);
  }
  HostTensor residual() const {
    if (!shape().epilogue.residual) return {};
    return runtime::input(params_.inputs().residual, "residual", shape().out, {shape().m, shape().n}, seed_);
  }

  void place_inputs(Machine& machine) const {
    const HostTensor a_values = a(), b_values = b(), bias_values = bias(), residual_values = residual();
    std::set<std::uint64_t> planned;  // shared pieces are written once
    std::vector<std::function<void()>> pieces;
    for (const GemmTile& tile : layout_->tiles()) {
      if (planned.insert(tile.a.address).second)
        pieces.emplace_back([&] { place_a(machine, a_values, tile); });
      if (planned.insert(tile.b.address).second)
        pieces.emplace_back([&] { place_b(machine, b_values, tile); });
    }
    runtime::in_parallel(pieces);
    for (const GemmTile& tile : layout_->tiles()) {
      if (shape().epilogue.bias == BiasOf::kRows)
        copy_window(bias_values, {tile.m.first, 0, tile.m.count, 1}, machine.bytes(tile.bias));
      if (shape().epilogue.bias == BiasOf::kColumns)
        copy_window(bias_values, {0, tile.n.first, 1, tile.n.count}, machine.bytes(tile.bias));
      if (shape().epilogue.residual)
        copy_window(residual_values, {tile.m.first, tile.n.first, tile.m.count, tile.n.count},
                    machine.bytes(tile.residual));
    }
  }
  static void place_b(Machine& machine, const HostTensor& b_values, const GemmTile& tile) {
    clear(machine, tile.b);
    copy_window(b_values, {tile.k.first, tile.n.first, tile.k.count, tile.n.count}, machine.bytes(tile.b));
  }
  void place_a(Machine& machine, const HostTensor& a_values, const GemmTile& tile) const {
    const runtime::Window window{tile.m.first, tile.k.first, tile.m.count, tile.k.count};
    if (shape().sparse())
      return compress(a_values, window, shape().mode, machine.bytes(tile.a), machine.bytes(tile.tags));
    clear(machine, tile.a);
    if (shape().a_by_rows) return copy_window(a_values, window, machine.bytes(tile.a));
    copy_window_transposed(a_values, window, machine.bytes(tile.a));
  }
  // Rows after the contraction that fill a group are zero, and so are the rows after an `a` by rows.
  static void clear(Machine& machine, const Tensor& tensor) {
    std::memset(machine.bytes(tensor), 0, tensor.bytes());
  }

  HostTensor gather(Machine& machine) const {
    HostTensor c = runtime::make_tensor("c", shape().out, {shape().m, shape().n});
    for (const GemmTile& tile : layout_->tiles())
      if (tile.own.count > 0)
        paste_window(c, {tile.own.first, tile.n.first, tile.own.count, tile.n.count}, machine.bytes(tile.c));
    return c;
  }

  GemmParams params_;
  std::uint64_t seed_ = 0;
  std::optional<GemmLayout> layout_;
  GemmPrograms programs_;
  std::optional<bool> correct_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_gemm() { return std::make_unique<Gemm>(); }

}  // namespace tahoma::workloads
