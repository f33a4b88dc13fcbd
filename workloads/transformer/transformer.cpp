// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/transformer.h"

#include <memory>

#include "runtime/golden_rule.h"
#include "workloads/transformer/definition.h"
#include "workloads/transformer/prefill.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HostTensor, runtime::Machine;

namespace {

constexpr isa::DType kDType = TransformerParams::kDType;

class Transformer final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override { params_.declare(t); }
  void check(const model::MachineParams& machine) const override { params_.check(machine); }

  void prepare(Machine& machine, std::uint64_t seed) override {
    seed_ = seed;
    const Seating seating(machine.params(), params_.placement, params_.parallel.tensor);
    for (auto& alike : replicas_of(machine.params(), seating, params_.parallel.data, params_.parallel.tensor)) {
      replicas_.push_back(std::make_unique<Replica>(machine, std::move(alike)));
      prefills_.push_back(std::make_unique<Prefill>(*replicas_.back(), params_));
      prefills_.back()->emit();
      replicas_.back()->load(stopwatch_);
      if (machine.functional()) fill(machine, *replicas_.back(), *prefills_.back());
    }
    machine.observe(&stopwatch_);
  }

  runtime::GoldenResult verify(Machine& machine) override {
    const HostTensor x = inputs(), got = gather(machine);
    std::vector<HostWeights> weights;
    for (std::uint64_t l = 0; l < params_.layers; ++l) weights.push_back(make_weights(params_.model, seed_, l));
    std::vector<Stream> sequences;
    const Rows all = matrix_of(x);
    const auto tokens = static_cast<Eigen::Index>(params_.tokens);
    for (Eigen::Index s = 0; s < all.rows() / tokens; ++s) {
      Stream stream{all.middleRows(s * tokens, tokens), Eigen::VectorXd::Zero(tokens)};
      for (const HostWeights& layer : weights) apply_layer(params_.model, layer, roundings(), {}, stream);
      sequences.push_back(std::move(stream));
    }
    return runtime::check_rows(
        got,
        [&](std::uint64_t row) {
          return wanted_row(sequences[row / params_.tokens], row % params_.tokens);
        },
        runtime::unit_roundoff(kDType), "six deviations of independent roundings of the activations, "
        "relative to the root mean square of a token's row", [](std::uint64_t, std::uint64_t) { return std::string("some core"); });
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    HostTensor out = gather(machine);
    return {{out.name, out.dtype, out.shape, std::move(out.values)}};
  }

  double useful_flops() const override { return params_.useful_flops(); }
  isa::DType compute_dtype() const override { return kDType; }
  std::uint32_t cores_used() const override {
    std::size_t cores = 0;
    for (const auto& replica : replicas_) cores += replica->alike().size() * replica->ranks() * replica->halves();
    return static_cast<std::uint32_t>(cores);
  }
  std::string describe() const override { return params_.describe(); }

 private:
  HostTensor inputs() const {
    return runtime::generate_input("x", kDType, {params_.batch * params_.tokens, params_.model.hidden}, seed_, 0);
  }

  // Rounded: normed, product, rope twice, probabilities, output, partial sum, sum over ranks, stream.
  Roundings roundings() const {
    double sums = 1;
    for (const Placed& placed : prefills_.front()->collectives()) sums = std::max(sums, double(placed.roundings));
    return {8 + sums, 6 + sums};
  }

  // A row of a run for each (replica, half, rank, slice).
  template <class Body>
  void for_runs(const Replica& replica, const Prefill& prefill, Body&& body) const {
    const RowDeal& deal = prefill.rows();
    for (std::size_t g = 0; g < replica.alike().size(); ++g)
      for (std::size_t r = 0; r < deal.ranks; ++r)
        for (std::size_t h = 0; h < deal.halves; ++h)
          for (std::size_t s = 0; s < deal.slices; ++s)
            body(g, r, h, s * deal.run, replica.alike()[g].number * deal.rows() + deal.first(s, h, r), deal.run);
  }

  void fill(Machine& machine, const Replica& replica, const Prefill& prefill) const {
    const RankShare share(params_, replica.halves());
    for (std::uint64_t l = 0; l < params_.layers; ++l) {
      const HostWeights weights = make_weights(params_.model, seed_, l);
      for (std::size_t r = 0; r < replica.ranks(); ++r)
        prefill.ranks()[r].weights[l].fill(machine, replica, r, weights, share);
    }
    const HostTensor table = rope_table(params_.model, 0, 1, params_.tokens), x = inputs();
    for (const Prefill::Rank& rank : prefill.ranks()) fill_all(machine, replica, rank.table, table);
    for_runs(replica, prefill, [&](std::size_t g, std::size_t r, std::size_t h, std::uint64_t at, std::uint64_t row, std::uint64_t rows) {
      runtime::copy_window(x, {row, 0, rows, x.columns()}, bytes(machine, replica, g, prefill.ranks()[r].in[h], at));
    });
  }

  static std::byte* bytes(Machine& machine, const Replica& replica, std::size_t g, const Matrix& matrix, std::uint64_t row) {
    return machine.bytes(replica.at(g, matrix.tensor)) + row * matrix.tensor.shape[1] * isa::size_of(kDType);
  }

  HostTensor gather(Machine& machine) const {
    HostTensor out = runtime::make_tensor("out", kDType, {params_.batch * params_.tokens, params_.model.hidden});
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
      const Replica& replica = *replicas_[i];
      const Prefill& prefill = *prefills_[i];
      for_runs(replica, prefill, [&](std::size_t g, std::size_t r, std::size_t h, std::uint64_t at, std::uint64_t row, std::uint64_t rows) {
        runtime::paste_window(out, {row, 0, rows, out.columns()}, bytes(machine, replica, g, prefill.ranks()[r].out[h], at));
      });
    }
    return out;
  }

  TransformerParams params_;
  std::uint64_t seed_ = 0;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<std::unique_ptr<Prefill>> prefills_;
  Stopwatch stopwatch_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_transformer() { return std::make_unique<Transformer>(); }

}  // namespace tahoma::workloads
