// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/engine_values.h"

#include "isa/table/table.h"

namespace tahoma::model {

EngineValues::EngineValues(const Owner& engine, const CoreParams& params, TensorArray* array)
    : engine_(engine),
      stochastic_(params.rounding == RoundingMode::kStochastic && engine.kind != base::EngineKind::kTensor),
      array_(array) {
  weights_.array = {static_cast<unsigned>(params.tensor.rows), static_cast<unsigned>(params.tensor.columns)};
  seed(0);
}

void EngineValues::seed(std::uint64_t seed) {
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  const auto engine =
      static_cast<std::uint32_t>(engine_.core * isa::kQueueCount + static_cast<std::size_t>(engine_.queue));
  rounding_ = {isa::mix32(isa::mix32(isa::mix32(low) + high) + engine), 0};
}

void EngineValues::apply(const isa::Instruction& i, const CoreMemories& memories, base::Time t) {
  if (!engine_.functional) return forget_written(i, memories);
  isa::CoreView view{memories.sbuf.bytes(), memories.sbuf.stride(), memories.psum.bytes(),
                     memories.psum.stride(), &weights_};
  view.lanes = &lanes_;
  if (stochastic_) view.rounding = &rounding_;
  view.exact_integers = engine_.kind == base::EngineKind::kGpSimd;
  const bool streams = isa::row_of(i.op).cost == isa::CostClass::kMatmul;
  if (streams && array_ != nullptr) return array_->execute(i, view, t);
  isa::execute(i, view);
}

}  // namespace tahoma::model
