// SPDX-License-Identifier: Apache-2.0
#include "workloads/embedding/embedding.h"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/common/kernel_case.h"
#include "workloads/common/row_numbers.h"
#include "workloads/embedding/embedding_kernel.h"

namespace tahoma::workloads {

namespace {

using runtime::HostTensor;

// Returns the rows of the ids. Nothing is computed, so y must equal them bit by bit.
HostTensor looked_up(const HostTensor& ids, const HostTensor& table, const HostTensor& y) {
  HostTensor want = runtime::make_tensor(y.name, y.dtype, y.shape);
  const std::size_t row = table.columns() * isa::size_of(table.dtype);
  for (std::uint64_t i = 0; i < ids.elements(); ++i)
    std::copy_n(table.values.data() + static_cast<std::size_t>(row_number(ids, i)) * row, row,
                want.values.data() + i * row);
  return want;
}

class Embedding final : public KernelCase {
 public:
  Embedding() : KernelCase({"ids", "table"}) {}

  double useful_flops() const override { return 0; }
  isa::DType compute_dtype() const override { return dtype_; }
  std::string describe() const override {
    return fmt::format("embedding of {} ids, {} x {} {} on {} cores", tokens_, vocabulary_, columns_,
                       isa::name_of(dtype_), cores());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    t.add("tokens", tokens_, std::uint64_t{4096}, {1, std::uint64_t{1} << 24}, "ids, and rows of y",
          base::chosen());
    t.add("vocabulary", vocabulary_, std::uint64_t{32768}, {1, std::uint64_t{1} << 24}, "rows of the table",
          base::chosen());
    t.add("columns", columns_, std::uint64_t{4096}, {1, 16384}, "elements of a row", base::chosen());
    t.add("dtype", dtype_, isa::DType::kBf16,
          {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32, isa::DType::kFp8E4M3},
          "element type of the table and y", base::chosen());
  }
  std::vector<CaseTensor> tensors() const override {
    CaseTensor ids{"ids", isa::DType::kInt32, {tokens_, 1}};
    ids.control = true;
    ids.make = any_rows_below(vocabulary_);
    ids.refuse = refuse_rows_beyond(vocabulary_);
    return {ids,
            {"table", compute_dtype(), {vocabulary_, columns_}, Role::kInput, Sharding::kReplicated},
            {"y", compute_dtype(), {tokens_, columns_}, Role::kOutput}};
  }
  std::uint64_t units() const override { return tokens_; }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return embedding_program(machine, {part.count, vocabulary_, columns_, compute_dtype()});
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    const HostTensor& y = values.at("y");
    return runtime::check_moved(looked_up(values.at("ids"), values.at("table"), y), y, maker("y"));
  }

 private:
  std::uint64_t tokens_ = 0, vocabulary_ = 0, columns_ = 0;
  isa::DType dtype_{};
};

}  // namespace

std::unique_ptr<runtime::Workload> make_embedding() { return std::make_unique<Embedding>(); }

}  // namespace tahoma::workloads
