// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/backward/attention_backward.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "model/base/error.h"
#include "runtime/run/inputs.h"
#include "workloads/attention/attention_sizes.h"
#include "workloads/attention/backward/flash_backward.h"
#include "workloads/attention/backward/golden_attention_backward.h"

namespace tahoma::workloads {

namespace {

using runtime::GoldenResult, runtime::HostTensor, runtime::Machine, runtime::Tensor;

struct InputParams {
  std::string q, k, v, d_o, lse, delta;
  void declare(base::ParamTree& t) {
    const auto add = [&](const char* name, std::string& file, const char* doc) {
      t.add_files(name, file, doc, base::chosen());
    };
    add("q", q, ".npy file of Q [heads, q_len, d]; empty: from the seed");
    add("k", k, ".npy file of K [kv_heads, kv_len, d]; empty: from the seed");
    add("v", v, ".npy file of V [kv_heads, kv_len, d]; empty: from the seed");
    add("do", d_o, ".npy file of dO [heads, q_len, d]; empty: from the seed");
    add("lse", lse, ".npy file of LSE [heads, q_len], fp32; empty: from Q and K");
    add("delta", delta, ".npy file of the row sums of dO o O [heads, q_len], fp32; empty: from the others");
  }
};

struct Inputs {
  HostTensor q, k, v, d_o, lse, delta;
};

// The heads of a core, or of two, and their tensors in its HBM.
struct HeadTensors {
  HeadShare share;
  Tensor qt, q, kt, k, vt, dot, d_o, lse, delta, dq, dk, dv;
  std::vector<Tensor> sums;     // between segments
  std::vector<Tensor> out, in;  // of each of two cores: dQ in transit
};

// This is no KernelCase: cores of a pair exchange dQ while they run, and LSE and delta follow from other
// inputs.
class AttentionBackward final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override {
    sizes_.declare(t);
    t.group("inputs", files_);
  }

  void check(const model::MachineParams& machine) const override {
    sizes_.check(machine);
    if (sizes_.split > 2)
      throw base::UserError(
          "E-ATT-005", "workload.split",
          fmt::format("expected 1 or 2, because the backward pass adds up dQ over pairs of cores, got {}",
                      sizes_.split));
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    seed_ = seed;
    inputs_.reset();
    place(machine);
    load_programs(machine);
    for (const HeadTensors& p : placed_)
      for (const Tensor* input : {&p.qt, &p.q, &p.kt, &p.k, &p.vt, &p.dot, &p.d_o, &p.lse, &p.delta})
        machine.declare_input(*input);
    if (machine.functional()) place_inputs(machine);
  }

  GoldenResult verify(Machine& machine) override {
    const Inputs& in = inputs();
    const HostTensor dq = gather(machine, "dq"), dk = gather(machine, "dk"), dv = gather(machine, "dv");
    return check_attention_backward(
        {.q = in.q,
         .k = in.k,
         .v = in.v,
         .d_o = in.d_o,
         .lse = in.lse,
         .delta = in.delta,
         .dq = dq,
         .dk = dk,
         .dv = dv},
        sizes_.scale(), sizes_.mask(), [&](const std::string& output) -> runtime::MadeBy {
          const bool of_query = output == "dq";
          return [this, &machine, of_query](std::uint64_t row, std::uint64_t) {
            const std::uint64_t head = row / (of_query ? sizes_.q_len : sizes_.kv_len);
            return fmt::format("{}, {}head {}", runtime::core_name(machine.params(), core_of(head, of_query)),
                               of_query ? "" : "key ", head);
          };
        });
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    std::vector<runtime::NamedValues> saved;
    for (const char* name : {"dq", "dk", "dv"}) {
      HostTensor tensor = gather(machine, name);
      saved.push_back({tensor.name, tensor.dtype, tensor.shape, std::move(tensor.values)});
    }
    return saved;
  }

  // Five products of pairs by d, including the recomputed ones of the forward pass.
  double useful_flops() const override { return 10 * static_cast<double>(sizes_.d) * sizes_.pairs(); }
  isa::DType compute_dtype() const override { return sizes_.type(); }
  std::uint32_t cores_used() const override {
    return static_cast<std::uint32_t>(placed_.size() * sizes_.split);
  }
  std::string describe() const override { return "attention backward " + sizes_.describe(); }

 private:
  std::vector<std::uint64_t> q_shape() const { return {sizes_.heads, sizes_.q_len, sizes_.d}; }
  std::vector<std::uint64_t> kv_shape() const { return {sizes_.key_heads(), sizes_.kv_len, sizes_.d}; }

  const Inputs& inputs() {
    if (inputs_) return *inputs_;
    const isa::DType dtype = compute_dtype();
    Inputs in{runtime::input(files_.q, "q", dtype, q_shape(), seed_),
              runtime::input(files_.k, "k", dtype, kv_shape(), seed_),
              runtime::input(files_.v, "v", dtype, kv_shape(), seed_),
              runtime::input(files_.d_o, "do", dtype, q_shape(), seed_),
              {},
              {}};
    AttentionSaved saved = attention_saved(in.q, in.k, in.v, in.d_o, sizes_.scale(), sizes_.mask());
    const auto given = [&](const std::string& file, HostTensor computed) {
      if (file.empty()) return computed;
      return runtime::load_input(file, computed.name, computed.dtype, computed.shape);
    };
    in.lse = given(files_.lse, std::move(saved.lse));
    in.delta = given(files_.delta, std::move(saved.delta));
    return inputs_.emplace(std::move(in));
  }

