// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "runtime/golden/golden.h"
#include "runtime/run/inputs.h"
#include "workloads/attention/attention_sizes.h"
#include "workloads/attention/flash_kernel.h"
#include "workloads/common/turned.h"

namespace tahoma::workloads {

namespace {

using runtime::GoldenResult, runtime::HostTensor, runtime::Machine, runtime::Tensor;

struct InputParams {
  std::string q, k, v;
  void declare(base::ParamTree& t) {
    t.add("q", q, std::string(), {}, ".npy file of Q [heads, q_len, d]; empty: from the seed",
          base::chosen());
    t.add("k", k, std::string(), {}, ".npy file of K [kv_heads, kv_len, d]; empty: from the seed",
          base::chosen());
    t.add("v", v, std::string(), {}, ".npy file of V [kv_heads, kv_len, d]; empty: from the seed",
          base::chosen());
  }
};

enum class Layout : std::uint8_t { kHeads, kTokens };
constexpr base::Named<Layout> kLayouts[] = {{Layout::kHeads, "heads"}, {Layout::kTokens, "tokens"}};

// The heads of a group of cores, and where they lie in its HBM.
struct Placed {
  HeadShare share;
  Tensor qt, kt, v, o, lse;
};

class Attention final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override {
    sizes_.declare(t);
    t.add("lse", lse_, false, "also write the log of every query's sum of exp(scores), as backward takes it",
          base::chosen());
    t.add("layout", layout_, Layout::kHeads, kLayouts,
          "Q, K, V and O in HBM: a matrix for each head, those of Q and K transposed; or by rows, [tokens, "
          "heads d]",
          base::chosen());
    t.group("inputs", inputs_);
  }

  void check(const model::MachineParams& machine) const override { sizes_.check(machine); }

  void prepare(Machine& machine, std::uint64_t seed) override {
    seed_ = seed;
    place(machine);
    load_programs(machine);
    for (const Placed& placed : placed_)
      for (const Tensor* input : {&placed.qt, &placed.kt, &placed.v}) machine.declare_input(*input);
    if (machine.functional()) place_inputs(machine);
  }

  GoldenResult verify(Machine& machine) override {
    const HostTensor all_q = q(), all_k = k();
    const auto maker = [&](std::uint64_t rows) {
      return [this, &machine, rows](std::uint64_t row, std::uint64_t) {
        const std::uint64_t head = row / rows;
        return fmt::format("{}, head {}", runtime::core_name(machine.params(), core_of(head)), head);
      };
    };
    GoldenResult result =
        check_attention(all_q, all_k, v(), o(machine), sizes_.scale(), sizes_.mask(), maker(sizes_.q_len));
    if (lse_)
      result.add(check_attention_lse(all_q, all_k, lse(machine), sizes_.scale(), sizes_.mask(), maker(1)));
    return result;
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    std::vector<runtime::NamedValues> saved;
    const auto save = [&](HostTensor tensor) {
      saved.push_back({tensor.name, tensor.dtype, tensor.shape, std::move(tensor.values)});
    };
    save(o(machine));
    if (lse_) save(lse(machine));
    return saved;
  }

  double useful_flops() const override { return 4 * static_cast<double>(sizes_.d) * sizes_.pairs(); }
  isa::DType compute_dtype() const override { return sizes_.type(); }
  std::uint32_t cores_used() const override {
    return static_cast<std::uint32_t>(placed_.size() * sizes_.split);
  }
  std::string describe() const override {
    return "attention " + sizes_.describe() + (by_rows() ? ", token-major" : "");
  }

 private:
  bool by_rows() const { return layout_ == Layout::kTokens; }
  HostTensor q() const {
    return runtime::input(inputs_.q, "q", compute_dtype(), {sizes_.heads, sizes_.q_len, sizes_.d}, seed_, 0);
  }
  HostTensor k() const { return runtime::input(inputs_.k, "k", compute_dtype(), kv_shape(), seed_, 1); }
  HostTensor v() const { return runtime::input(inputs_.v, "v", compute_dtype(), kv_shape(), seed_, 2); }
  std::vector<std::uint64_t> kv_shape() const { return {sizes_.key_heads(), sizes_.kv_len, sizes_.d}; }

