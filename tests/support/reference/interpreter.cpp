// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/interpreter.h"

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

#include "isa/simd/alu.h"

namespace tahoma::tests {

Interpreter::Interpreter(const model::MachineParams& machine, std::uint32_t seed)
    : machine_(machine), random_(seed) {}

std::uint64_t Interpreter::allocate(std::size_t bytes) {
  const std::uint64_t address = next_address_;
  hbm_[address].resize(bytes, std::byte{0xA5});  // unwritten memory is not zero
  next_address_ += bytes + 4096;
  return address;
}

std::byte* Interpreter::at(std::uint64_t address) { return hbm_.at(address).data(); }

void Interpreter::load(std::uint32_t core, std::shared_ptr<const isa::Program> program,
                       std::vector<std::uint64_t> arguments) {
  Core& c = cores_[core];
  c.program = std::move(program);
  c.arguments = std::move(arguments);
  c.sbuf.resize(machine_.chip.core.sbuf.per_partition.count * machine_.chip.core.sbuf.partitions);
  const model::TensorParams& tensor = machine_.chip.core.tensor;
  c.weights.array = {static_cast<unsigned>(tensor.rows), static_cast<unsigned>(tensor.columns)};
  c.psum.resize(machine_.chip.core.psum.per_partition.count * machine_.chip.core.sbuf.partitions);
}

isa::CoreView Interpreter::view(Core& core) const {
  return {core.sbuf.data(), machine_.chip.core.sbuf.per_partition.count, core.psum.data(),
          machine_.chip.core.psum.per_partition.count, &core.weights};
}

namespace {

std::int64_t offset_of(const std::array<std::int32_t, isa::kRegisters>& registers, std::uint8_t r) {
  return r == isa::kNone ? 0 : registers[r];
}

void apply(const isa::Update& update, std::int64_t& semaphore) {
  if (update.kind == isa::Update::Kind::kAdd) semaphore += update.value;
  if (update.kind == isa::Update::Kind::kSubtract) semaphore -= update.value;
  if (update.kind == isa::Update::Kind::kSet) semaphore = update.value;
}

bool is_transfer(isa::Opcode op) {
  return op == isa::Opcode::kDmaCopy || op == isa::Opcode::kDmaCompute || op == isa::Opcode::kDmaTranspose;
}

}  // namespace

bool Interpreter::satisfied(const Core& core, std::size_t queue, const isa::Wait& wait) const {
  const std::int64_t value = core.semaphores[wait.semaphore];
  switch (wait.kind) {
    case isa::Wait::Kind::kNone:
      return true;
    case isa::Wait::Kind::kEq:
      return value == wait.value;
    case isa::Wait::Kind::kGe:
      return value >= wait.value;
    case isa::Wait::Kind::kGeReg:
      return value >= core.registers[queue][wait.value];
  }
  return false;
}

std::byte* Interpreter::host_bytes(std::uint64_t address, std::uint64_t bytes) {
  auto block = hbm_.upper_bound(address);
  if (block == hbm_.begin() || address + bytes > (--block)->first + block->second.size())
    throw std::runtime_error("interpreter: an access leaves its tensor");
  return block->second.data() + (address - block->first);
}

std::byte* Interpreter::word(Core& core, const Registers& registers, const isa::Instruction& i) {
  const bool load = i.op == isa::Opcode::kRegLoad;
  const std::int64_t offset = offset_of(registers, load ? i.src_reg : i.dst_reg);
  if (i.word.space != isa::Space::kHbm)
    return view(core).at(i.word.space, i.word.partition, i.word.offset + static_cast<std::uint64_t>(offset));
  return host_bytes(core.arguments.at(i.word.arg) + i.word.offset + static_cast<std::uint64_t>(offset),
                    isa::size_of(i.word.dtype));
}

// Register operations, jumps and branches. Integers are loaded and stored by value.
void Interpreter::sequence(Core& core, std::size_t queue, const isa::Instruction& i) {
  Registers& r = core.registers[queue];
  const std::size_t size = isa::size_of(i.word.dtype);
  const auto b = [&] { return i.reg_b == isa::kNone ? i.imm : r[i.reg_b]; };
  switch (i.op) {
    case isa::Opcode::kRegSet:
      r[i.reg_d] = i.imm;
      break;
    case isa::Opcode::kRegAlu:
      r[i.reg_d] = isa::register_alu(i.op0, r[i.reg_a], b());
      break;
    case isa::Opcode::kRegLoad: {
      std::int64_t value = 0;
      std::memcpy(&value, word(core, r, i), size);
      const bool is_signed = i.word.dtype == isa::DType::kInt8 || i.word.dtype == isa::DType::kInt16;
      if (is_signed && value >> (8 * size - 1) != 0) value -= std::int64_t{1} << (8 * size);
      r[i.reg_d] = static_cast<std::int32_t>(value);
      break;
    }
    case isa::Opcode::kRegStore:
      std::memcpy(word(core, r, i), &r[i.reg_a], size);
      break;
    case isa::Opcode::kJump:
      core.next[queue] = i.target;
      break;
    case isa::Opcode::kBranch:
      if (isa::compare(i.compare, r[i.reg_a], b())) core.next[queue] = i.target;
      break;
    default:
      break;
  }
}

void Interpreter::start(std::uint32_t core, std::size_t queue) {
  Core& c = cores_.at(core);
  const isa::Instruction& i = c.program->streams[queue][c.next[queue]++];
  if (is_transfer(i.op)) return ring(core, c.registers[queue], i);
  sequence(c, queue, i);
  isa::Instruction moved = i;
  if (i.op == isa::Opcode::kTensorCopyDynamic) {
    moved.dst.offset += static_cast<std::uint32_t>(offset_of(c.registers[queue], i.dst_reg));
    moved.src0.offset += static_cast<std::uint32_t>(offset_of(c.registers[queue], i.src_reg));
  }
  isa::execute(moved, view(c));
  apply(i.update, c.semaphores[i.update.semaphore]);
}

// Addresses and row numbers are those at the time of the doorbell.
void Interpreter::ring(std::uint32_t number, const Registers& registers, const isa::Instruction& i) {
  Core& core = cores_.at(number);
  Transfer t{number, &i, nullptr, {}, {}};
  const bool indirect = i.indirect != isa::Indirection::kNone;
  for (std::size_t s = 0; s < i.sources; ++s) {
    const isa::Descriptor& d = core.program->descriptors.at(i.descriptor + s);
    t.dst = host_bytes(core, d, d.dst, offset_of(registers, i.dst_reg), indirect);
    t.src.push_back(host_bytes(core, d, d.src, offset_of(registers, i.src_reg), indirect));
  }
  const std::uint32_t rows = indirect ? core.program->descriptors.at(i.descriptor).count[0] : 0;
  for (std::uint32_t n = 0; n < rows; ++n) {
    std::uint32_t row = 0;
    std::memcpy(&row, view(core).at(isa::Space::kSbuf, i.result.partition + n, i.result.offset), sizeof row);
    if (row < i.extent) t.rows.push_back({n, row});
  }
  if (i.read_update.kind != isa::Update::Kind::kNone) t.to_read = isa::kDmaEngines;
  t.move_before = 1 + static_cast<unsigned>(random_() % isa::kDmaEngines);
  transfers_.push_back(std::move(t));
}

std::byte* Interpreter::host_bytes(const Core& core, const isa::Descriptor& d, const isa::DmaSide& side,
                                   std::int64_t offset, bool rows_by_number) {
  if (side.space != isa::Space::kHbm) return nullptr;
  const std::uint64_t base = core.arguments.at(side.arg) + side.offset + static_cast<std::uint64_t>(offset);
  std::int64_t last = 0;
  for (std::size_t i = rows_by_number ? 1 : 0; i < isa::kFreeDims; ++i)
    last += (std::int64_t{d.count[i]} - 1) * side.stride[i];
  return host_bytes(base, (static_cast<std::uint64_t>(last) + 1) * isa::size_of(side.dtype));
}

void Interpreter::move(const Transfer& t) {
  Core& core = cores_.at(t.core);
  const isa::Instruction& i = *t.instruction;
  const std::span<const isa::Descriptor> all = core.program->descriptors;
  const isa::Descriptor& d = all[i.descriptor];
  auto* src = const_cast<std::byte*>(t.src.front());
  if (i.indirect != isa::Indirection::kNone)
    isa::execute_indirect(d, i.indirect, t.rows, view(core), t.dst != nullptr ? t.dst : src);
  else if (i.op == isa::Opcode::kDmaCompute)
    isa::execute_dma_compute(all.subspan(i.descriptor, i.sources), i.fold, view(core), t.dst, t.src);
  else
    isa::execute_dma(d, view(core), t.dst, src);
}

void Interpreter::advance(std::size_t index) {
  Transfer& t = transfers_[index];
  const isa::Instruction& i = *t.instruction;
  // An engine reads before it writes.
  const bool reads = t.to_read > 0 && (t.to_read == t.to_count || random_() % 2 == 0);
  if (!t.moved && (reads ? t.to_read : t.to_count) <= t.move_before) {
    move(t);
    t.moved = true;
    return;
  }
  if (reads) {
    --t.to_read;
    return tell(t, i.read_update, i.read_peer);
  }
  tell(t, i.update, i.peer);
  if (--t.to_count == 0) transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(index));
}

