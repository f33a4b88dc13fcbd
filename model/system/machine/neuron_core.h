// SPDX-License-Identifier: Apache-2.0
// Netlist of a NeuronCore: five engines, its two collective cores, semaphores, SBUF, PSUM and the 16 DMA
// engines.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "model/engine/dma/dma_rings.h"
#include "model/engine/pipeline/engine.h"
#include "model/engine/pipeline/tensor_array.h"
#include "model/memory/scratchpad/psum_banks.h"
#include "model/memory/scratchpad/scratchpad.h"
#include "model/memory/scratchpad/shared_port.h"

namespace tahoma::model {

// Learns that a core has completed its program: all instructions and transfers.
struct CoreEndIf {
  virtual void core_ended(std::uint32_t core) = 0;  // global number; perhaps more than once
  virtual ~CoreEndIf() = default;
};

class NeuronCore : public sc_core::sc_module, private sim::RetireIf {
 public:
  struct Place {
    std::uint32_t core, chip;  // global numbers
    std::uint32_t cores;       // of the machine
    bool functional, run_ahead;
    check::RaceChecker* checker;         // null: no checks
    sim::PeerMemoryIf* peers = nullptr;  // as DmaRings::Place
  };
  NeuronCore(sc_core::sc_module_name name, const Place& place, const CoreParams& params,
             sim::PayloadPool& pool, sim::Meter& meter);

  // The machine's HBM, and the rendezvous of the cores of a logical core; null if each is a logical core
  // itself.
  void bind(sim::BackdoorIf& hbm, RendezvousIf* rendezvous);

  sim::SemaphoreFile& semaphores() { return semaphores_; }
  DmaRings& dma() { return dma_; }
  Engine& engine(isa::Queue q) { return *engines_[static_cast<std::size_t>(q)]; }
  const std::array<std::unique_ptr<Engine>, isa::kQueueCount>& engines() const { return engines_; }

  void load(std::shared_ptr<const isa::Program> program, const Arguments& arguments);
  // Before the run, in functional mode: equal cores of other chips, for which this one stands.
  struct Equal {
    std::uint32_t core;  // global number
    std::string path;
    const base::NodeMap& chips;  // as MemberCore; must outlive the core
  };
  void stand_for(std::span<const Equal> equals, const CoreParams& params, sim::CoreThreads& threads);
  void seed(std::uint64_t seed);
  // Before the run, after stand_for(), in functional mode: the contents of all bytes of SBUF and PSUM.
  void fill(std::byte contents);
  bool done() const;
  // Before the run: the program begins at start() instead of time zero.
  void hold();
  void start(base::Time now);
  // The time at which all instructions so far are complete.
  base::Time ended() const;
  // Before the run: `listener`, which must outlive it, learns of the end.
  void report_end(CoreEndIf& listener) { listener_ = &listener; }
  // Before the run: keeps the on-chip memories after the program, so that they can be read.
  void keep_memories() { keeps_memories_ = true; }
  sim::ScratchpadIf& memory(isa::Space space) {
    return space == isa::Space::kPsum ? memories_.psum : memories_.sbuf;
  }

 private:
  void something_ended() override;

  Place place_;
  sim::SemaphoreFile semaphores_;
  struct OnChipMemories {
    explicit OnChipMemories(const CoreParams& params)
        : sbuf(params.sbuf.partitions, params.sbuf.per_partition.count),
          psum(params.sbuf.partitions, params.psum.per_partition.count) {}
    void forget() {
      sbuf.forget();
      psum.forget();
    }
    void fill(std::byte contents) {
      sbuf.fill(contents);
      psum.fill(contents);
    }
    Scratchpad sbuf, psum;
  };
  OnChipMemories memories_;
  std::deque<OnChipMemories> member_memories_;
  std::vector<MemberCore> members_;
  PsumBanks psum_banks_;
  SharedPort sbuf_port_;
  DmaRings dma_;
  std::unique_ptr<RingWitness> ring_witness_;  // null: the rings are not witnessed
  std::unique_ptr<TensorArray> gates_;         // null: the tensor engine computes by the law
  std::array<std::unique_ptr<Engine>, isa::kQueueCount> engines_;
  std::shared_ptr<const isa::Program> program_;
  Arguments arguments_{};
  CoreEndIf* listener_ = nullptr;
  bool keeps_memories_ = false;
};

}  // namespace tahoma::model
