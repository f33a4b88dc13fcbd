// SPDX-License-Identifier: Apache-2.0
#include "workloads/loss/cross_entropy.h"

#include <fmt/format.h>

#include "workloads/common/kernel_case.h"
#include "workloads/common/row_numbers.h"
#include "workloads/loss/cross_entropy_definition.h"
#include "workloads/loss/cross_entropy_kernel.h"

namespace tahoma::workloads {

namespace {

using runtime::HostTensor;

class CrossEntropy final : public KernelCase {
 public:
  CrossEntropy() : KernelCase({"logits", "labels"}) {}

  // A subtraction, an exponential, a sum and a product for each logit.
  double useful_flops() const override { return 4.0 * static_cast<double>(rows_ * columns_); }
  isa::DType compute_dtype() const override { return dtype_; }
  std::string describe() const override {
    return fmt::format("cross_entropy {}x{} {} on {} cores", rows_, columns_, isa::name_of(dtype_), cores());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    t.add("rows", rows_, std::uint64_t{512}, {1, std::uint64_t{1} << 22}, "rows of logits, one label each",
          base::chosen());
    t.add("columns", columns_, std::uint64_t{32768}, {1, std::uint64_t{1} << 20}, "logits of a row",
          base::chosen());
    t.add("dtype", dtype_, isa::DType::kBf16, {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32},
          "element type of logits and gradient; losses are fp32", base::chosen());
  }
  std::vector<CaseTensor> tensors() const override {
    const isa::DType dtype = compute_dtype(), whole = isa::DType::kInt32, wide = isa::DType::kFp32;
    CaseTensor labels{"labels", whole, {rows_, 1}},
        starts{"starts", whole, {machine().chip.core.sbuf.partitions, 1}};
    labels.control = starts.control = true;
    labels.make = any_rows_below(columns_);
    labels.refuse = refuse_rows_beyond(columns_);
    starts.role = Role::kScratch;
    starts.sharding = Sharding::kReplicated;
    starts.make = [this](HostTensor& tensor, std::uint64_t) { fill_row_starts(tensor, columns_); };
    return {{"logits", dtype, {rows_, columns_}},
            labels,
            starts,
            {"places", whole, {rows_, 1}, Role::kScratch},
            {"gradient", dtype, {rows_, columns_}, Role::kOutput},
            {"loss", wide, {rows_, 1}, Role::kOutput},
            {"part", wide, {cores_used(), 1}, Role::kOutput, Sharding::kPerGroup}};
  }
  std::uint64_t units() const override { return rows_; }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return cross_entropy_program(machine,
                                 {part.count, columns_, 1.0F / static_cast<float>(rows_), compute_dtype()});
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    std::vector<std::uint64_t> parts;
    for (std::uint64_t core = 0; core < cores_used(); ++core)
      parts.push_back(runtime::part_of(rows_, cores(), core).count);
    return check_cross_entropy({values.at("logits"), values.at("labels"), values.at("gradient"),
                                values.at("loss"), values.at("part"), parts},
                               maker);
  }

 private:
  std::uint64_t rows_ = 0, columns_ = 0;
  isa::DType dtype_{};
};

}  // namespace

std::unique_ptr<runtime::Workload> make_cross_entropy() { return std::make_unique<CrossEntropy>(); }

}  // namespace tahoma::workloads
