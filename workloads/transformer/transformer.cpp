// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/transformer.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/golden/golden_rule.h"
#include "workloads/transformer/communication.h"
#include "workloads/transformer/experts/expert_teams.h"
#include "workloads/transformer/experts/experts.h"
#include "workloads/transformer/exposure.h"
#include "workloads/transformer/layer/layer_definition.h"
#include "workloads/transformer/model_figures.h"
#include "workloads/transformer/model_footprint.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HostTensor, runtime::Machine;

namespace {

// Not a KernelCase, because a model is many kernels and collectives.
class Transformer final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override { params_.declare(t); }
  void check(const model::MachineParams& machine) const override {
    params_.check(machine);
    check_footprint(params_, machine);
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    seed_ = seed;
    std::optional<HostCase> values;
    if (machine.functional()) values = host_case(params_, seed_);
    const HostTensor ids = params_.logits ? token_ids(params_, seed_) : HostTensor{};
    auto places = rank_cores_of(machine.params(), params_.placement, params_.parallel);
    if (params_.model.experts > 0) {
      routing_.emplace(params_, seed);
      seat_teams(machine.params(), params_.parallel, places);
    }
    const ExpertRouting* routing = routing_ ? &*routing_ : nullptr;
    for (auto& groups : routed_alike(sort_alike(machine.params(), places, params_.parallel))) {
      Stages& stages =
          *replicas_.emplace_back(std::make_unique<Stages>(machine, params_, routing, std::move(groups)));
      stages.emit();
      stages.load(stopwatch_);
      for (const Stages::Group& group : stages.groups()) {
        if (values) group.programs->fill(machine, *values);
        group.programs->fill_control(machine, ids);
      }
    }
    machine.observe(&stopwatch_);
    machine.observe(&exposure_);
  }

  runtime::GoldenResult verify(Machine& machine) override {
    const HostTensor got = gather(machine);
    const std::vector<Noisy> streams = wanted();
    const std::uint64_t rows = params_.logits ? 1 : params_.sequence_rows(),
                        rows_of_replica = params_.batch * rows / params_.parallel.data;
    runtime::GoldenResult golden = runtime::check_rows(
        got, [&](std::uint64_t row) { return wanted_row(streams[row / rows], row % rows); },
        runtime::unit_roundoff(kModelDType),
        fmt::format("{:g} deviations of independent roundings of the activations",
                    runtime::kGoldenDeviations),
        [&](std::uint64_t row, std::uint64_t) {
          return fmt::format("the ranks of replica {}", row / rows_of_replica);
        });
    for (const auto& stages : replicas_)
      for (const Stages::Group& group : stages->groups())
        if (const Experts* experts = group.programs->experts()) experts->check(machine, golden);
    return golden;
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    std::vector<HostTensor> all{gather(machine)};
    if (params_.logits && !params_.model.latent) {
      const std::vector<std::uint64_t> shape{params_.layers, params_.all_rows(),
                                             params_.model.kv_heads * params_.model.head_dim};
      HostCache keys{runtime::make_tensor("keys", kModelDType, shape),
                     runtime::make_tensor("values", kModelDType, shape)};
      for (const auto& stages : replicas_)
        for (const Stages::Group& group : stages->groups()) group.programs->gather_keys(machine, keys);
      all.push_back(std::move(keys.k));
      all.push_back(std::move(keys.v));
    }
    if (params_.logits && params_.model.delta) {
      const DeltaRule& d = params_.model.delta;
      HostCache states{
          runtime::make_tensor("states", isa::DType::kFp32,
                               {params_.layers, params_.batch * d.value_heads * d.key_dim, d.value_dim}),
          runtime::make_tensor("past", kModelDType,
                               {params_.layers, (d.taps - 1) * params_.batch, d.channels()})};
      for (const auto& stages : replicas_)
        for (const Stages::Group& group : stages->groups()) group.programs->gather_states(machine, states);
      all.push_back(std::move(states.k));
      all.push_back(std::move(states.v));
    }
    std::vector<runtime::NamedValues> outputs;
    for (HostTensor& tensor : all)
      outputs.push_back({tensor.name, tensor.dtype, tensor.shape, std::move(tensor.values)});
    return outputs;
  }

  std::vector<runtime::CollectiveResult> collectives(Machine& machine, const base::RunMeasurement&) override {
    return collectives_of(machine.params(), params_, replicas_, stopwatch_);
  }
  std::vector<runtime::MessageResult> messages(Machine& /*machine*/) override {
    return messages_of(params_, replicas_, stopwatch_);
  }

  std::vector<runtime::WorkloadFigure> figures(Machine& machine, const base::RunMeasurement& run) override {
    for_communication(replicas_, stopwatch_, [&](std::uint32_t core, base::Time begin, base::Time end) {
      exposure_.collective(core, begin, end);
    });
    std::vector<runtime::WorkloadFigure> figures =
        figures_of(params_, machine.params(), run, exposure_.exposed(),
                   bubble_of(params_, replicas_, stopwatch_, run.elapsed));
    if (routing_) add_routing_figures(figures, *routing_);
    return figures;
  }

