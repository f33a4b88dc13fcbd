// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/transformer.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/collective/measure.h"
#include "runtime/golden_rule.h"
#include "workloads/transformer/decode_step.h"
#include "workloads/transformer/definition.h"
#include "workloads/transformer/expert_teams.h"
#include "workloads/transformer/experts.h"
#include "workloads/transformer/exposure.h"
#include "workloads/transformer/figures.h"
#include "workloads/transformer/footprint.h"
#include "workloads/transformer/prefill.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HostTensor, runtime::Machine;

namespace {

constexpr isa::DType kDType = TransformerParams::kDType;

class Transformer final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override { params_.declare(t); }
  void check(const model::MachineParams& machine) const override {
    params_.check(machine);
    check_footprint(params_, machine);
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    seed_ = seed;
    const Seating seating(machine.params(), params_.placement, params_.parallel.tensor);
    std::optional<HostCase> values;
    if (machine.functional()) values = host_case(params_, seed_);
    std::vector<Replica::Place> places =
        places_of(machine.params(), seating, params_.parallel.data, params_.parallel.tensor);
    if (params_.model.experts > 0) {
      routing_.emplace(params_, seed);
      seat_teams(machine.params(), params_.parallel, places);
    }
    for (auto& alike : routed_alike(sort_alike(machine.params(), std::move(places)))) {
      replicas_.push_back(std::make_unique<Replica>(machine, std::move(alike)));
      programs_.push_back(programs_of(*replicas_.back()));
      programs_.back()->emit();
      replicas_.back()->load(stopwatch_);
      if (values) programs_.back()->fill(machine, *values);
      if (const Experts* experts = programs_.back()->experts()) experts->fill_control(machine);
    }
    machine.observe(&stopwatch_);
    machine.observe(&exposure_);
  }

  runtime::GoldenResult verify(Machine& machine) override {
    const HostTensor got = gather(machine);
    const std::vector<Stream> streams = wanted();
    const std::uint64_t rows = rows_of_sequence();
    runtime::GoldenResult golden = runtime::check_rows(
        got, [&](std::uint64_t row) { return wanted_row(streams[row / rows], row % rows); },
        runtime::unit_roundoff(kDType),
        "six deviations of independent roundings of the activations, relative to the root mean square of a "
        "token's row",
        [&](std::uint64_t row, std::uint64_t) {
          return fmt::format("the ranks of replica {}", row / params_.rows());
        });
    for (const auto& programs : programs_)
      if (const Experts* experts = programs->experts()) experts->check(machine, golden);
    return golden;
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    HostTensor out = gather(machine);
    return {{out.name, out.dtype, out.shape, std::move(out.values)}};
  }

  std::vector<runtime::CollectiveResult> collectives(Machine& machine, const base::RunMeasurement&) override {
    std::vector<runtime::CollectiveResult> results;
    for (std::size_t i = 0; i < programs_.size(); ++i)
      for (const PhasePrograms::Exchange& exchange : programs_[i]->exchanges())
        results.push_back(result_of(machine.params(), *replicas_[i], exchange));
    return results;
  }

  std::vector<runtime::WorkloadFigure> figures(Machine& machine, const base::RunMeasurement& run) override {
    for (std::size_t i = 0; i < programs_.size(); ++i)
      for (const PhasePrograms::Exchange& exchange : programs_[i]->exchanges())
        for_spans(*replicas_[i], exchange, [&](const std::vector<Stopwatch::Span>& spans) {
          for (const Stopwatch::Span& span : spans)
            exposure_.collective(span.core, stopwatch_.begin(span), stopwatch_.end(span));
        });
    std::vector<runtime::WorkloadFigure> figures =
        figures_of(params_, machine.params(), run, exposure_.exposed());
    if (routing_) add_routing_figures(figures, *routing_);
    return figures;
  }

  double useful_flops() const override { return params_.useful_flops(); }
  isa::DType compute_dtype() const override { return kDType; }
  std::uint32_t cores_used() const override {
    std::size_t cores = 0;
    for (const auto& replica : replicas_)
      cores += replica->alike().size() * replica->ranks() * replica->halves();
    return static_cast<std::uint32_t>(cores);
  }
  std::string describe() const override { return params_.describe(); }

 private:
  bool decodes() const { return params_.phase() == Phase::kDecode; }
  std::uint64_t all_rows() const { return params_.rows() * params_.parallel.data; }
  std::uint64_t rows_of_sequence() const { return decodes() ? 1 : params_.tokens; }

  std::unique_ptr<PhasePrograms> programs_of(Replica& replica) const {
    const ExpertRouting* routing = routing_ ? &*routing_ : nullptr;
    if (decodes()) return std::make_unique<DecodeStep>(replica, params_, routing);
    return std::make_unique<Prefill>(replica, params_, routing);
  }

