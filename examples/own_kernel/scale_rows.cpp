// SPDX-License-Identifier: Apache-2.0
// A user's kernel: y[r] = factor[r] * x[r] for rows of x in bf16 and a factor of fp32 for each row. Rows are
// sharded over cores; each core loads 128 rows at a time into SBUF, and the vector engine multiplies them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/kinds/registry.h"
#include "runtime/builder/kernel.h"
#include "workloads/common/definition.h"
#include "workloads/common/kernel_case.h"

namespace {

using namespace tahoma;
using isa::DType;

constexpr std::uint64_t kBuffers = 3;  // one tile loads, one computes, one is stored

class ScaleRows final : public workloads::KernelCase {
 public:
  ScaleRows() : KernelCase({"x", "factor"}) {}

  double useful_flops() const override { return static_cast<double>(rows_) * static_cast<double>(columns_); }
  DType compute_dtype() const override { return DType::kBf16; }
  std::string describe() const override { return fmt::format("scale_rows {}x{}", rows_, columns_); }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    t.add("rows", rows_, std::uint64_t{256}, {1, std::uint64_t{1} << 24}, "rows of x and y", base::chosen());
    t.add("columns", columns_, std::uint64_t{512}, {1, 16384}, "columns of x and y", base::chosen());
  }

  std::vector<workloads::CaseTensor> tensors() const override {
    using workloads::Role;
    return {{"x", DType::kBf16, {rows_, columns_}, Role::kInput},
            {"factor", DType::kFp32, {rows_, 1}, Role::kInput},
            {"y", DType::kBf16, {rows_, columns_}, Role::kOutput}};
  }

  std::uint64_t units() const override { return rows_; }

  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    const std::uint64_t height = std::min<std::uint64_t>(machine.chip.core.sbuf.partitions, part.count);
    const auto columns = static_cast<unsigned>(columns_);
    runtime::Kernel k("scale_rows", machine);
    const auto x = k.argument("x", DType::kBf16, part.count, columns_);
    const auto factor = k.argument("factor", DType::kFp32, part.count, 1);
    const auto y = k.argument("y", DType::kBf16, part.count, columns_);
    const auto xs = k.sbuf("x", DType::kBf16, columns, kBuffers);
    const auto factors = k.sbuf("factor", DType::kFp32, 1, kBuffers);
    const auto ys = k.sbuf("y", DType::kBf16, columns, kBuffers);
    for (std::uint64_t row = 0; row < part.count; row += height) {
      const auto rows = static_cast<unsigned>(std::min(height, part.count - row));
      const auto x_tile = k.take(xs, rows, columns), factor_tile = k.take(factors, rows, 1),
                 y_tile = k.take(ys, rows, columns);
      k.load(x_tile, x.window(row, 0, rows, columns));
      k.load(factor_tile, factor.window(row, 0, rows, 1));
      k.tensor_scalar(y_tile, x_tile, isa::AluOp::kMult, {0, &factor_tile});
      k.store(y.window(row, 0, rows, columns), y_tile, isa::Queue::kGpSimd);
    }
    return k.finish();
  }

  // The definition, in double. The product is rounded once to fp32 and once to bf16.
  runtime::GoldenResult compare(const workloads::CaseValues& values, const MakerOf& maker) const override {
    const auto definition = [&](std::uint64_t row) {
      const double factor = workloads::row_of(values.at("factor"), row)[0];
      runtime::WantedRow wanted;
      for (const double x : workloads::row_of(values.at("x"), row)) {
        wanted.want.push_back(factor * x);
        wanted.slack.push_back(workloads::kUnit * std::fabs(factor * x));
      }
      return wanted;
    };
    return runtime::check_rows(values.at("y"), definition, runtime::unit_roundoff(DType::kBf16),
                               "bf16 rounding of want +- 2^-24 * |want|", maker("y"));
  }

 private:
  std::uint64_t rows_ = 0, columns_ = 0;
};

}  // namespace

// The kinds of this program: the shipped ones, and scale_rows.
const std::vector<tahoma::runtime::WorkloadKind>& tahoma::runtime::workload_kinds() {
  static const std::vector<WorkloadKind> kinds = [] {
    std::vector<WorkloadKind> all = workloads::shipped_kinds();
    all.push_back({"scale_rows", "y[r] = factor[r] * x[r]", [] { return std::make_unique<ScaleRows>(); }});
    return all;
  }();
  return kinds;
}
