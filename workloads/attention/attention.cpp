// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "model/base/error.h"
#include "runtime/golden.h"
#include "runtime/inputs.h"
#include "workloads/attention/flash_kernel.h"
#include "workloads/attention/flash_schedule.h"

namespace tahoma::workloads {

namespace {

using runtime::HostTensor, runtime::Machine, runtime::Tensor;

constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 20;

struct InputParams {
  std::string q, k, v;
  void declare(base::ParamTree& t) {
    t.add("q", q, std::string(), {}, ".npy file of Q [heads, q_len, d]; empty: from the seed",
          base::chosen());
    t.add("k", k, std::string(), {}, ".npy file of K [heads, kv_len, d]; empty: from the seed",
          base::chosen());
    t.add("v", v, std::string(), {}, ".npy file of V [heads, kv_len, d]; empty: from the seed",
          base::chosen());
  }
};

// The heads [first, first + count) of one core, and where they lie in its HBM.
struct Share {
  std::uint32_t core = 0;
  std::uint64_t first = 0, count = 0;
  Tensor qt, kt, v, o;
};

class Attention final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override {
    const base::Range<std::uint64_t> extent{1, kMostExtent};
    t.add("q_len", q_len_, std::uint64_t{1024}, extent, "queries of each head", base::chosen());
    t.add("kv_len", kv_len_, std::uint64_t{1024}, extent, "keys and values of each head", base::chosen());
    t.add("d", d_, std::uint64_t{128}, {1, 128}, "elements of a query, key or value", base::chosen());
    t.add("heads", heads_, std::uint64_t{1}, extent, "heads, shared out over the cores", base::chosen());
    t.add("causal", causal_, false, "query i sees the keys j <= i + kv_len - q_len only", base::chosen());
    t.add("dtype", dtype_, std::string("bf16"), {"bf16", "fp16", "fp32"},
          "element type of Q, K, V, O and of the probabilities; sums are fp32", base::chosen());
    t.add("cores", cores_, std::uint64_t{0}, {0, kMostExtent},
          "cores that share the heads; 0: one a head, as far as they go", base::chosen());
    t.group("inputs", inputs_);
  }

  void check(const model::MachineParams& machine) const override {
    if (causal_ && q_len_ > kv_len_)
      throw base::UserError(
          "E-ATT-001", "workload.q_len",
          fmt::format("with a causal mask expected at most kv_len = {}, got {}: the first queries would "
                      "see no key",
                      kv_len_, q_len_));
    if (cores_ > machine.cores())
      throw base::UserError(
          "E-ATT-002", "workload.cores",
          fmt::format("expected 0 .. {}, the machine's cores, got {}", machine.cores(), cores_));
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    seed_ = seed;
    share_out(machine);
    load_programs(machine);
    for (const Share& share : shares_)
      for (const Tensor* input : {&share.qt, &share.kt, &share.v}) machine.declare_input(*input);
    if (machine.functional()) place_inputs(machine);
  }

  runtime::GoldenResult verify(Machine& machine) override {
    const model::MachineParams& params = machine.params();
    return check_attention(
        q(), k(), v(), gather(machine), scale(), causal_, [&](std::uint64_t row, std::uint64_t) {
          const std::uint64_t head = row / q_len_;
          const auto share = std::find_if(shares_.begin(), shares_.end(),
                                          [&](const Share& s) { return head < s.first + s.count; });
          return fmt::format("{}, head {}", runtime::core_name(params, share->core), head);
        });
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    HostTensor o = gather(machine);
    return {{"o", o.dtype, o.shape, std::move(o.values)}};
  }

  double useful_flops() const override {
    return 4 * static_cast<double>(d_) *
           visible_pairs({heads_, q_len_, kv_len_, d_, causal_, compute_dtype()});
  }
  isa::DType compute_dtype() const override { return *isa::dtype_from_name(dtype_); }
  std::uint32_t cores_used() const override { return static_cast<std::uint32_t>(shares_.size()); }

