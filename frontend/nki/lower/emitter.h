// SPDX-License-Identifier: Apache-2.0
// The operations of a traced kernel, entry by entry: places are added to operands, matmuls get the loads of
// their weights, transfers their descriptors and rings, registers their numbers on each queue.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/nki/lower/accumulate.h"
#include "frontend/nki/lower/memory/allocate.h"
#include "frontend/nki/lower/order/choose.h"
#include "frontend/nki/lower/queue_registers.h"
#include "frontend/nki/lower/reuse.h"
#include "frontend/nki/lower/transfers.h"
#include "isa/semantics/arithmetic/array_tiles.h"
#include "isa/table/access.h"
#include "model/system/machine/machine_params.h"
#include "runtime/builder/operations.h"

namespace tahoma::runtime::nki {

// Arguments for exchanges with other ranks.
struct PeerArguments {
  std::uint8_t core = isa::kNone;                                           // the number of this core
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint8_t> tensors;  // by rank and storage
};

// The policies have made these decisions.
struct Decisions {
  const std::vector<LiveRange>& ranges;          // by storage
  const std::vector<Place>& places;              // by storage
  const std::vector<std::uint8_t>& argument_of;  // by storage: isa::kNone on chip
  const std::vector<isa::Queue>& queues;         // by entry
  const PeerArguments& peers;
  DescriptorSource descriptors;
};

class Emitter {
 public:
  Emitter(const Trace& trace, const model::MachineParams& machine, Decisions decisions,
          isa::Program& program);

  void emit(std::uint32_t entry);
  void finish();  // schedules
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void compute(const Recorded& entry, isa::Queue queue);
  void matmul(const Recorded& entry);
  void load_weights(const Recorded& entry);
  void barrier(const Recorded& entry, isa::Queue queue);
  void transfer(const Recorded& entry, isa::Queue queue);
  void fence(const Recorded& entry);
  void ring(const TransferWork& work, Piece piece, isa::Queue queue, bool transposing);
  void exchange(const Recorded& entry, isa::Queue queue);
  // Returns the number of messages: a transfer may be cut into several.
  std::uint32_t send(const ExchangeWork::Send& send, std::uint8_t semaphore, isa::Queue queue);
  void registers(const Recorded& entry);
  void loop_begin(const RegisterWork& work);
  void loop_end(const RegisterWork& work);

  // Adds the places of the operands of the instruction, or of the load of its weights.
  void place(isa::Instruction& instruction, const Recorded& entry, bool weights = false) const;
  void place(isa::DmaSide& side, const Side& from) const;
  bool on_chip(std::uint32_t storage) const { return trace_.storages[storage]->on_chip(); }
  // Adds the accesses of the instruction and follows what they do to PSUM and to reused bytes.
  void record_accesses(Op& op, const Recorded& entry);
  std::uint32_t storage_at(const Recorded& entry, const isa::OperandAccess& access,
                           const Region& region) const;
  void record_accesses(Op& op, std::uint32_t storage, const Region& region, bool reads, bool writes);
  void order_by_hand(const Recorded& entry, std::size_t first);  // operations from `first` on are its own
  void note_filled(std::uint32_t storage);                       // the newest operation writes the storage
  std::uint8_t offset_of(const Side& side, isa::Queue queue);
  void number_rows(Op& op, const TransferWork& work);
  void bound_rows(isa::Instruction& doorbell, isa::Descriptor& d, const TransferWork& work) const;
  isa::DmaSide word_of(const Side& side) const;
  void load_word(const Side& side, std::uint8_t reg, isa::Queue queue);
  void note_word(Op& op, const Side& side, bool writes);
  Op& append(const isa::Instruction& instruction, isa::Queue queue);
  // The buffer of these regions, which no instruction accesses.
  static constexpr std::uint32_t kOrdered = 0xffffffe0;
  // Exchanges use these semaphores: permission to send, data landed, data read from this core's memory.
  static constexpr std::uint8_t kReady = 247, kLanded = 246, kRead = 245;
  // In a program with loops, the last semaphores join the queues between its parts.
  unsigned first_signal() const {
    if (decisions_.peers.core != isa::kNone) return kRead;
    return has_loops_ ? first_loop_semaphore() : isa::kSemaphores;
  }
  static unsigned first_loop_semaphore() {
    return isa::kSemaphores - 1 - static_cast<unsigned>(isa::kQueueCount);
  }
  // Schedules what has been appended; afterwards all of it is complete and its semaphores are 0 again.
  void close_segment();
  std::vector<isa::Instruction>& stream(isa::Queue queue) { return program_.stream(queue).edit(); }

  const Trace& trace_;
  const model::MachineParams& machine_;
  Decisions decisions_;
  isa::Program& program_;
  Operations ops_;
  AccumulationGroups groups_;
  ReuseLog reuse_;
  QueueRegisters registers_;
  std::set<std::uint32_t> producers_;                  // entries that others depend on by hand
  std::unordered_map<std::uint32_t, Region> ordered_;  // represents each of them, once it is emitted
  std::uint32_t ordered_rows_ = isa::kPipes;           // first a row for each pipe of sendrecv
  struct Standing {
    isa::Instruction weights;
    std::vector<Region> regions;  // of the operand, and of its scales
    isa::ArrayBlock tile;
  };
  std::vector<Standing> standing_;  // stationary operands in the array, unwritten since
  struct OpenLoop {
    std::array<std::uint32_t, isa::kQueueCount> body{};     // index of the first instruction of the body
    std::array<std::uint32_t, isa::kQueueCount> leaving{};  // index of the branch that leaves the loop
  };
  std::vector<OpenLoop> loops_;
  std::uint32_t readies_ = 0, landed_ = 0, read_ = 0;  // messages of exchanges so far
  bool has_loops_ = false;
  std::vector<std::string> warnings_;
  std::uint32_t entry_ = 0;
  isa::FilledTensors filled_;                                   // by the newest operation
  std::map<isa::FilledTensors, std::uint32_t> filled_numbers_;  // in Program::filled
};

}  // namespace tahoma::runtime::nki