  std::uint32_t core_of(std::uint64_t head) const {
    return std::find_if(placed_.begin(), placed_.end(),
                        [&](const Placed& p) { return head < p.share.first + p.share.count; })
        ->share.core;
  }

  void place(Machine& machine) {
    placed_.clear();
    for (const HeadShare& share : sizes_.shares(machine.params())) {
      const auto tensor = [&](const char* name, std::vector<std::uint64_t> shape) {
        return machine.allocate(share.core, name, compute_dtype(), std::move(shape));
      };
      Placed& placed = placed_.emplace_back();
      placed.share = share;
      if (by_rows()) {
        const std::uint64_t columns = share.count * sizes_.d, kv_columns = share.kv_count * sizes_.d;
        placed.qt = tensor("q", {turned_rows(sizes_.q_len), columns});
        placed.kt = tensor("k", {turned_rows(sizes_.kv_len), kv_columns});
        placed.v = tensor("v", {sizes_.kv_len, kv_columns});
        placed.o = tensor("o", {sizes_.q_len, columns});
      } else {
        placed.qt = tensor("qt", {share.count, sizes_.d, sizes_.q_len});
        placed.kt = tensor("kt", {share.kv_count, sizes_.d, sizes_.kv_len});
        placed.v = tensor("v", {share.kv_count, sizes_.kv_len, sizes_.d});
        placed.o = tensor("o", {share.count, sizes_.q_len, sizes_.d});
      }
      if (lse_)
        placed.lse = machine.allocate(share.core, "lse", isa::DType::kFp32, {share.count, sizes_.q_len});
    }
  }

  void load_programs(Machine& machine) const {
    std::map<std::vector<std::uint64_t>, std::shared_ptr<const isa::Program>> programs;
    for (const Placed& placed : placed_) {
      std::vector<std::uint64_t> arguments{placed.qt.address, placed.kt.address, placed.v.address,
                                           placed.o.address};
      if (lse_) arguments.push_back(placed.lse.address);
      for (std::uint64_t part = 0; part < sizes_.split; ++part) {
        FlashShape shape = sizes_.shape_of(placed.share, part);
        shape.lse = lse_;
        shape.by_rows = by_rows();
        auto& program = programs[program_key(shape)];
        if (!program)
          program = std::make_shared<const isa::Program>(build_flash_kernel(shape, machine.params()));
        machine.load(static_cast<std::uint32_t>(placed.share.core + part), program, arguments);
      }
    }
  }

  void place_inputs(Machine& machine) const {
    const HostTensor all_q = q(), all_k = k(), all_v = v();
    for (const Placed& placed : placed_) {
      if (by_rows()) {
        place_tokens(machine, placed.qt, all_q, placed.share.first);
        place_tokens(machine, placed.kt, all_k, placed.share.kv_first);
        place_tokens(machine, placed.v, all_v, placed.share.kv_first);
        continue;
      }
      place_heads(machine, placed.qt, all_q, placed.share.first, true);
      place_heads(machine, placed.kt, all_k, placed.share.kv_first, true);
      place_heads(machine, placed.v, all_v, placed.share.kv_first, false);
    }
  }

  HostTensor o(Machine& machine) const {
    HostTensor all = runtime::make_tensor("o", compute_dtype(), {sizes_.heads, sizes_.q_len, sizes_.d});
    for (const Placed& placed : placed_)
      (by_rows() ? gather_tokens : gather_heads)(machine, placed.o, all, placed.share.first);
    return all;
  }

  HostTensor lse(Machine& machine) const {
    HostTensor all = runtime::make_tensor("lse", isa::DType::kFp32, {sizes_.heads, sizes_.q_len});
    for (const Placed& placed : placed_) gather_heads(machine, placed.lse, all, placed.share.first);
    return all;
  }

  AttentionSizes sizes_;
  bool lse_ = false;
  Layout layout_{};
  std::uint64_t seed_ = 0;
  InputParams inputs_;
  std::vector<Placed> placed_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_attention() { return std::make_unique<Attention>(); }

}  // namespace tahoma::workloads
