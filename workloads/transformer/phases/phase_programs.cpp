// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/phases/phase_programs.h"

#include "workloads/transformer/experts/experts.h"
#include "workloads/transformer/vocabulary/logits.h"
#include "workloads/transformer/vocabulary/token_embedding.h"

namespace tahoma::workloads {

PhasePrograms::PhasePrograms(Replica& replica, const TransformerParams& params, const Station& station)
    : replica_(replica), params_(params), station_(station), share_(params, replica.physical_cores()) {}

PhasePrograms::~PhasePrograms() = default;

void PhasePrograms::add_experts(const ExpertRouting* routing, std::size_t slices, const RowsOfSlice& rows) {
  if (routing == nullptr) return;
  std::vector<std::size_t> layers;  // of the case
  for (std::size_t l = 0; l < params_.layers_of_stage(station_.stage).count; ++l)
    if (has_experts(l)) layers.push_back(layer_number(l));
  if (layers.empty()) return;
  const ExpertSteps::Stage stage{.layers = std::move(layers), .slices = slices, .own = rows};
  experts_ = std::make_unique<Experts>(replica_, params_, *routing, stage,
                                       [this](PhaseExchange exchange) { keep(std::move(exchange)); });
}

ExpertTurn PhasePrograms::turn(std::size_t layer, std::size_t slice) const {
  std::size_t before = 0;
  for (std::size_t l = 0; l < layer; ++l) before += has_experts(l) ? 1 : 0;
  return {microbatch_, before, slice};
}

void PhasePrograms::add_embedding(std::size_t slices, const EmbeddedRows& rows) {
  if (!params_.logits || station_.before != nullptr) return;
  embedding_ = std::make_unique<TokenEmbedding>(
      replica_, params_, slices, rows,
      [this](std::size_t g, std::size_t b, std::uint64_t row) { return case_row(g, b, row); });
}

void PhasePrograms::add_logits() {
  if (params_.logits && station_.behind == nullptr) logits_ = std::make_unique<Logits>(replica_, params_);
}

void PhasePrograms::fill_vocabulary(runtime::Machine& machine, const HostCase& values) const {
  if (embedding_) embedding_->fill(machine, values.vocabulary);
  if (logits_) logits_->fill(machine, values.vocabulary);
}

void PhasePrograms::fill_control(runtime::Machine& machine, const runtime::HostTensor& ids) const {
  if (experts_) experts_->fill_control(machine);
  if (embedding_) embedding_->fill_control(machine, ids);
}

void PhasePrograms::gather(runtime::Machine& machine, runtime::HostTensor& out) const {
  if (logits_) return logits_->gather(machine, out);
  if (!params_.logits) gather_stream(machine, out);
}

void PhasePrograms::keep_heads(std::size_t layer, std::size_t rank, const Matrix& heads) {
  if (!params_.model.latent) heads_.push_back({microbatch_, layer, rank, heads});
}

void PhasePrograms::keep_states(States states) {
  states.microbatch = microbatch_;
  states_.push_back(std::move(states));
}

void PhasePrograms::gather_states(runtime::Machine& machine, HostCache& out) const {
  const DeltaRule& d = params_.model.delta;
  const std::uint64_t cores = share_.ranks * share_.physical_cores, rows = d.value_heads * d.key_dim,
                      state_rows = share_.delta_heads(params_.model).state_rows();
  for (const States& kept : states_)
    for (std::size_t g = 0; g < replica_.alike().size(); ++g)
      for (std::uint64_t s = 0; s < params_.sequences(); ++s) {
        const std::uint64_t core = kept.rank * share_.physical_cores + kept.physical_core,
                            sequence = case_row(g, kept.microbatch, s * params_.sequence_rows()) /
                                       params_.sequence_rows(),
                            layer = layer_number(kept.layer);
        for (const RowBlock& block : d.state_blocks(core, cores))
          runtime::paste_window(
              out.k, {(layer * params_.batch + sequence) * rows + block.of_model_row, 0, 1, block.columns},
              row_of(machine, replica_, g, kept.states, s * state_rows + block.row) +
                  block.column * sizeof(float));
        for (std::uint64_t j = 0; j + 1 < d.taps; ++j)
          for (const RowBlock& block : d.channel_blocks(core, cores))
            runtime::paste_window(out.v,
                                  {(layer * (d.taps - 1) + j) * params_.batch + sequence,
                                   block.of_model_column, 1, block.columns},
                                  row_of(machine, replica_, g, kept.tokens, kept.row(s, j)) +
                                      (kept.column + block.column) * isa::size_of(kModelDType));
      }
}

void PhasePrograms::gather_keys(runtime::Machine& machine, HostCache& out) const {
  const std::uint64_t d = params_.model.head_dim, columns = share_.kv_heads * d,
                      bytes = d * isa::size_of(kModelDType);
  for (const Heads& heads : heads_)
    for (std::size_t g = 0; g < replica_.alike().size(); ++g)
      for (std::uint64_t row = 0; row < params_.rows(); ++row) {
        const runtime::Window to{
            layer_number(heads.layer) * params_.all_rows() + case_row(g, heads.microbatch, row),
            share_.first_kv_head(heads.rank) * d, 1, columns};
        const std::byte* from = row_of(machine, replica_, g, heads.matrix, row);
        runtime::paste_window(out.k, to, from + share_.heads * bytes);
        runtime::paste_window(out.v, to, from + (share_.heads + share_.kv_heads) * bytes);
      }
}

void PhasePrograms::finish(std::size_t microbatch, const RowsOf& rows) {
  if (params_.parallel.pipeline == 1) return;
  replica_.each("hand-over", [&](std::size_t r, std::size_t h) {
    const runtime::HbmView of_core = rows(r, h);
    if (of_core.rows == 0) return;
    runtime::collective::CoreProgram& program = replica_.program(r, h);
    program.kernel.wait(Handover::kQueue, of_core);
    done_.push_back({microbatch, r, h, program.mark(Handover::kQueue)});
    if (station_.behind != nullptr) station_.behind->send(r, h, of_core, done_.back().mark);
  });
}

}  // namespace tahoma::workloads
