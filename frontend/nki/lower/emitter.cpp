// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/emitter.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/nki/lower/memory/allocate.h"
#include "frontend/nki/lower/memory/tensor_regions.h"
#include "isa/table/access.h"
#include "model/base/error.h"
#include "runtime/builder/access_region.h"

namespace tahoma::runtime::nki {

namespace {

std::vector<std::uint32_t> last_uses(const std::vector<LiveRange>& ranges) {
  std::vector<std::uint32_t> last;
  for (const LiveRange& range : ranges) last.push_back(range.last);
  return last;
}

// The same operand: its bytes, shape and place in the array.
bool same_weights(const isa::Instruction& a, const isa::Instruction& b) {
  return a.op == b.op && a.src0 == b.src0 && a.shape == b.shape && a.mode == b.mode && a.column == b.column &&
         a.src1 == b.src1;
}

// The entries that others depend on by hand.
std::set<std::uint32_t> producers_in(const Trace& trace) {
  std::set<std::uint32_t> producers;
  for (const Recorded& entry : trace.entries) producers.insert(entry.after.begin(), entry.after.end());
  return producers;
}

std::uint32_t storage_of(const Recorded& entry, isa::FieldKind field) {
  for (const Operand& operand : entry.operands)
    if (operand.field == field) return operand.storage;
  return entry.operands.front().storage;
}

}  // namespace

Emitter::Emitter(const Trace& trace, const model::MachineParams& machine, Decisions decisions,
                 isa::Program& program)
    : trace_(trace),
      machine_(machine),
      decisions_(decisions),
      program_(program),
      reuse_(last_uses(decisions.ranges)),
      registers_(trace, decisions.queues),
      producers_(producers_in(trace)),
      has_loops_(!loops_of(trace).empty()) {}

void Emitter::emit(std::uint32_t index) {
  const Recorded& entry = trace_.entries[index];
  const isa::Queue queue = decisions_.queues[index];
  entry_ = index;
  ops_.at_line(entry.line);
  const std::size_t first = ops_.size();
  if (entry.registers)
    registers(entry);
  else if (entry.transfer)
    transfer(entry, queue);
  else if (entry.exchange)
    exchange(entry, queue);
  else if (entry.barrier)
    barrier(entry, queue);
  else if (entry.weights)
    matmul(entry);
  else
    compute(entry, queue);
  order_by_hand(entry, first);
  registers_.release(index);
}

// A region stands for each operation that the kernel orders by hand: its entry writes it, and entries that
// depend on that entry read it. Operations of a part of the program that is closed already are complete.
void Emitter::order_by_hand(const Recorded& entry, std::size_t first) {
  if (first > ops_.size()) first = 0;  // the entry has closed a part
  const auto touch = [this](std::size_t n, const Region& region, bool write) {
    ops_.change(n, [&](Op& op) { op.touch(region, write); });
  };
  for (const std::uint32_t producer : entry.after)
    for (std::size_t n = first; n < ops_.size(); ++n)
      if (const auto known = ordered_.find(producer); known != ordered_.end()) touch(n, known->second, false);
  if (!producers_.contains(entry_)) return;
  const auto count = static_cast<std::uint32_t>(ops_.size() - first);
  for (std::uint32_t n = 0; n < count; ++n) touch(first + n, {kOrdered, ordered_rows_ + n, 1, 0, 1}, true);
  ordered_[entry_] = {kOrdered, ordered_rows_, count, 0, 1};
  ordered_rows_ += count;
}

void Emitter::finish() { schedule(ops_, first_signal(), program_); }

Op& Emitter::append(const isa::Instruction& instruction, isa::Queue queue) {
  Op& op = ops_.append();
  filled_.clear();
  op.queue = queue;
  op.instruction = instruction;
  return op;
}

void Emitter::place(isa::Instruction& instruction, const Recorded& entry, bool weights) const {
  for (const Operand& operand : entry.operands) {
    if (operand.of_weights != weights || trace_.storages[operand.storage]->place) continue;
    const std::uint32_t byte = decisions_.places[operand.storage].byte;
    std::visit(
        [&](auto slot) {
          if constexpr (requires { (instruction.*slot).offset; }) (instruction.*slot).offset += byte;
        },
        isa::traits_of(operand.field).slot);
  }
}

void Emitter::record_accesses(Op& op, std::uint32_t storage, const Region& region, bool reads, bool writes) {
  op.touch(region, writes);
  if (reads)
    if (const auto lost = reuse_.read(storage, region))
      refuse("E-NKI-025",
             fmt::format("reads {}, but {} took its bytes and overwrote them at {}",
                         trace_.storages[storage]->text(), trace_.storages[lost->storage]->text(),
                         place_of(trace_, trace_.entries[lost->entry].line)));
  if (writes) {
    reuse_.write(storage, region, entry_);
    std::erase_if(standing_, [&](const Standing& s) {
      return std::any_of(s.regions.begin(), s.regions.end(),
                         [&](const Region& read) { return read.overlaps(region); });
    });
    if (on_chip(storage)) note_filled(storage);
  }
}

// The tensor whose bytes an access of this entry touches: operands are few.
std::uint32_t Emitter::storage_at(const Recorded& entry, const isa::OperandAccess& access,
                                  const Region& region) const {
  std::uint32_t storage = entry.operands.front().storage;
  for (const Operand& o : entry.operands) {
    const Storage& s = *trace_.storages[o.storage];
    const Place& at = decisions_.places[o.storage];
    const bool writes = isa::traits_of(o.field).role == isa::Role::kWrite;
    if (writes == access.writes &&
        (s.buffer == Buffer::kPsum) == (access.pattern.space == isa::Space::kPsum) &&
        region.byte >= at.byte &&
        region.byte + region.bytes <= at.byte + static_cast<std::uint64_t>(s.row_bytes()))
      storage = o.storage;
  }
  return storage;
}

// A tensor without a name of its own has the name "" here: its number tells less than the operation that
// fills it.
void Emitter::note_filled(std::uint32_t storage) {
  const Storage& filled = *trace_.storages[storage];
  filled_.push_back(filled.named ? filled.name : "");
  const auto [known, added] =
      filled_numbers_.try_emplace(filled_, static_cast<std::uint32_t>(program_.filled.size()));
  if (added) program_.filled.push_back(filled_);
  ops_.fills(known->second);
}

// An instruction reads its sources before it writes: a destination may have the bytes of a source.
void Emitter::record_accesses(Op& op, const Recorded& entry) {
  const bool multiplies = isa::multiplies(op.instruction);
  const bool zeros = op.instruction.op == isa::Opcode::kMemset && op.instruction.value == 0;
  const isa::AccessList accesses = isa::accesses_of(op.instruction);
  for (const bool writes : {false, true})
    for (const isa::OperandAccess& access : accesses.all()) {
      if (access.writes != writes) continue;
      const Region region = region_of(access.pattern);
      const std::uint32_t storage = storage_at(entry, access, region);
      record_accesses(op, storage, region, access.reads, access.writes);
      if (access.pattern.space == isa::Space::kPsum && !multiplies)
        writes ? groups_.write(storage, region, zeros) : groups_.read(region);
    }
}

void Emitter::compute(const Recorded& entry, isa::Queue queue) {
  Op& op = append(entry.instruction, queue);
  // NeuronCore-v2's scalar engine has no tensor_copy; nki.isa names the activation instead.
  const bool v2 = trace_.limits().core == isa::CoreVersion::kV2;
  if (v2 && queue == isa::Queue::kScalar && op.instruction.op == isa::Opcode::kTensorCopy) {
    op.instruction.op = isa::Opcode::kActivation;
    op.instruction.func = isa::ActFn::kCopy;
    op.instruction.scalar0.imm = 1.0F;
  }
  place(op.instruction, entry);
  record_accesses(op, entry);
  // Swaps of one pipe are paired by their order, on which both cores must agree even if engines differ.
  if (op.instruction.op == isa::Opcode::kSendRecv) op.touch({kOrdered, op.instruction.pipe, 1, 0, 1}, true);
}

void Emitter::load_weights(const Recorded& entry) {
  isa::Instruction weights = *entry.weights;
  place(weights, entry, true);
  if (std::any_of(standing_.begin(), standing_.end(),
                  [&](const Standing& s) { return same_weights(s.weights, weights); }))
    return;
  const isa::ArraySize array{trace_.limits().array_rows, trace_.limits().array_columns};
  const isa::ArrayBlock tile = isa::tile_of(isa::standing_of(weights, array).block, array);
  std::erase_if(standing_, [&](const Standing& s) { return isa::overlap(s.tile, tile); });
  Op& op = append(weights, isa::Queue::kTensor);
  Standing standing{weights, {}, tile};
  auto operand = std::find_if(entry.operands.begin(), entry.operands.end(),
                              [](const Operand& o) { return o.of_weights; });  // its scales follow
  const isa::AccessList accesses = isa::accesses_of(weights);
  for (const isa::OperandAccess& access : accesses.all()) {
    standing.regions.push_back(region_of(access.pattern));
    record_accesses(op, operand->storage, standing.regions.back(), true, false);
    if (const auto next = std::next(operand); next != entry.operands.end() && next->of_weights)
      operand = next;
  }
  standing_.push_back(std::move(standing));
}

void Emitter::matmul(const Recorded& entry) {
  load_weights(entry);
  isa::Instruction work = entry.instruction;
  place(work, entry);
  const bool multiplies = isa::multiplies(work);
  const std::uint32_t dst =
      storage_of(entry, multiplies ? isa::FieldKind::kMatrixDst : isa::FieldKind::kTransposeDst);
  if (multiplies) {
    isa::Instruction probe = work;
    probe.accumulate = false;
    Region region;
    const isa::AccessList accesses = isa::accesses_of(probe);
    for (const isa::OperandAccess& access : accesses.all())
      if (access.writes) region = region_of(access.pattern);
    const AccumulationGroups::Decision decision = groups_.choose_accumulation(dst, region, entry.accumulate);
    work.accumulate = decision.accumulate;
    if (decision.over_fill && !decision.accumulate && !entry.accumulate)
      warnings_.push_back(fmt::format(
          "{}: a matmul overwrites what another instruction has written to {}; whether it adds to it is "
          "undefined on Trainium2",
          place_of(trace_, entry.line), trace_.storages[dst]->text()));
    for (const std::uint32_t earlier : decision.continued)
      ops_.change(earlier, [](Op& op) { op.instruction.open = true; });
    groups_.matmul(dst, region, decision.accumulate, static_cast<std::uint32_t>(ops_.size()));
  }
  Op& op = append(work, isa::Queue::kTensor);
  record_accesses(op, entry);
}

// After the barrier, each of the two cores sees what the other has written to shared HBM.
void Emitter::barrier(const Recorded& entry, isa::Queue queue) {
  Op& op = append(entry.instruction, queue);
  for (const auto& storage : trace_.storages) {
    if (storage->buffer != Buffer::kSharedHbm || decisions_.argument_of[storage->id] == isa::kNone) continue;
    Side all;
    all.storage = storage->id;
    all.dtype = isa::DType::kUint8;
    all.axes = {{1, storage->elements() * storage->element->bytes, false}};
    const Region region = hbm_region(*storage, all);
    op.touch(region, false);
    op.announce(region);
  }
}

}  // namespace tahoma::runtime::nki