void Interpreter::tell(const Transfer& t, const isa::Update& update, int peer) {
  const std::uint8_t arg = t.instruction->notify_arg;
  const std::uint64_t from = arg == isa::kNone ? t.core : cores_.at(t.core).arguments.at(arg);
  const auto core = static_cast<std::uint32_t>(from + static_cast<std::uint64_t>(std::int64_t{peer}));
  apply(update, cores_.at(core).semaphores[update.semaphore]);
}

void Interpreter::run() {
  std::vector<std::pair<std::uint32_t, std::size_t>> ready;
  while (true) {
    ready.clear();
    std::string stuck;
    for (const auto& [number, core] : cores_)
      for (std::size_t q = 0; q < isa::kQueueCount; ++q) {
        const auto& stream = core.program->streams[q];
        if (core.next[q] == stream.size()) continue;
        if (satisfied(core, q, stream[core.next[q]].wait))
          ready.emplace_back(number, q);
        else
          stuck += " core " + std::to_string(number) + " queue " + std::to_string(q);
      }
    const std::size_t actions = ready.size() + transfers_.size();
    if (actions == 0 && stuck.empty()) return;
    if (actions == 0) throw std::runtime_error("interpreter: no progress:" + stuck);
    const std::size_t choice = random_() % actions;
    if (choice < ready.size())
      start(ready[choice].first, ready[choice].second);
    else
      advance(choice - ready.size());
  }
}

}  // namespace tahoma::tests
