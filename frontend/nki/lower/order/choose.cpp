// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/order/choose.h"

#include <algorithm>
#include <array>
#include <map>

#include "frontend/nki/lower/order/estimates.h"
#include "isa/table/table_fields.h"

namespace tahoma::runtime::nki {

namespace {

using isa::Opcode;
using isa::Queue;

bool in_psum(const isa::Tile& tile) { return tile.space == isa::Space::kPsum; }
bool wide_integer(const isa::Tile& tile) {
  return tile.dtype == isa::DType::kInt32 || tile.dtype == isa::DType::kUint32;
}

bool has_dynamic_side(const TransferWork& work, Dynamic::Kind kind) {
  return work.dst.dynamic.kind == kind || std::any_of(work.sources.begin(), work.sources.end(),
                                                      [&](const Side& s) { return s.dynamic.kind == kind; });
}

class Chooser {
 public:
  Chooser(const Trace& trace, const model::MachineParams& machine, const Choices& choices)
      : trace_(trace), choices_(choices), estimator_(trace, machine, choices.descriptors) {}

  Queue choose(const Recorded& entry) {
    const Queue queue = entry.transfer ? of_transfer(entry)
                        : entry.engine ? *entry.engine
                                       : of_compute(entry.instruction);
    if (entry.transfer)
      ++transfers_[static_cast<std::size_t>(queue)];
    else
      work_[static_cast<std::size_t>(queue)] += estimator_.of(entry, queue).queue;
    note_producer(entry, queue);
    return queue;
  }

 private:
  std::int64_t work(Queue queue) const { return work_[static_cast<std::size_t>(queue)]; }
  std::uint64_t transfers(Queue queue) const { return transfers_[static_cast<std::size_t>(queue)]; }

  Queue of_copy(const isa::Instruction& i) const {
    const bool floats = isa::is_float(i.dst.dtype) && isa::is_float(i.src0.dtype);
    if (trace_.limits().core == isa::CoreVersion::kV2 && !floats) return Queue::kVector;
    if (!in_psum(i.dst) && !in_psum(i.src0)) return Queue::kVector;
    if (choices_.copies != CopyEngine::kBalanced)
      return choices_.copies == CopyEngine::kVector ? Queue::kVector : Queue::kScalar;
    return work(Queue::kScalar) < work(Queue::kVector) ? Queue::kScalar : Queue::kVector;
  }

  Queue of_compute(const isa::Instruction& i) const {
    switch (i.op) {
      case Opcode::kTensorCopy:
        return of_copy(i);
      case Opcode::kMemset:
        return !in_psum(i.dst) && work(Queue::kGpSimd) < work(Queue::kVector) ? Queue::kGpSimd
                                                                              : Queue::kVector;
      case Opcode::kTensorTensor: {
        const bool on_sbuf = !in_psum(i.dst) && !in_psum(i.src0) && !in_psum(i.src1);
        const bool integers = wide_integer(i.dst) && wide_integer(i.src0) && wide_integer(i.src1);
        return i.op0 == isa::AluOp::kPower || (integers && on_sbuf && arithmetic(i.op0)) ? Queue::kGpSimd
                                                                                         : Queue::kVector;
      }
      case Opcode::kTensorScalar: {
        const auto gpsimd = [](isa::AluOp op) {
          return op == isa::AluOp::kRsqrt || op == isa::AluOp::kPower;
        };
        if (gpsimd(i.op0) || gpsimd(i.op1)) return Queue::kGpSimd;
        const bool balanced = choices_.compiler == Compiler::kNeuron && scalar_engine_has(i);
        return balanced && work(Queue::kScalar) < work(Queue::kVector) ? Queue::kScalar : Queue::kVector;
      }
      case Opcode::kSendRecv:
        return i.gpsimd_dma ? Queue::kGpSimd : Queue::kSync;
      default:
        return first_of(i.op);
    }
  }

  // Products and sums of floats, or a product and then a sum (AWS NKI, tensor_scalar; since NeuronCore-v3).
  bool scalar_engine_has(const isa::Instruction& i) const {
    const bool operations = i.op1 == isa::AluOp::kBypass
                                ? i.op0 == isa::AluOp::kMult || i.op0 == isa::AluOp::kAdd
                                : i.op0 == isa::AluOp::kMult && i.op1 == isa::AluOp::kAdd;
    return operations && trace_.limits().core != isa::CoreVersion::kV2 && isa::is_float(i.dst.dtype) &&
           isa::is_float(i.src0.dtype);
  }

