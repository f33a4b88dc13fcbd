// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/engine_values.h"

#include "isa/table/table.h"

namespace tahoma::model {

EngineValues::EngineValues(base::EngineKind kind, bool functional, const CoreParams& params,
                           TensorArray* array)
    : functional_(functional),
      stochastic_(params.rounding == RoundingMode::kStochastic && kind != base::EngineKind::kTensor),
      exact_integers_(kind == base::EngineKind::kGpSimd),
      array_(array) {
  weights_.array = {static_cast<unsigned>(params.tensor.rows), static_cast<unsigned>(params.tensor.columns)};
}

void EngineValues::seed(std::uint64_t seed, std::uint32_t engine) {
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  rounding_ = {isa::mix32(isa::mix32(isa::mix32(low) + high) + engine), 0};
}

void EngineValues::apply(const isa::Instruction& i, const CoreMemories& memories, base::Time t) {
  if (!functional_) return forget_written(i, memories);
  isa::CoreView view{memories.sbuf.bytes(), memories.sbuf.stride(), memories.psum.bytes(),
                     memories.psum.stride(), &weights_};
  view.lanes = &lanes_;
  if (stochastic_) view.rounding = &rounding_;
  view.exact_integers = exact_integers_;
  const bool streams = isa::row_of(i.op).cost == isa::CostClass::kMatmul;
  if (streams && array_ != nullptr) return array_->execute(i, view, t);
  isa::execute(i, view);
}

}  // namespace tahoma::model