  double useful_flops() const override { return params_.useful_flops(); }
  isa::DType compute_dtype() const override { return params_.model.activations; }
  isa::MatmulMode compute_mode() const override {
    return params_.model.activations == kModelDType ? isa::MatmulMode::kDense : isa::MatmulMode::kDoubleRow;
  }
  std::uint32_t cores_used() const override {
    return static_cast<std::uint32_t>(params_.parallel.ranks() *
                                      replicas_.front()->groups().front().replica->physical_cores());
  }
  std::string describe() const override { return params_.describe(); }

 private:
  bool decodes() const { return params_.phase == Phase::kDecode; }

  // Programs depend on the counts of the routing.
  std::vector<std::vector<Replica::Alike>> routed_alike(
      std::vector<std::vector<Replica::Alike>> alike) const {
    if (!routing_) return alike;
    std::vector<std::vector<Replica::Alike>> result;
    for (const std::vector<Replica::Alike>& groups : alike) {
      const auto begin = static_cast<std::ptrdiff_t>(result.size());
      for (std::size_t j = 0; j < groups.front().size(); ++j) {
        auto like = std::find_if(result.begin() + begin, result.end(), [&](const auto& routed) {
          return routing_->alike(routed.front().front().number, groups.front()[j].number);
        });
        if (like == result.end()) like = result.insert(like, std::vector<Replica::Alike>(groups.size()));
        for (std::size_t i = 0; i < groups.size(); ++i) (*like)[i].push_back(groups[i][j]);
      }
    }
    return result;
  }

  HostTensor gather(Machine& machine) const {
    HostTensor out =
        params_.logits
            ? runtime::make_tensor("logits", isa::DType::kFp32, {params_.batch, params_.model.vocabulary})
            : runtime::make_tensor("out", kModelDType, {params_.all_rows(), params_.model.hidden});
    for (const auto& stages : replicas_) stages->gather(machine, out);
    return out;
  }

  // Counts those of the sums over the ranks; attention over parts of the keys adds up outputs, too.
  PartialRoundings roundings() const {
    std::uint32_t sum = 0;
    for (const PhaseExchange& exchange : replicas_.front()->groups().front().programs->exchanges())
      sum = std::max(sum, exchange.planned().roundings);
    const bool in_parts = decodes() && params_.parallel.sequence > 1;
    return {static_cast<double>(sum) + (in_parts ? 1 : 0), static_cast<double>(sum), decodes(),
            params_.counted_rows()};
  }

  // By sequence.
  std::vector<Noisy> wanted() const {
    const HostCase values = host_case(params_, seed_);
    const Rows x = matrix_of(values.x);
    const auto rows = static_cast<Eigen::Index>(params_.sequence_rows());
    std::vector<Noisy> streams;
    for (Eigen::Index first = 0; first < x.rows(); first += rows)
      streams.push_back(Noisy::exact(x.middleRows(first, rows)));
    for (std::uint64_t l = 0; l < params_.layers; ++l)
      for (std::size_t s = 0; s < streams.size(); ++s)
        apply_layer(params_.model, values.weights[l], roundings(), cache_of(values, l, s), streams[s],
                    [&](std::uint64_t row, std::uint64_t k) {
                      return routing_->expert(l, s * params_.sequence_rows() + row, k);
                    });
    const auto last = static_cast<Eigen::Index>(params_.counted_rows()) - 1;
    if (params_.logits)
      for (Noisy& stream : streams)
        stream = logits_of(params_.model, values.vocabulary,
                           {stream.value.middleRows(last, 1), stream.variance.middleRows(last, 1)});
    return streams;
  }

  Cache cache_of(const HostCase& values, std::uint64_t layer, std::size_t sequence) const {
    if (values.weights[layer].delta) return states_of(values.caches[layer], sequence);
    if (params_.before() == 0) return {};
    const auto context = static_cast<Eigen::Index>(params_.before()),
               first = static_cast<Eigen::Index>(sequence) * context;
    const HostCache& cache = values.caches[layer];
    const Rows k = matrix_of(cache.k).middleRows(first, context);
    return {k, params_.model.latent ? Rows{} : Rows(matrix_of(cache.v).middleRows(first, context))};
  }

  Cache states_of(const HostCache& cache, std::size_t sequence) const {
    if (!decodes()) return {};
    const DeltaRule& d = params_.model.delta;
    const auto rows = static_cast<Eigen::Index>(d.value_heads * d.key_dim),
               batch = static_cast<Eigen::Index>(params_.batch), more = static_cast<Eigen::Index>(d.taps) - 1,
               number = static_cast<Eigen::Index>(sequence);
    const Rows all = matrix_of(cache.v);
    Rows past(more, all.cols());
    for (Eigen::Index j = 0; j < more; ++j) past.row(j) = all.row(j * batch + number);
    return {matrix_of(cache.k).middleRows(number * rows, rows), past};
  }

  TransformerParams params_;
  std::uint64_t seed_ = 0;
  std::optional<ExpertRouting> routing_;  // of a mixture of experts
  std::vector<std::unique_ptr<Stages>> replicas_;
  Stopwatch stopwatch_;
  Exposure exposure_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_transformer() { return std::make_unique<Transformer>(); }

}  // namespace tahoma::workloads
