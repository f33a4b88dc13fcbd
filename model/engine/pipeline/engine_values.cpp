// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/engine_values.h"

#include "isa/table/table.h"
#include "isa/table/table_fields.h"

namespace tahoma::model {

namespace {

// Products or results of an instruction.
std::uint64_t elements_of(const isa::Instruction& i) {
  const std::uint64_t moved = i.shape.partitions * isa::free_elements(i.shape);
  return isa::row_of(i.op).cost == isa::CostClass::kMatmul ? moved * i.shape.partitions : moved;
}

}  // namespace

EngineValues::EngineValues(const Owner& engine, const CoreParams& params, TensorArray* array)
    : engine_(engine),
      stochastic_(params.rounding == RoundingMode::kStochastic && engine.kind != base::EngineKind::kTensor),
      array_(array) {
  OfCore own{engine.core, {}, {}, {}};
  own.weights.array = {static_cast<unsigned>(params.tensor.rows),
                       static_cast<unsigned>(params.tensor.columns)};
  cores_.push_back(std::move(own));
  seed(0);
}

void EngineValues::stand_for(std::span<const MemberCore> members) {
  for (const MemberCore& member : members) {
    OfCore& equal = cores_.emplace_back(cores_.front());
    equal.core = member.core;
  }
}

void EngineValues::seed(std::uint64_t seed) {
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  for (OfCore& of : cores_) {
    const auto engine =
        static_cast<std::uint32_t>(of.core * isa::kQueueCount + static_cast<std::size_t>(engine_.queue));
    of.rounding = {isa::mix32(isa::mix32(isa::mix32(low) + high) + engine), 0};
  }
}

void EngineValues::apply(const isa::Instruction& i, const CoreMemories& memories, base::Time t) {
  if (!engine_.functional) return forget_written(i, memories);
  memories.for_each_core(elements_of(i), [&](std::size_t n) {
    if (n == 0) return apply(i, memories, t, cores_.front());
    const MemberCore& member = memories.members.cores[n - 1];
    try {
      apply(i, memories.of(member), t, cores_[n]);
    } catch (const isa::ProgramError& e) {
      throw MemberError(e, member);
    }
  });
}

void EngineValues::apply(const isa::Instruction& i, const CoreMemories& memories, base::Time t, OfCore& own) {
  isa::CoreView view{memories.sbuf.bytes(), memories.sbuf.stride(), memories.psum.bytes(),
                     memories.psum.stride(), &own.weights};
  view.lanes = &own.lanes;
  if (stochastic_) view.rounding = &own.rounding;
  view.exact_integers = engine_.kind == base::EngineKind::kGpSimd;
  const bool streams = isa::row_of(i.op).cost == isa::CostClass::kMatmul;
  if (streams && array_ != nullptr) return array_->execute(i, view, t);
  isa::execute(i, view);
}

}  // namespace tahoma::model