  std::string describe() const override {
    return fmt::format("attention q {} kv {} d {} heads {} {}{}", q_len_, kv_len_, d_, heads_, dtype_,
                       causal_ ? ", causal" : "");
  }

 private:
  double scale() const { return 1 / std::sqrt(static_cast<double>(d_)); }
  HostTensor q() const {
    return runtime::input(inputs_.q, "q", compute_dtype(), {heads_, q_len_, d_}, seed_, 0);
  }
  HostTensor k() const {
    return runtime::input(inputs_.k, "k", compute_dtype(), {heads_, kv_len_, d_}, seed_, 1);
  }
  HostTensor v() const {
    return runtime::input(inputs_.v, "v", compute_dtype(), {heads_, kv_len_, d_}, seed_, 2);
  }

  // Whole heads, the first cores one more where they do not divide; cores spread over the machine, so that
  // they share HBM stacks only when there is no other way.
  void share_out(Machine& machine) {
    const std::uint64_t wanted = cores_ == 0 ? machine.cores() : cores_, used = std::min(wanted, heads_);
    shares_.clear();
    std::uint64_t first = 0;
    for (std::uint64_t i = 0; i < used; ++i) {
      Share share;
      share.core = static_cast<std::uint32_t>(i * machine.cores() / used);
      share.first = first;
      share.count = heads_ / used + (i < heads_ % used ? 1 : 0);
      first += share.count;
      share.qt = machine.allocate(share.core, "qt", compute_dtype(), {share.count, d_, q_len_});
      share.kt = machine.allocate(share.core, "kt", compute_dtype(), {share.count, d_, kv_len_});
      share.v = machine.allocate(share.core, "v", compute_dtype(), {share.count, kv_len_, d_});
      share.o = machine.allocate(share.core, "o", compute_dtype(), {share.count, q_len_, d_});
      shares_.push_back(share);
    }
  }

  // Cores with as many heads share a program.
  void load_programs(Machine& machine) const {
    std::map<std::uint64_t, std::shared_ptr<const isa::Program>> programs;
    for (const Share& share : shares_) {
      auto& program = programs[share.count];
      const FlashShape shape{share.count, q_len_, kv_len_, d_, causal_, compute_dtype()};
      if (!program)
        program = std::make_shared<const isa::Program>(build_flash_kernel(shape, machine.params()));
      machine.load(share.core, program,
                   {share.qt.address, share.kt.address, share.v.address, share.o.address});
    }
  }

  void place_inputs(Machine& machine) const {
    const HostTensor all_q = q(), all_k = k(), all_v = v();
    const std::size_t size = isa::size_of(compute_dtype());
    for (const Share& share : shares_) {
      for (std::uint64_t h = 0; h < share.count; ++h) {
        const std::uint64_t head = share.first + h;
        copy_window_transposed(all_q, {head * q_len_, 0, q_len_, d_},
                               machine.bytes(share.qt) + h * d_ * q_len_ * size);
        copy_window_transposed(all_k, {head * kv_len_, 0, kv_len_, d_},
                               machine.bytes(share.kt) + h * d_ * kv_len_ * size);
      }
      copy_window(all_v, {share.first * kv_len_, 0, share.count * kv_len_, d_}, machine.bytes(share.v));
    }
  }

  HostTensor gather(Machine& machine) const {
    HostTensor o = runtime::make_tensor("o", compute_dtype(), {heads_, q_len_, d_});
    for (const Share& share : shares_)
      paste_window(o, {share.first * q_len_, 0, share.count * q_len_, d_}, machine.bytes(share.o));
    return o;
  }

  std::uint64_t q_len_ = 0, kv_len_ = 0, d_ = 0, heads_ = 0, cores_ = 0, seed_ = 0;
  bool causal_ = false;
  std::string dtype_;
  InputParams inputs_;
  std::vector<Share> shares_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_attention() { return std::make_unique<Attention>(); }

}  // namespace tahoma::workloads
