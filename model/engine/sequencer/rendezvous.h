// SPDX-License-Identifier: Apache-2.0
// The rendezvous of the two physical cores of a logical core, by core_barrier or by sendrecv, which swaps
// tiles. The n-th arrival of one core at a kind of rendezvous and a pipe is paired with the n-th of the
// other. Both go on at the same time.
//   core_barrier             the later arrival plus the cost of a barrier
//   sendrecv, GpSimd's DMA   the later arrival plus a latency and the bytes of the tile at that path's
//                            bandwidth
//   sendrecv, DMA engines    each core moves its tile with its 16 DMA engines, from SBUF to SBUF, beside its
//                            other transfers. The swap is over when the last semaphore of both is visible.
//                            Its ring is the last one (assumed: the documents name none), which programs
//                            leave free
// Where the dies of the two cores differ, signals and data cross between the dies, together with the accesses
// of memories.
//
// Not modelled: the traffic of the barrier's semaphores.
#pragma once

#include <array>
#include <deque>
#include <list>
#include <systemc>

#include "model/check/race_checker.h"
#include "model/engine/dma/transfer/transfer_values.h"
#include "model/engine/params/engine_params.h"
#include "model/engine/ports/doorbell.h"
#include "model/sim/die_crossing.h"

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
  std::uint32_t index = 0;  // of the instruction
  const isa::Instruction* instruction = nullptr;
  base::Time when{0};  // all earlier instructions of the engine are complete
  Participant* who = nullptr;
  std::string place;  // for errors
};

struct RendezvousIf : virtual sc_core::sc_interface {
  virtual void arrive(const Arrival& arrival, const CoreMemories& memories) = 0;
};

// The duration of a swap through GpSimd's own DMA once both cores have arrived.
base::Duration gpsimd_swap_time(const isa::Instruction& i, const CoreParams& params);

class Rendezvous : public sc_core::sc_module, public RendezvousIf {
 public:
  sc_core::sc_vector<sc_core::sc_port<DoorbellIf>> doorbells{"doorbells", 2};  // of both cores, by side
  sc_core::sc_port<sim::DieCrossingIf> dies{"dies"};

  // `checker` receives every rendezvous; it may be null.
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
  // A swap that the DMA engines of both cores perform.
  struct Swap final : TransferEnd {
    std::array<Arrival, 2> sides;
    std::array<isa::Descriptor, 2> tiles;
    base::Time together{0}, done{0};
    unsigned running = 2;
    std::list<Swap>* all = nullptr;
    std::list<Swap>::iterator own;  // in `all`
    void ended(base::Time visible) override;
  };
  std::deque<Waiting>& waiting(const isa::Instruction& i);
  void swap(const Waiting& a, const Waiting& b) const;
  void start_transfers(const Arrival& a, const Arrival& b, base::Time together);
  // The time at which data and signals that both cores send at `departure` have arrived at the other.
  base::Time crossed(const Arrival& a, const Arrival& b, base::Time departure, base::Bytes data);

  const CoreParams& params_;
  bool functional_;
  check::RaceChecker* checker_;
  // The waiting participants are stored by kind and pipe. All are of one core.
  std::array<std::array<std::deque<Waiting>, isa::kPipes>, 2> waiting_;
  std::list<Swap> swaps_;
};

}  // namespace tahoma::model
