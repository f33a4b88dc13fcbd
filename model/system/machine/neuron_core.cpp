// SPDX-License-Identifier: Apache-2.0
#include "model/system/machine/neuron_core.h"

#include <string>

#include "built_modules.h"
#include "isa/table/table.h"
#include "model/rtl/blocks/rtl_blocks.h"

namespace tahoma::model {
namespace {

base::EngineKind kind_of(isa::Queue q) {
  switch (q) {
    case isa::Queue::kTensor:
      return base::EngineKind::kTensor;
    case isa::Queue::kVector:
      return base::EngineKind::kVector;
    case isa::Queue::kScalar:
      return base::EngineKind::kScalar;
    case isa::Queue::kGpSimd:
      return base::EngineKind::kGpSimd;
    case isa::Queue::kSync:
      return base::EngineKind::kSync;
    default:
      return base::EngineKind::kCollective;
  }
}

}  // namespace

NeuronCore::NeuronCore(sc_core::sc_module_name name, const Place& place, const CoreParams& params,
                       sim::PayloadPool& pool, sim::Meter& meter)
    : sc_module(name),
      place_(place),
      semaphores_("semaphores", place.core, &meter),
      memories_(params),
      sbuf_port_(params.sbuf.shared_port),
      dma_("dma", {place.core, place.chip, place.functional, place.checker, place.peers}, params.dma, pool,
           meter) {
  if (params.tensor.model == BlockModel::kRtl)
    gates_ = TAHOMA_MODULE_PART(rtl, rtl::tensor_array)(std::string(this->name()) + ".tensor", params.tensor);
  if (params.dma.model == BlockModel::kRtl) {
    ring_witness_ = TAHOMA_MODULE_PART(rtl, rtl::dma_rings)(dma_.name(), params.dma);
    dma_.watch(*ring_witness_);
  }
  dma_.sbuf(memories_.sbuf);
  dma_.psum(memories_.psum);
  dma_.retire(*this);
  dma_.semaphores(semaphores_);
  for (std::size_t q = 0; q < isa::kQueueCount; ++q) {
    const auto queue = static_cast<isa::Queue>(q);
    auto& engine = engines_[q];
    engine = std::make_unique<Engine>(
        std::string(isa::name_of(queue)).c_str(),
        Engine::Place{kind_of(queue), queue, place.core, place.chip, place.cores, place.functional,
                      place.run_ahead, place.checker, queue == isa::Queue::kTensor ? gates_.get() : nullptr},
        params, meter);
    engine->semaphores(semaphores_);
    engine->doorbell(dma_);
    engine->sbuf(memories_.sbuf);
    engine->psum(memories_.psum);
    engine->retire(*this);
    engine->banks(psum_banks_);
    engine->shared_port(sbuf_port_);
  }
}

void NeuronCore::bind(sim::BackdoorIf& hbm, RendezvousIf* rendezvous) {
  dma_.hbm(hbm);
  for (const auto& engine : engines_) {
    engine->hbm(hbm);
    if (rendezvous != nullptr) engine->rendezvous(*rendezvous);
  }
}

void NeuronCore::load(std::shared_ptr<const isa::Program> program, const Arguments& arguments) {
  program_ = std::move(program);
  arguments_ = arguments;
  if (place_.checker != nullptr) place_.checker->load(place_.core, *program_);
  for (const auto& engine : engines_) engine->load(*program_, arguments_);
}

void NeuronCore::stand_for(std::span<const Equal> equals, const CoreParams& params,
                           sim::CoreThreads& threads) {
  for (const Equal& equal : equals) {
    OnChipMemories& own = member_memories_.emplace_back(params);
    members_.push_back({equal.core, equal.path, own.sbuf, own.psum, equal.chips});
  }
  dma_.stand_for({members_, &threads});
  for (const auto& engine : engines_) engine->stand_for({members_, &threads});
}

void NeuronCore::seed(std::uint64_t seed) {
  for (const auto& engine : engines_) engine->seed(seed);
}

void NeuronCore::fill(std::byte contents) {
  memories_.fill(contents);
  for (OnChipMemories& memories : member_memories_) memories.fill(contents);
}

bool NeuronCore::done() const {
  for (const auto& engine : engines_)
    if (!engine->done()) return false;
  return dma_.idle();
}

void NeuronCore::hold() {
  for (const auto& engine : engines_) engine->hold();
}

void NeuronCore::start(base::Time now) {
  for (const auto& engine : engines_) engine->start(now);
}

base::Time NeuronCore::ended() const {
  base::Time last{0};
  for (const auto& engine : engines_) last = std::max(last, engine->ended());
  return last;
}

// On-chip memories do not outlive the program unless requested: their host pages go to the cores that still
// run.
void NeuronCore::something_ended() {
  if (!done()) return;
  if (listener_ != nullptr) listener_->core_ended(place_.core);
  if (keeps_memories_) return;
  memories_.forget();
  for (OnChipMemories& memories : member_memories_) memories.forget();
}

}  // namespace tahoma::model
