// SPDX-License-Identifier: Apache-2.0
// The rendezvous of the two physical cores of a logical core, by core_barrier or by sendrecv, which swaps
// tiles. The n-th arrival of one core at a kind of rendezvous and a pipe is paired with the n-th of the
// other. Both go on at the same time: the later arrival plus the cost of the rendezvous.
//
// Not modelled: the bandwidth that a swap through the DMA engines takes from concurrent transfers.
#pragma once

#include <array>
#include <deque>
#include <systemc>

#include "model/check/race_checker.h"
#include "model/engine/dma/transfer/transfer_values.h"
#include "model/engine/params/engine_params.h"

namespace tahoma::model {

// One engine of one core at its rendezvous.
struct Participant {
  virtual void met(base::Time together, base::Time done) = 0;  // both have arrived; both may go on

 protected:
  ~Participant() = default;
};
struct Arrival {
  std::uint32_t core = 0;  // global number; its lowest bit is its side
  isa::Queue queue = isa::Queue::kGpSimd;
  const isa::Instruction* instruction = nullptr;
  base::Time when{0};  // all earlier instructions of the engine are complete
  Participant* who = nullptr;
  std::string place;  // for errors
};

struct RendezvousIf : virtual sc_core::sc_interface {
  virtual void arrive(const Arrival& arrival, const CoreMemories& memories) = 0;
};

// The duration of a swap once both cores have arrived. Through the 16 DMA engines of each core it is their
// start-up, their share of the tile and the completion. The other path is GpSimd's own DMA.
base::Duration swap_time(const isa::Instruction& i, const CoreParams& params);

class Rendezvous : public sc_core::sc_module, public RendezvousIf {
 public:
  // `checker`: receives every rendezvous; null for none.
  Rendezvous(sc_core::sc_module_name name, const CoreParams& params, bool functional,
             check::RaceChecker* checker)
      : sc_module(name), params_(params), functional_(functional), checker_(checker) {}

  // Throws ProgramError E-RUN-046 if the two sides of a sendrecv differ in shape, dtype or path.
  void arrive(const Arrival& arrival, const CoreMemories& memories) override;

 private:
  struct Waiting {
    Arrival arrival;
    CoreMemories memories;
  };
  std::deque<Waiting>& waiting(const isa::Instruction& i);
  void swap(const Waiting& a, const Waiting& b) const;

  const CoreParams& params_;
  bool functional_;
  check::RaceChecker* checker_;
  // The waiting participants by kind and pipe. All are of one core.
  std::array<std::array<std::deque<Waiting>, isa::kPipes>, 2> waiting_;
};

}  // namespace tahoma::model
