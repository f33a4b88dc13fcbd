// SPDX-License-Identifier: Apache-2.0
#include "runtime/nki/lower/choose.h"

#include <array>
#include <map>

#include "isa/table/table_fields.h"

namespace tahoma::runtime::nki {

namespace {

using isa::Opcode;
using isa::Queue;

bool in_psum(const isa::Tile& tile) { return tile.space == isa::Space::kPsum; }
bool wide_integer(const isa::Tile& tile) {
  return tile.dtype == isa::DType::kInt32 || tile.dtype == isa::DType::kUint32;
}

class Chooser {
 public:
  Chooser(const Trace& trace, CopyEngine copies) : trace_(trace), copies_(copies) {}

  Queue choose(const Recorded& entry) {
    const Queue queue = entry.transfer ? of_transfer(entry)
                        : entry.engine ? *entry.engine
                                       : of_compute(entry.instruction);
    if (!entry.transfer)
      elements_[static_cast<std::size_t>(queue)] += isa::free_elements(entry.instruction.shape);
    note_producer(entry, queue);
    return queue;
  }

 private:
  std::uint64_t elements(Queue queue) const { return elements_[static_cast<std::size_t>(queue)]; }

  Queue of_copy(const isa::Instruction& i) const {
    const bool floats = isa::is_float(i.dst.dtype) && isa::is_float(i.src0.dtype);
    if (trace_.limits().core == isa::CoreVersion::kV2 && !floats) return Queue::kVector;
    if (!in_psum(i.dst) && !in_psum(i.src0)) return Queue::kVector;
    if (copies_ != CopyEngine::kBalanced)
      return copies_ == CopyEngine::kVector ? Queue::kVector : Queue::kScalar;
    return elements(Queue::kScalar) < elements(Queue::kVector) ? Queue::kScalar : Queue::kVector;
  }

  Queue of_compute(const isa::Instruction& i) const {
    switch (i.op) {
      case Opcode::kTensorCopy:
        return of_copy(i);
      case Opcode::kMemset:
        return !in_psum(i.dst) && elements(Queue::kGpSimd) < elements(Queue::kVector) ? Queue::kGpSimd
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
        return gpsimd(i.op0) || gpsimd(i.op1) ? Queue::kGpSimd : Queue::kVector;
      }
      case Opcode::kSendRecv:
        return i.gpsimd_dma ? Queue::kGpSimd : Queue::kSync;
      default:
        return first_of(i.op);
    }
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
    bool rows = work.dst.dynamic.kind == Dynamic::Kind::kVector, from_chip = false;
    for (const Side& side : work.sources) {
      rows = rows || side.dynamic.kind == Dynamic::Kind::kVector;
      from_chip = from_chip || on_chip(side);
    }
    if (rows || work.dge == DgeMode::kSoftware) return Queue::kGpSimd;
    if (entry.engine) return *entry.engine;
    if (on_chip(work.dst) || !from_chip || work.dge == DgeMode::kHardware) return Queue::kSync;
    const auto producer = producer_.find(work.sources.front().storage);
    const bool rings = producer != producer_.end() && producer->second == Queue::kScalar;
    return rings ? Queue::kScalar : Queue::kGpSimd;
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
  CopyEngine copies_;
  std::array<std::uint64_t, isa::kQueueCount> elements_{};  // to do so far, by queue
  std::map<std::uint32_t, Queue> producer_;                 // of each tensor on chip
};

}  // namespace

std::vector<isa::Queue> choose_queues(const Trace& trace, CopyEngine copies) {
  Chooser chooser(trace, copies);
  std::vector<isa::Queue> queues;
  queues.reserve(trace.entries.size());
  for (const Recorded& entry : trace.entries) queues.push_back(chooser.choose(entry));
  return queues;
}

}  // namespace tahoma::runtime::nki
