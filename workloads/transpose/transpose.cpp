// SPDX-License-Identifier: Apache-2.0
#include "workloads/transpose/transpose.h"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/common/kernel_case.h"
#include "workloads/transpose/transpose_kernel.h"

namespace tahoma::workloads {

namespace {

constexpr base::Named<TransposeBy> kWays[] = {{TransposeBy::kTensor, "tensor"}, {TransposeBy::kDma, "dma"}};

class Transpose final : public KernelCase {
 public:
  Transpose() : KernelCase({"x"}) {}

  double useful_flops() const override { return 0; }
  isa::DType compute_dtype() const override { return dtype_; }
  std::string describe() const override {
    return fmt::format("transpose {}x{} {} by {} on {} cores", rows_, columns_, isa::name_of(dtype_),
                       base::name_in(kWays, by_), cores());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    t.add("rows", rows_, std::uint64_t{1024}, {1, std::uint64_t{1} << 20}, "rows of x", base::chosen());
    t.add("columns", columns_, std::uint64_t{1024}, {1, std::uint64_t{1} << 20}, "columns of x",
          base::chosen());
    t.add("dtype", dtype_, isa::DType::kBf16,
          {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32, isa::DType::kInt16, isa::DType::kUint16,
           isa::DType::kInt32, isa::DType::kUint32},
          "element type of x and y", base::chosen());
    t.add("by", by_, TransposeBy::kTensor, kWays,
          "engine that transposes: the tensor engine or the DMA engines", base::chosen());
  }
  std::vector<CaseTensor> tensors() const override {
    return {{"x", compute_dtype(), {rows_, columns_}, Role::kInput, Sharding::kReplicated},
            {"y", compute_dtype(), {columns_, rows_}, Role::kOutput}};
  }
  std::uint64_t units() const override { return columns_; }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return transpose_program(machine, {rows_, columns_, part.first, part.count,
                                       static_cast<unsigned>(isa::size_of(compute_dtype())), by_});
  }
  std::uint64_t program_key(const runtime::Part& part) const override { return part.first; }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    runtime::HostTensor want = runtime::make_tensor("y", compute_dtype(), {columns_, rows_});
    runtime::copy_window_transposed(values.at("x"), {0, 0, rows_, columns_}, want.values.data());
    return runtime::check_moved(want, values.at("y"), maker("y"));
  }

 private:
  std::uint64_t rows_ = 0, columns_ = 0;
  isa::DType dtype_{};
  TransposeBy by_{};
};

}  // namespace

std::unique_ptr<runtime::Workload> make_transpose() { return std::make_unique<Transpose>(); }

}  // namespace tahoma::workloads
