// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/attention.h"

#include <fmt/format.h>

#include "workloads/attention/attention_sizes.h"
#include "workloads/attention/flash_kernel.h"
#include "workloads/attention/golden/golden_attention.h"
#include "workloads/common/kernel_case.h"
#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

namespace {

using runtime::GoldenResult, runtime::Part;

enum class Layout : std::uint8_t { kHeads, kTokens };
constexpr base::Named<Layout> kLayouts[] = {{Layout::kHeads, "heads"}, {Layout::kTokens, "tokens"}};

// Its units are query heads. The cores of a group (`split`) work on the same heads.
class Attention final : public KernelCase {
 public:
  Attention() : KernelCase({"q", "k", "v"}) {}

  double useful_flops() const override { return 4 * static_cast<double>(sizes_.d) * sizes_.pairs(); }
  isa::DType compute_dtype() const override { return sizes_.type(); }
  std::string describe() const override {
    return "attention " + sizes_.describe() + (by_rows() ? ", token-major" : "");
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    sizes_.declare(t);
    t.add("lse", lse_, false,
          "also write the log of every query's sum of exp(scores), an input of the backward pass",
          base::chosen());
    t.add("layout", layout_, Layout::kHeads, kLayouts,
          "Q, K, V and O in HBM: a matrix for each head, those of Q and K transposed; or by rows, [tokens, "
          "heads d]",
          base::chosen());
  }
  void declare_cores(base::ParamTree& /*t*/) override {}  // AttentionSizes has `cores` and `split`
  void check_sizes(const model::MachineParams& machine) const override { sizes_.check(machine); }

  std::uint64_t units() const override { return sizes_.heads; }
  std::uint64_t group_size() const override { return sizes_.split; }
  std::vector<CoreGroup> groups() const override {
    std::vector<CoreGroup> groups;
    for (const HeadShare& share : sizes_.shares(machine()))
      groups.push_back({share.core, {share.first, share.count}});
    return groups;
  }

  std::vector<CaseTensor> tensors() const override {
    CaseTensor q = rows_of_heads("q", sizes_.heads, sizes_.q_len, Role::kInput), k = keys("k"), v = keys("v"),
               o = rows_of_heads("o", sizes_.heads, sizes_.q_len, Role::kOutput);
    for (CaseTensor* loaded : {&q, &k}) {
      if (by_rows()) {
        loaded->hbm_rows = transposed_load_rows(loaded->shape[1]);
      } else {
        loaded->layout = HbmLayout::kTransposed;
        loaded->hbm_name = loaded->name + "t";
      }
    }
    std::vector<CaseTensor> all{q, k, v, o};
    if (lse_) all.push_back({"lse", isa::DType::kFp32, {sizes_.heads, sizes_.q_len}, Role::kOutput});
    return all;
  }

  isa::Program program(const model::MachineParams& machine, const Part& heads) const override {
    return member_program(machine, heads, 0);
  }
  isa::Program member_program(const model::MachineParams& machine, const Part& heads,
                              std::uint64_t member) const override {
    FlashShape shape = sizes_.shape_of({0, heads.first, heads.count, 0, 0}, member);
    shape.lse = lse_;
    shape.by_rows = by_rows();
    return build_flash_kernel(shape, machine);
  }
  // Programs depend on the number of heads and on the position of the first one among those of its key head.
  std::uint64_t program_key(const Part& heads) const override {
    return heads.count * sizes_.heads_per_kv() + heads.first % sizes_.heads_per_kv();
  }

  GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    const auto of_head = [&](const std::string& output, std::uint64_t rows) -> runtime::MadeBy {
      return [core = maker(output), rows](std::uint64_t row, std::uint64_t column) {
        return fmt::format("{}, head {}", core(row, column), row / rows);
      };
    };
    const runtime::HostTensor &q = values.at("q"), &k = values.at("k");
    GoldenResult result = check_attention({.q = q, .k = k, .v = values.at("v"), .o = values.at("o")},
                                          sizes_.scale(), sizes_.mask(), of_head("o", sizes_.q_len));
    if (lse_)
      result.add(
          check_attention_lse(q, k, values.at("lse"), sizes_.scale(), sizes_.mask(), of_head("lse", 1)));
    return result;
  }

 private:
  bool by_rows() const { return layout_ == Layout::kTokens; }
  CaseTensor rows_of_heads(const char* name, std::uint64_t heads, std::uint64_t rows, Role role) const {
    CaseTensor tensor{name, compute_dtype(), {heads, rows, sizes_.d}, role};
    if (by_rows()) tensor.layout = HbmLayout::kTokenMajor;
    return tensor;
  }
  // Groups that use the same key head have a copy each.
  CaseTensor keys(const char* name) const {
    CaseTensor tensor = rows_of_heads(name, sizes_.key_heads(), sizes_.kv_len, Role::kInput);
    tensor.rows_for = [this](const Part& heads) { return sizes_.key_heads_of(heads); };
    return tensor;
  }

  AttentionSizes sizes_;
  bool lse_ = false;
  Layout layout_{};
};

}  // namespace

std::unique_ptr<runtime::Workload> make_attention() { return std::make_unique<Attention>(); }

}  // namespace tahoma::workloads