  std::uint32_t core_of(std::uint64_t head, bool of_query) const {
    const std::uint64_t query_head = of_query ? head : head * sizes_.heads_per_kv();
    return std::find_if(placed_.begin(), placed_.end(),
                        [&](const HeadTensors& p) { return query_head < p.share.first + p.share.count; })
        ->share.core;
  }

  void place(Machine& machine) {
    placed_.clear();
    const std::uint64_t q = sizes_.q_len, kv = sizes_.kv_len, d = sizes_.d;
    for (const HeadShare& share : sizes_.shares(machine.params(), sizes_.heads_per_kv())) {
      const auto tensor = [&](const char* name, std::vector<std::uint64_t> shape) {
        return machine.allocate(share.core, name, compute_dtype(), std::move(shape));
      };
      const auto fp32 = [&](const char* name, std::vector<std::uint64_t> shape) {
        return machine.allocate(share.core, name, isa::DType::kFp32, std::move(shape));
      };
      const std::uint64_t heads = share.count, keys = share.kv_count;
      HeadTensors& p = placed_.emplace_back();
      p = {.share = share,
           .qt = tensor("qt", {heads, d, q}),
           .q = tensor("q", {heads, q, d}),
           .kt = tensor("kt", {keys, d, kv}),
           .k = tensor("k", {keys, kv, d}),
           .vt = tensor("vt", {keys, d, kv}),
           .dot = tensor("dot", {heads, d, q}),
           .d_o = tensor("do", {heads, q, d}),
           .lse = fp32("lse", {heads, q}),
           .delta = fp32("delta", {heads, q}),
           .dq = tensor("dq", {heads, q, d}),
           .dk = tensor("dk", {keys, kv, d}),
           .dv = tensor("dv", {keys, kv, d}),
           .sums = {},
           .out = {},
           .in = {}};
      const FlashShape shape = sizes_.shape_of(share, 0);
      for (std::uint64_t part = 0; sizes_.split > 1 && part < sizes_.split; ++part) {
        p.out.push_back(fp32("dq_out", {heads, q, d}));
        p.in.push_back(fp32("dq_in", {heads, q, d}));
      }
      if (in_segments(shape, backward_tiling_of(machine.params(), shape)))
        p.sums = {fp32("dk_sum", {keys, kv, d}), fp32("dv_sum", {keys, kv, d})};
    }
  }

  void load_programs(Machine& machine) const {
    std::map<std::vector<std::uint64_t>, std::shared_ptr<const isa::Program>> programs;
    for (const HeadTensors& p : placed_)
      for (std::uint64_t part = 0; part < sizes_.split; ++part) {
        const FlashShape shape = sizes_.shape_of(p.share, part);
        auto& program = programs[program_key(shape)];
        if (!program)
          program = std::make_shared<const isa::Program>(build_flash_backward(shape, machine.params()));
        const auto core = static_cast<std::uint32_t>(p.share.core + part);
        machine.load(core, program, arguments_of(p, core, part));
      }
  }

  std::vector<std::uint64_t> arguments_of(const HeadTensors& p, std::uint32_t core,
                                          std::uint64_t part) const {
    std::vector<std::uint64_t> arguments;
    for (const Tensor* tensor :
         {&p.qt, &p.q, &p.kt, &p.k, &p.vt, &p.dot, &p.d_o, &p.lse, &p.delta, &p.dq, &p.dk, &p.dv})
      arguments.push_back(tensor->address);
    for (const Tensor& sum : p.sums) arguments.push_back(sum.address);
    if (sizes_.split == 1) return arguments;
    arguments.push_back(core);
    for (const Tensor& tensor : {p.out[part], p.in[1 - part], p.in[part]})
      arguments.push_back(tensor.address);
    return arguments;
  }

  void place_inputs(Machine& machine) {
    const Inputs& in = inputs();
    for (const HeadTensors& p : placed_) {
      const std::uint64_t head = p.share.first, key_head = p.share.kv_first;
      place_heads(machine, p.qt, in.q, head, true);
      place_heads(machine, p.q, in.q, head, false);
      place_heads(machine, p.kt, in.k, key_head, true);
      place_heads(machine, p.k, in.k, key_head, false);
      place_heads(machine, p.vt, in.v, key_head, true);
      place_heads(machine, p.dot, in.d_o, head, true);
      place_heads(machine, p.d_o, in.d_o, head, false);
      for (const auto& [tensor, values] : {std::pair{&p.lse, &in.lse}, std::pair{&p.delta, &in.delta}})
        copy_window(*values, {head, 0, p.share.count, sizes_.q_len}, machine.bytes(*tensor));
    }
  }

  HostTensor gather(Machine& machine, const std::string& name) const {
    const bool of_query = name == "dq";
    HostTensor all = runtime::make_tensor(name, compute_dtype(), of_query ? q_shape() : kv_shape());
    for (const HeadTensors& p : placed_)
      gather_heads(machine,
                   of_query       ? p.dq
                   : name == "dk" ? p.dk
                                  : p.dv,
                   all, of_query ? p.share.first : p.share.kv_first);
    return all;
  }

  AttentionSizes sizes_;
  std::uint64_t seed_ = 0;
  InputParams files_;
  std::optional<Inputs> inputs_;
  std::vector<HeadTensors> placed_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_attention_backward() { return std::make_unique<AttentionBackward>(); }

}  // namespace tahoma::workloads
