// SPDX-License-Identifier: Apache-2.0
#include "tests/support/interpreter.h"

#include <stdexcept>
#include <string>

namespace tahoma::tests {

Interpreter::Interpreter(const model::MachineParams& machine, std::uint32_t seed)
    : machine_(machine), random_(seed) {}

std::uint64_t Interpreter::allocate(std::size_t bytes) {
  const std::uint64_t address = next_address_;
  hbm_[address].resize(bytes, std::byte{0xA5});  // memory holds something until it is written
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

bool Interpreter::satisfied(const Core& core, const isa::Wait& wait) const {
  const std::uint32_t value = core.semaphores[wait.semaphore];
  if (wait.kind == isa::Wait::Kind::kNone) return true;
  return wait.kind == isa::Wait::Kind::kEq ? value == wait.value : value >= wait.value;
}

void Interpreter::start(std::uint32_t core, std::size_t queue) {
  Core& c = cores_.at(core);
  const isa::Instruction& i = c.program->streams[queue][c.next[queue]++];
  if (i.op == isa::Opcode::kDmaCopy) {
    transfers_.push_back({core, &i});
    transfers_.back().move_before = 1 + static_cast<unsigned>(random_() % isa::kDmaEngines);
    return;
  }
  isa::execute(i, view(c));
  if (i.update.kind == isa::Update::Kind::kAdd) c.semaphores[i.update.semaphore] += i.update.value;
}

std::byte* Interpreter::host_bytes(const Core& core, const isa::Descriptor& d, const isa::DmaSide& side) {
  if (side.space != isa::Space::kHbm) return nullptr;
  const std::uint64_t base = core.arguments.at(side.arg) + side.offset;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < isa::kFreeDims; ++i) last += (std::int64_t{d.count[i]} - 1) * side.stride[i];
  const std::uint64_t end = base + (static_cast<std::uint64_t>(last) + 1) * isa::size_of(side.dtype);
  auto block = hbm_.upper_bound(base);
  if (block == hbm_.begin() || end > (--block)->first + block->second.size())
    throw std::runtime_error("interpreter: a transfer leaves its tensor");
  return block->second.data() + (base - block->first);
}

void Interpreter::move(const Transfer& transfer) {
  Core& core = cores_.at(transfer.core);
  const isa::Descriptor& d = core.program->descriptors.at(transfer.instruction->descriptor);
  isa::execute_dma(d, view(core), host_bytes(core, d, d.dst), host_bytes(core, d, d.src));
}

void Interpreter::advance(std::size_t index) {
  Transfer& t = transfers_[index];
  if (!t.moved && t.to_count <= t.move_before) {
    move(t);
    t.moved = true;
    return;
  }
  const isa::Instruction& i = *t.instruction;
  const std::uint32_t target = i.notify_arg == isa::kNone
                                   ? t.core
                                   : static_cast<std::uint32_t>(cores_.at(t.core).arguments.at(i.notify_arg));
  cores_.at(target).semaphores[i.update.semaphore] += i.update.value;
  if (--t.to_count == 0) transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(index));
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
        if (satisfied(core, stream[core.next[q]].wait))
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
