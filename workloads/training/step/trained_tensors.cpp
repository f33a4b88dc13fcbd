// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/trained_tensors.h"

#include <fmt/format.h>

#include <array>

#include "workloads/transformer/layer/parts.h"

namespace tahoma::workloads {

using isa::DType;
using runtime::HbmView, runtime::HostTensor;

namespace {

struct Product {
  const char* name;
  Matrix LayerWeights::*matrix;
};
constexpr std::array<Product, Parameters::kProducts> kTable{{{"qkv", &LayerWeights::qkv},
                                                             {"o", &LayerWeights::o},
                                                             {"gate and up", &LayerWeights::gate_up},
                                                             {"down", &LayerWeights::down}}};

}  // namespace

Matrix LayerWeights::*Parameters::product(std::size_t number) { return kTable.at(number).matrix; }

Parameters::Parameters(Fleet& fleet, const TrainingParams& params, bool head)
    : fleet_(fleet),
      params_(params),
      share_(params.forward, fleet.physical_cores()),
      has_head_(head),
      gain_rows_(2 * params.forward.layers + 1) {
  while (gain_rows_ % fleet.physical_cores() != 0 ||
         gain_rows_ * params.model().hidden % (fleet.cells() * kGradientGrain) != 0)
    ++gain_rows_;
  fleet.each_rank([&](const Cell& rank) { ranks_.push_back(make(rank)); });
}

Parameters::OfRank Parameters::make(const Cell& rank) const {
  const ModelShape& m = params_.model();
  Replica& replica = fleet_.replica(rank);
  const auto input = [&](Matrix matrix) {
    replica.declare_input(matrix.tensor);
    return matrix;
  };
  OfRank made;
  for (std::size_t l = 0; l < params_.forward.layers; ++l) {
    made.weights.push_back(LayerWeights::products(replica, rank.rank, m, share_, TransformerParams::kDType));
    made.gradients.push_back(LayerWeights::products(replica, rank.rank, m, share_, DType::kFp32));
    for (const Product& product : kTable) replica.declare_input((made.weights.back().*product.matrix).tensor);
  }
  made.gains = input(replica.shared(rank.rank, "gains", DType::kFp32, gain_rows_, m.hidden));
  for (std::size_t h = 0; h < fleet_.physical_cores(); ++h)  // the rows after the gains' own remain zero
    made.gain_parts.push_back(
        input(replica.shared(rank.rank, "gain_parts", DType::kFp32, gain_rows_, m.hidden)));
  made.gain_gradients = fleet_.physical_cores() == 1
                            ? made.gain_parts.front()
                            : replica.shared(rank.rank, "gain_gradients", DType::kFp32, gain_rows_, m.hidden);
  if (has_head_) {
    made.head = input(replica.shared(rank.rank, "head", TransformerParams::kDType, m.hidden, m.vocabulary));
    made.head_gradient = replica.shared(rank.rank, "head_gradient", DType::kFp32, m.hidden, m.vocabulary);
  }
  if (params_.accumulates()) make_sums(rank, made);
  return made;
}

// Sums start from zero: they count as inputs.
void Parameters::make_sums(const Cell& rank, OfRank& made) const {
  const ModelShape& m = params_.model();
  Replica& replica = fleet_.replica(rank);
  for (const LayerWeights& gradients : made.gradients)
    for (const Product& product : kTable) replica.declare_input((gradients.*product.matrix).tensor);
  made.added = LayerWeights::products(replica, rank.rank, m, share_, DType::kFp32);
  for (std::size_t h = 0; h < fleet_.physical_cores(); ++h)
    made.added_gains.push_back(replica.own(rank.rank, h, "added_gain", DType::kFp32, 1, m.hidden));
  if (!has_head_) return;
  replica.declare_input(made.head_gradient.tensor);
  made.added_head = replica.shared(rank.rank, "added_head", DType::kFp32, m.hidden, m.vocabulary);
}

HbmView Parameters::gain(const Cell& c, std::size_t norm) const {
  return rows_of(of(c).gains.of(c.physical_core), norm, 1);
}

HbmView Parameters::gain_part(const Cell& c, std::size_t norm) const {
  return rows_of(of(c).gain_parts[c.physical_core].of(c.physical_core), norm, 1);
}

void Parameters::back_through_norm(const BackwardPart& part, const Cell& c, std::size_t norm,
                                   BackwardPart::Norm views) const {
  const HbmView sum = gain_part(c, norm);
  views.dgain = params_.accumulates() ? added_gain(c) : sum;
  part.norm(views);
  if (params_.accumulates()) LayerPart{part.kernel, part.machine, part.model}.add(sum, added_gain(c), sum);
}

void Parameters::add_gain_parts() {
  if (fleet_.physical_cores() == 1) return;
  fleet_.region("gain gradients");
  fleet_.each_rank([&](const Cell& c) {
    fleet_.replica(c).synchronise(c.rank, [&](std::size_t writer, std::size_t viewer) {
      return std::vector<HbmView>{of(c).gain_parts[writer].of(viewer)};
    });
  });
  const std::uint64_t rows = gain_rows_ / fleet_.physical_cores();
  fleet_.each([&](const Cell& c) {
    const auto mine = [&](const Matrix& matrix) {
      return rows_of(matrix.of(c.physical_core), c.physical_core * rows, rows);
    };
    const OfRank& rank = of(c);
    LayerPart{fleet_.kernel(c), fleet_.machine().params(), params_.model()}.add(
        mine(rank.gain_parts.front()), mine(rank.gain_parts.back()), mine(rank.gain_gradients));
  });
}

void Parameters::fill(const ModelTensors& values) const {
  runtime::Machine& machine = fleet_.machine();
  HostTensor gains = runtime::make_tensor("gains", DType::kFp32, {gain_rows_, params_.model().hidden});
  const auto put = [&](std::size_t norm, const HostTensor& gain) {
    std::copy(gain.values.begin(), gain.values.end(),
              gains.values.begin() + static_cast<std::ptrdiff_t>(norm * gain.values.size()));
  };
  for (std::size_t l = 0; l < values.layers.size(); ++l) {
    put(attention_norm(l), values.layers[l].attention_gain);
    put(mlp_norm(l), values.layers[l].mlp_gain);
  }
  put(final_norm(), values.final_gain);
  fleet_.each_rank([&](const Cell& c) {
    const OfRank& rank = of(c);
    machine.write(rank.gains.tensor, gains.values);
    if (has_head_) machine.write(rank.head.tensor, values.head.values);
    for (std::size_t l = 0; l < values.layers.size(); ++l)
      rank.weights[l].fill_products(machine, fleet_.replica(c), c.rank, params_.model(), values.layers[l],
                                    share_);
  });
}

Trained Parameters::trained(const std::string& name, bool on_all_ranks, Matrix OfRank::*weight,
                            Matrix OfRank::*gradient) const {
  Trained trained{name, on_all_ranks, {}, {}};
  for (const OfRank& rank : ranks_) {
    trained.weight.push_back(rank.*weight);
    trained.gradient.push_back(rank.*gradient);
  }
  return trained;
}

std::vector<Trained> Parameters::trained_layer(std::size_t layer) const {
  std::vector<Trained> all;
  for (const Product& product : kTable) {
    Trained& trained = all.emplace_back(Trained{product.name, false, {}, {}});
    for (const OfRank& rank : ranks_) {
      trained.weight.push_back(rank.weights[layer].*product.matrix);
      trained.gradient.push_back(rank.gradients[layer].*product.matrix);
    }
  }
  return all;
}

}  // namespace tahoma::workloads