  // Bit operations are the vector engine's alone.
  static bool arithmetic(isa::AluOp op) { return op < isa::AluOp::kBitwiseAnd; }

  static Queue first_of(Opcode op) {
    const std::uint8_t queues = isa::row_of(op).queues;
    for (const Queue queue : {Queue::kTensor, Queue::kVector, Queue::kScalar, Queue::kGpSimd, Queue::kSync})
      if (((queues >> static_cast<unsigned>(queue)) & 1) != 0) return queue;
    return Queue::kSync;
  }

  bool on_chip(const Side& side) const { return trace_.storages[side.storage]->on_chip(); }

  Queue of_transfer(const Recorded& entry) const {
    const TransferWork& work = *entry.transfer;
    if (has_dynamic_side(work, Dynamic::Kind::kVector) || work.dge == DgeMode::kSoftware)
      return Queue::kGpSimd;
    if (entry.engine) return *entry.engine;
    const bool from_chip = std::any_of(work.sources.begin(), work.sources.end(),
                                       [&](const Side& side) { return on_chip(side); });
    if (!from_chip) return of_load();
    if (on_chip(work.dst) || work.dge == DgeMode::kHardware) return Queue::kSync;
    const auto producer = producer_.find(work.sources.front().storage);
    const bool rings = producer != producer_.end() && producer->second == Queue::kScalar;
    return rings ? Queue::kScalar : Queue::kGpSimd;
  }

  Queue of_load() const {
    if (choices_.loads == LoadQueue::kSync) return Queue::kSync;
    return transfers(Queue::kScalar) < transfers(Queue::kSync) ? Queue::kScalar : Queue::kSync;
  }

  void note_producer(const Recorded& entry, Queue queue) {
    if (entry.transfer) {
      if (on_chip(entry.transfer->dst)) producer_[entry.transfer->dst.storage] = queue;
      return;
    }
    for (const Operand& operand : entry.operands)
      if (isa::traits_of(operand.field).role == isa::Role::kWrite) producer_[operand.storage] = queue;
  }

  const Trace& trace_;
  Choices choices_;
  Estimator estimator_;
  std::array<std::int64_t, isa::kQueueCount> work_{};        // to do so far, by queue, in femtoseconds
  std::array<std::uint64_t, isa::kQueueCount> transfers_{};  // started so far, by queue
  std::map<std::uint32_t, Queue> producer_;                  // of each tensor on chip
};

}  // namespace

std::vector<isa::Queue> choose_queues(const Trace& trace, const model::MachineParams& machine,
                                      const Choices& choices) {
  Chooser chooser(trace, machine, choices);
  std::vector<isa::Queue> queues;
  queues.reserve(trace.entries.size());
  for (const Recorded& entry : trace.entries) queues.push_back(chooser.choose(entry));
  return queues;
}

isa::Dge dge_of(const TransferWork& work, isa::Queue queue, isa::CoreVersion core, DescriptorSource policy) {
  if (has_dynamic_side(work, Dynamic::Kind::kVector)) return isa::Dge::kSw;
  const isa::Dge hardware =
      queue == isa::Queue::kSync || queue == isa::Queue::kScalar ? isa::Dge::kHw : isa::Dge::kNone;
  switch (work.dge) {
    case DgeMode::kSoftware:
      return isa::Dge::kSw;
    case DgeMode::kHardware:
      return hardware;
    case DgeMode::kNone:
      return isa::Dge::kNone;
    case DgeMode::kUnknown:
      break;
  }
  if (has_dynamic_side(work, Dynamic::Kind::kRegister) || has_dynamic_side(work, Dynamic::Kind::kScalar))
    return hardware;
  // The generator transposes 16 rows at most, and dma_compute has no dge_mode.
  const bool generated =
      work.kind == Transfer::kCopy && policy == DescriptorSource::kHardware && core != isa::CoreVersion::kV2;
  return generated ? hardware : isa::Dge::kNone;
}

}  // namespace tahoma::runtime::nki