  // Programs depend on how many tokens go where.
  std::vector<std::vector<Replica::Place>> routed_alike(
      std::vector<std::vector<Replica::Place>> alike) const {
    if (!routing_) return alike;
    std::vector<std::vector<Replica::Place>> result;
    for (std::vector<Replica::Place>& some : alike) {
      const auto begin = static_cast<std::ptrdiff_t>(result.size());
      for (Replica::Place& place : some) {
        auto like = std::find_if(result.begin() + begin, result.end(), [&](const auto& routed) {
          return routing_->alike(routed.front().number, place.number);
        });
        if (like == result.end()) like = result.insert(like, std::vector<Replica::Place>{});
        like->push_back(std::move(place));
      }
    }
    return result;
  }

  HostTensor gather(Machine& machine) const {
    HostTensor out = runtime::make_tensor("out", kDType, {all_rows(), params_.model.hidden});
    for (const auto& programs : programs_) programs->gather(machine, out);
    return out;
  }

  // On the longest way through a part: normed rows, a product, rope twice, probabilities, their output, a
  // partial sum, the stream, and the sum over the ranks; without attention two fewer. Experts add what the
  // router made its choice of, and the sum of what they made of a token.
  Roundings roundings() const {
    std::uint32_t sum = 1;
    for (const PhasePrograms::Exchange& exchange : programs_.front()->exchanges())
      sum = std::max(sum, exchange.placed().roundings);
    return {8.0 + sum, (routing_ ? 8.0 : 6.0) + sum};
  }

  // By sequence.
  std::vector<Stream> wanted() const {
    const HostCase values = host_case(params_, seed_);
    const Rows x = matrix_of(values.x);
    const auto rows = static_cast<Eigen::Index>(rows_of_sequence());
    std::vector<Stream> streams;
    for (Eigen::Index first = 0; first < x.rows(); first += rows)
      streams.push_back({x.middleRows(first, rows), Eigen::VectorXd::Zero(rows)});
    for (std::uint64_t l = 0; l < params_.layers; ++l)
      for (std::size_t s = 0; s < streams.size(); ++s)
        apply_layer(params_.model, values.weights[l], roundings(), cache_of(values, l, s), streams[s],
                    [&](std::uint64_t row, std::uint64_t k) {
                      return routing_->expert(l, s * rows_of_sequence() + row, k);
                    });
    return streams;
  }

  Cache cache_of(const HostCase& values, std::uint64_t layer, std::size_t sequence) const {
    if (params_.context == 0 || !decodes()) return {};
    const auto context = static_cast<Eigen::Index>(params_.context),
               first = static_cast<Eigen::Index>(sequence) * context;
    const HostCache& cache = values.caches[layer];
    return {matrix_of(cache.k).middleRows(first, context), matrix_of(cache.v).middleRows(first, context)};
  }

  // body(channels' spans), of each rank of each replica.
  template <class Body>
  static void for_spans(const Replica& replica, const PhasePrograms::Exchange& exchange, Body&& body) {
    for (const Replica::Place& place : replica.alike())
      for (const auto& [placed, team] : exchange.parties)
        for (std::size_t r = 0; r < placed.spans.size(); ++r) {
          std::vector<Stopwatch::Span> spans = placed.spans[r];
          const std::size_t rank = team != nullptr ? team->ranks[r] : r;
          for (Stopwatch::Span& span : spans) span.core = place.cores[rank][exchange.half];
          body(spans);
        }
  }

  runtime::CollectiveResult result_of(const model::MachineParams& machine, const Replica& replica,
                                      const PhasePrograms::Exchange& exchange) const {
    const auto& [placed, team] = exchange.parties.front();
    std::vector<runtime::RankTimes> ranks;
    for_spans(replica, exchange, [&](const std::vector<Stopwatch::Span>& spans) {
      ranks.push_back(times_of(stopwatch_, spans));
    });
    const Group& group = team != nullptr ? *team->group : replica.alike().front().groups[exchange.half];
    std::uint64_t elements = 0;  // of a party, their mean
    for (const PhasePrograms::Party& party : exchange.parties) elements += party.placed.spec.elements;
    const std::uint64_t bytes = elements / exchange.parties.size() * isa::size_of(placed.spec.dtype) /
                                vector_bytes(placed.spec.problem, 1);
    runtime::CollectiveResult result = measured(machine, group, placed, bytes, std::move(ranks));
    result.name = fmt::format("{}, half {}", exchange.region, exchange.half);
    if (placed.spec.problem.reduces()) result.combiner = "sum";
    result.why = params_.algorithm;
    result.group = fmt::format("{} groups of {} cores at once",
                               replica.alike().size() * exchange.parties.size(), group.ranks());
    return result;
  }

  TransformerParams params_;
  std::uint64_t seed_ = 0;
  std::optional<ExpertRouting> routing_;  // of a mixture of experts
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<std::unique_ptr<PhasePrograms>> programs_;
  Stopwatch stopwatch_;
  Exposure exposure_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_transformer() { return std::make_unique<Transformer>(); }

}  // namespace tahoma::workloads
