// SPDX-License-Identifier: Apache-2.0
#include "workloads/rope/rope.h"

#include <fmt/format.h>

#include <cmath>

#include "model/base/error.h"
#include "workloads/common/kernel_case.h"
#include "workloads/common/row_numbers.h"
#include "workloads/rope/rope_definition.h"
#include "workloads/rope/rope_kernel.h"

namespace tahoma::workloads {

namespace {

// The pairs of elements that rotate together: i and i + d/2, or 2 i and 2 i + 1.
enum class Pairs : std::uint8_t { kHalves, kInterleaved };
constexpr base::Named<Pairs> kPairs[] = {{Pairs::kHalves, "halves"}, {Pairs::kInterleaved, "interleaved"}};

using runtime::HostTensor;

// Row p has cos and sin of p base^(-2 i / d).
void fill_angles(HostTensor& table, double base) {
  const std::uint64_t d = table.columns(), half = d / 2;
  const std::size_t size = isa::size_of(table.dtype);
  for (std::uint64_t p = 0; p < table.rows(); ++p)
    for (std::uint64_t i = 0; i < half; ++i) {
      const double angle =
          static_cast<double>(p) * std::pow(base, -static_cast<double>(2 * i) / static_cast<double>(d));
      std::byte* at = table.values.data() + (p * d + i) * size;
      isa::store_from_fp32(at, table.dtype, static_cast<float>(std::cos(angle)));
      isa::store_from_fp32(at + half * size, table.dtype, static_cast<float>(std::sin(angle)));
    }
}

class Rope final : public KernelCase {
 public:
  Rope() : KernelCase({"x", "table", "positions"}) {}

  // Two products and a sum for each element.
  double useful_flops() const override { return 3.0 * static_cast<double>(tokens_ * heads_ * d_); }
  isa::DType compute_dtype() const override { return dtype_; }
  std::string describe() const override {
    return fmt::format("rope of {} tokens, {} heads of {}, {}, {} on {} cores", tokens_, heads_, d_,
                       base::name_in(kPairs, pairs_), isa::name_of(dtype_), cores());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    t.add("tokens", tokens_, std::uint64_t{2048}, {1, std::uint64_t{1} << 24}, "tokens of x and y",
          base::chosen());
    t.add("heads", heads_, std::uint64_t{32}, {1, 4096}, "heads of a token", base::chosen());
    t.add("d", d_, std::uint64_t{128}, {2, 512}, "elements of a head, an even number", base::chosen());
    t.add("pairs", pairs_, Pairs::kHalves, kPairs,
          "elements i and i + d/2 rotate together, or 2 i and 2 i + 1", base::chosen());
    t.add("positions", positions_, std::uint64_t{0}, {0, 1 << 22},
          "rows of the table of angles, looked up by the input `positions`; 0: a row for each token",
          base::chosen());
    t.add("base", base_, 10000.0, {1, 1e9}, "base of the angles, if the table is not an input",
          base::chosen());
    t.add("dtype", dtype_, isa::DType::kBf16, {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32},
          "element type of x, y and the table", base::chosen());
  }
  void check_sizes(const model::MachineParams&) const override {
    if (d_ % 2 != 0)
      throw base::UserError("E-RUN-096", "workload.d", fmt::format("expected an even number, got {}", d_));
  }
  std::vector<CaseTensor> tensors() const override {
    const std::vector<std::uint64_t> shape{tokens_, heads_, d_};
    std::vector<CaseTensor> all{{"x", compute_dtype(), shape}};
    all.push_back({"table", compute_dtype(), {tokens_, d_}});
    all.back().make = [this](HostTensor& table, std::uint64_t) { fill_angles(table, base_); };
    if (positions_ > 0) {
      all.back().shape[0] = positions_;
      all.back().sharding = Sharding::kReplicated;
      all.push_back({"positions", isa::DType::kInt32, {tokens_, 1}});
      all.back().control = true;
      all.back().make = any_rows_below(positions_);
      all.back().refuse = refuse_rows_beyond(positions_);
    }
    all.push_back({"y", compute_dtype(), shape, Role::kOutput});
    return all;
  }
  std::uint64_t units() const override { return tokens_; }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return rope_program(machine, {part.count, heads_, d_, interleaved(), positions_, compute_dtype()});
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    const auto positions = values.find("positions");
    return check_rope({values.at("x"), values.at("table"), values.at("y"),
                       positions == values.end() ? nullptr : &positions->second, interleaved()},
                      maker("y"));
  }

 private:
  bool interleaved() const { return pairs_ == Pairs::kInterleaved; }

  std::uint64_t tokens_ = 0, heads_ = 0, d_ = 0, positions_ = 0;
  double base_ = 0;
  Pairs pairs_{};
  isa::DType dtype_{};
};

}  // namespace

std::unique_ptr<runtime::Workload> make_rope() { return std::make_unique<Rope>(); }

}  // namespace tahoma::workloads
