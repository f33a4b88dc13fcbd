// SPDX-License-Identifier: Apache-2.0
// The tensors that a training step updates, on every rank, with their gradients in fp32: products of the
// layers, which are sharded over the ranks of a replica, and gains of the norms and the head, which every
// rank has.
#pragma once

#include "workloads/training/case/training_case.h"
#include "workloads/training/step/backward_parts.h"
#include "workloads/training/step/fleet.h"

namespace tahoma::workloads {

// One tensor of every rank.
struct Trained {
  std::string name;
  bool on_all_ranks = false;             // the same on all ranks of a replica
  std::vector<Matrix> weight, gradient;  // by rank number; the gradient from this rank's rows
};

class Parameters {
 public:
  static constexpr std::size_t kProducts = 4;  // of a layer: qkv, o, gate and up, down
  static Matrix LayerWeights::*product(std::size_t number);

  // `head` says whether this is the last stage, which has the head.
  Parameters(Fleet& fleet, const TrainingParams& params, bool head);

  const RankShare& share() const { return share_; }
  const LayerWeights& weights(const Cell& c, std::size_t layer) const { return of(c).weights[layer]; }
  const LayerWeights& gradients(const Cell& c, std::size_t layer) const { return of(c).gradients[layer]; }
  // The gradients of a micro-batch, before they are added to the sums above; only if gradients are
  // accumulated.
  const LayerWeights& added(const Cell& c) const { return *of(c).added; }
  const Matrix& added_head(const Cell& c) const { return of(c).added_head; }
  runtime::HbmView added_gain(const Cell& c) const {
    return of(c).added_gains[c.physical_core].of(c.physical_core);
  }
  const Matrix& head(const Cell& c) const { return of(c).head; }
  const Matrix& head_gradient(const Cell& c) const { return of(c).head_gradient; }

  // Norms have numbers: the two of each layer, and the last one.
  std::size_t attention_norm(std::size_t layer) const { return 2 * layer; }
  std::size_t mlp_norm(std::size_t layer) const { return 2 * layer + 1; }
  std::size_t final_norm() const { return 2 * params_.forward.layers; }
  runtime::HbmView gain(const Cell& c, std::size_t norm) const;
  // The contribution of the cell's own rows to its gradient, [1, hidden].
  runtime::HbmView gain_part(const Cell& c, std::size_t norm) const;
  // The backward pass of a norm on a cell's own rows; its dgain is this object's.
  void back_through_norm(const BackwardPart& part, const Cell& c, std::size_t norm,
                         BackwardPart::Norm views) const;
  // Adds the physical cores' parts once all are complete.
  void add_gain_parts();

  // Zeros follow the gains' own rows, so that all cells can shard them evenly.
  Trained trained_gains() const { return trained("gains", true, &OfRank::gains, &OfRank::gain_gradients); }
  Trained trained_head() const { return trained("head", true, &OfRank::head, &OfRank::head_gradient); }
  std::vector<Trained> trained_layer(std::size_t layer) const;

  void fill(const ModelTensors& values) const;

 private:
  struct OfRank {
    std::vector<LayerWeights> weights, gradients;  // by layer; without gains
    Matrix gains, gain_gradients;                  // [gain_rows_, hidden]
    std::vector<Matrix> gain_parts;                // by physical core
    Matrix head, head_gradient;                    // [hidden, vocabulary]
    std::optional<LayerWeights> added;
    Matrix added_head;
    std::vector<Matrix> added_gains;  // by physical core, [1, hidden]
  };
  OfRank make(const Cell& rank) const;
  void make_sums(const Cell& rank, OfRank& made) const;
  const OfRank& of(const Cell& c) const { return ranks_[fleet_.rank_number(c)]; }
  Trained trained(const std::string& name, bool on_all_ranks, Matrix OfRank::*weight,
                  Matrix OfRank::*gradient) const;

  Fleet& fleet_;
  const TrainingParams& params_;
  RankShare share_;
  bool has_head_;
  std::uint64_t gain_rows_;
  std::vector<OfRank> ranks_;
};

}  // namespace tahoma::workloads
