// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "runtime/golden.h"
#include "runtime/inputs.h"
#include "workloads/gemm/gemm_layout.h"
#include "workloads/gemm/gemm_programs.h"

namespace tahoma::workloads {

namespace {

using runtime::HostTensor;
using runtime::Machine;

constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 20;

struct ShardParams {
  std::uint64_t m, n, k;
  void declare(base::ParamTree& t) {
    const base::Range<std::uint64_t> range{1, kMostExtent};
    t.add("m", m, std::uint64_t{1}, range, "parts of the rows of C", base::chosen());
    t.add("n", n, std::uint64_t{1}, range, "parts of the columns of C", base::chosen());
    t.add("k", k, std::uint64_t{1}, range, "parts of the contraction, summed over NeuronLink",
          base::chosen());
  }
};

struct InputParams {
  std::string a, b;
  void declare(base::ParamTree& t) {
    t.add("a", a, std::string(), {}, ".npy file of A [m, k]; empty: generated from the seed", base::chosen());
    t.add("b", b, std::string(), {}, ".npy file of B [k, n]; empty: generated from the seed", base::chosen());
  }
};

struct NestName {
  const char* name;
  GemmKernel nest;
};
constexpr std::array<NestName, 4> kNests{{{"chosen", GemmKernel::kChosen},
                                          {"naive", GemmKernel::kNaive},
                                          {"blocked", GemmKernel::kBlocked},
                                          {"row_loads", GemmKernel::kRowLoads}}};

std::vector<std::string> nest_names() {
  std::vector<std::string> names;
  for (const NestName& n : kNests) names.emplace_back(n.name);
  return names;
}

class Gemm final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override {
    const base::Range<std::uint64_t> extent{1, kMostExtent};
    t.add("m", m_, std::uint64_t{1024}, extent, "rows of A and C", base::chosen());
    t.add("n", n_, std::uint64_t{1024}, extent, "columns of B and C", base::chosen());
    t.add("k", k_, std::uint64_t{1024}, extent, "columns of A, rows of B", base::chosen());
    t.add("dtype", dtype_, std::string("bf16"), {"bf16", "fp16", "fp32"},
          "element type of A, B and C; sums are fp32", base::chosen());
    t.add("kernel", kernel_, std::string(kNests.front().name), nest_names(),
          "loop nest of a core: chosen for the machine, or a published one for comparison", base::chosen());
    t.add("algorithm", algorithm_, std::string("best"), GemmSum::algorithms(),
          "how partial sums are added up: auto (by size, as published), best (by closed forms), or a name",
          base::chosen());
    t.group("shard", shard_);
    t.group("inputs", inputs_);
  }

  void check(const model::MachineParams& machine) const override {
    runtime::check_shard(machine, shard());
    const auto groups = gemm_groups(machine, shape(), shard());
    if (groups.front().ranks() > 1) GemmSum(machine, groups.front(), {}, algorithm_);
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    seed_ = seed;
    layout_.emplace(machine, shape(), shard(), algorithm_);
    programs_.load(machine, *layout_, nest());
    for (const GemmTile& tile : layout_->tiles())
      for (const runtime::Tensor* input : {&tile.a, &tile.b}) machine.declare_input(*input);
    if (machine.functional()) place_inputs(machine);
  }

  runtime::GoldenResult verify(Machine& machine) override {
    const HostTensor c = gather(machine);
    const model::MachineParams& params = machine.params();
    runtime::GoldenResult result =
        runtime::check_gemm(a(), b(), c, [&](std::uint64_t row, std::uint64_t column) {
          return runtime::core_name(params, layout_->maker(row, column).core);
        });
    correct_ = result.passed;
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
    return 2.0 * static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);
  }
  isa::DType compute_dtype() const override { return *isa::dtype_from_name(dtype_); }

  std::uint32_t cores_used() const override {
    return static_cast<std::uint32_t>(runtime::parts_used(m_, shard_.m) * runtime::parts_used(n_, shard_.n) *
                                      runtime::parts_used(k_, shard_.k));
  }

  std::string describe() const override {
    return fmt::format("gemm {}x{}x{} {}, shard m{} n{} k{}{}", m_, n_, k_, dtype_, shard_.m, shard_.n,
                       shard_.k, nest() == GemmKernel::kChosen ? "" : ", kernel " + kernel_);
  }

 private:
  GemmKernel nest() const {
    return std::find_if(kNests.begin(), kNests.end(), [&](const NestName& n) { return n.name == kernel_; })
        ->nest;
  }
  runtime::Shard shard() const { return {shard_.m, shard_.n, shard_.k}; }
  GemmShape shape() const { return {m_, n_, k_, compute_dtype(), compute_dtype()}; }
  HostTensor a() const { return runtime::input(inputs_.a, "a", compute_dtype(), {m_, k_}, seed_, 0); }
  HostTensor b() const { return runtime::input(inputs_.b, "b", compute_dtype(), {k_, n_}, seed_, 1); }

  void place_inputs(Machine& machine) const {
    std::map<std::uint64_t, bool> placed;  // shared pieces are written once
    const HostTensor a_values = a(), b_values = b();
    for (const GemmTile& tile : layout_->tiles()) {
      if (!std::exchange(placed[tile.a.address], true))
        copy_window_transposed(a_values, {tile.m.first, tile.k.first, tile.m.count, tile.k.count},
                               machine.bytes(tile.a));
      if (!std::exchange(placed[tile.b.address], true))
        copy_window(b_values, {tile.k.first, tile.n.first, tile.k.count, tile.n.count},
                    machine.bytes(tile.b));
    }
  }

  HostTensor gather(Machine& machine) const {
    HostTensor c = runtime::make_tensor("c", compute_dtype(), {m_, n_});
    for (const GemmTile& tile : layout_->tiles())
      if (tile.own.count > 0)
        paste_window(c, {tile.own.first, tile.n.first, tile.own.count, tile.n.count}, machine.bytes(tile.c));
    return c;
  }

  std::uint64_t m_ = 0, n_ = 0, k_ = 0, seed_ = 0;
  std::string dtype_, kernel_, algorithm_;
  ShardParams shard_{};
  InputParams inputs_;
  std::optional<GemmLayout> layout_;
  GemmPrograms programs_;
  std::optional<bool> correct_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_gemm() { return std::make_unique<Gemm>(); }

}  // namespace tahoma::workloads
