// SPDX-License-Identifier: Apache-2.0
#include "workloads/vector_add/vector_add.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "workloads/common/kernel_case.h"
#include "workloads/vector_add/golden_sum.h"
#include "workloads/vector_add/vector_add_kernel.h"

namespace tahoma::workloads {

namespace {

class VectorAdd final : public KernelCase {
 public:
  VectorAdd() : KernelCase({"a", "b"}) {}

  double useful_flops() const override { return static_cast<double>(elements_); }
  isa::DType compute_dtype() const override { return dtype_; }
  std::string describe() const override {
    return fmt::format("vector_add {} {}, tiles of {} columns, on {} cores", elements_, isa::name_of(dtype_),
                       columns_, cores());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    t.add("elements", elements_, std::uint64_t{256'000}, {1, std::uint64_t{1} << 36},
          "elements of a, b and y: whole tiles of all partitions by `columns`", base::chosen());
    t.add("columns", columns_, std::uint64_t{1000}, {1, 32'768}, "elements of a partition in one tile",
          base::chosen());
    t.add("dtype", dtype_, isa::DType::kFp32, {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32},
          "element type of a, b and y", base::chosen());
  }

  void check_sizes(const model::MachineParams& machine) const override {
    const std::uint64_t tile = columns_ * machine.chip.core.sbuf.partitions;
    if (elements_ % tile == 0) return;
    const std::uint64_t nearest = std::max<std::uint64_t>(1, (elements_ + tile / 2) / tile) * tile;
    throw base::UserError("E-RUN-068", "workload.elements",
                          fmt::format("{} elements are not whole tiles of {} partitions x {} columns; "
                                      "the nearest number is {}",
                                      elements_, machine.chip.core.sbuf.partitions, columns_, nearest));
  }

  std::vector<CaseTensor> tensors() const override {
    return {tensor("a", Role::kInput), tensor("b", Role::kInput), tensor("y", Role::kOutput)};
  }
  // The units are tiles: as many rows as SBUF has partitions.
  std::uint64_t units() const override { return rows() / tile_rows(); }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& tiles) const override {
    return vector_add_program(machine, {tiles.count * tile_rows(), columns_, compute_dtype()});
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    return check_sum(values.at("a"), values.at("b"), values.at("y"), maker("y"));
  }

 private:
  std::uint64_t rows() const { return elements_ / columns_; }
  std::uint64_t tile_rows() const { return machine().chip.core.sbuf.partitions; }
  CaseTensor tensor(const char* name, Role role) const {
    CaseTensor tensor{name, compute_dtype(), {rows(), columns_}, role};
    tensor.per_unit = tile_rows();
    tensor.file_shape = {elements_};
    return tensor;
  }

  std::uint64_t elements_ = 0, columns_ = 0;
  isa::DType dtype_{};
};

}  // namespace

std::unique_ptr<runtime::Workload> make_vector_add() { return std::make_unique<VectorAdd>(); }

}  // namespace tahoma::workloads
