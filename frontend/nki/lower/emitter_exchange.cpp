// SPDX-License-Identifier: Apache-2.0
// Exchanges with other ranks. Each core signals to its senders that its memory is ready, waits for the same
// from those to which it sends, pushes its data, and waits until its own have been read and all that it
// expects have landed. Semaphores count the messages of all exchanges: a core takes part in the next one only
// after this one, so a count belongs to one exchange.
#include <fmt/format.h>

#include "frontend/nki/lower/emitter.h"
#include "frontend/nki/lower/memory/allocate.h"
#include "frontend/nki/lower/memory/tensor_regions.h"
#include "runtime/builder/dma_operation.h"

namespace tahoma::runtime::nki {

namespace {

isa::Instruction wait_until(std::uint8_t semaphore, std::uint32_t messages) {
  isa::Instruction i;
  i.op = isa::Opcode::kSemWait;
  i.wait = {isa::Wait::Kind::kGe, semaphore, messages * isa::kDmaEngines};
  return i;
}

}  // namespace

std::uint32_t Emitter::send(const ExchangeWork::Send& message, std::uint8_t semaphore, isa::Queue queue) {
  TransferWork work;
  work.kind = Transfer::kCopy;
  work.dst = message.dst;
  work.sources.push_back(message.src);
  std::vector<Piece> pieces = pieces_of(work, trace_);
  for (Piece& piece : pieces) {
    isa::Instruction doorbell;
    doorbell.op = isa::Opcode::kDmaCopy;
    doorbell.descriptor = static_cast<std::uint32_t>(program_.descriptors.size());
    doorbell.ring = send_ring_of(queue, machine_.chip.core.dma.rings);
    doorbell.notify_arg = decisions_.peers.core;
    doorbell.peer = static_cast<std::int16_t>(message.distance);
    doorbell.update = {isa::Update::Kind::kAdd, semaphore, 1};
    doorbell.read_update = {isa::Update::Kind::kAdd, kRead, 1};
    doorbell.service = trace_.entries[entry_].exchange->service;
    place(piece.sources.front(), message.src);
    piece.dst.arg = decisions_.peers.tensors.at({message.rank, message.dst.storage});
    program_.descriptors.push_back({piece.count, piece.dst, piece.sources.front(), false});
    append(doorbell, queue);
  }
  const auto messages = static_cast<std::uint32_t>(pieces.size());
  read_ += messages;
  return messages;
}

void Emitter::exchange(const Recorded& entry, isa::Queue queue) {
  const ExchangeWork& work = *entry.exchange;
  if (!loops_.empty())
    refuse("E-NKI-032", "a collective inside a loop that runs on the device: its messages cannot be counted");
  // Everything that this core does with the memory of the exchange is complete before it.
  Op& before = append({}, queue);
  for (const ExchangeWork::Send& send : work.sends)
    record_accesses(before, send.src.storage, hbm_region(*trace_.storages[send.src.storage], send.src), true,
                    false);
  for (const Side& side : work.received) before.touch(hbm_region(*trace_.storages[side.storage], side), true);
  for (const ExchangeWork::Send& ready : work.ready) send(ready, kReady, queue);
  readies_ += static_cast<std::uint32_t>(work.sends.size());
  if (!work.sends.empty()) append(wait_until(kReady, readies_), queue);
  // The ranks run the same kernel: what each sender sends is cut as the first that leaves.
  std::uint32_t from_each = 1;
  for (const ExchangeWork::Send& message : work.sends) {
    const std::uint32_t messages = send(message, kLanded, queue);
    if (&message == &work.sends.front()) from_each = messages;
  }
  append(wait_until(kRead, read_), queue);
  if (!work.received.empty()) {
    landed_ += static_cast<std::uint32_t>(work.ready.size()) * from_each;
    append(wait_until(kLanded, landed_), queue);
  }
  Op& after = append({}, queue);
  for (const ExchangeWork::Send& send : work.sends)
    after.touch(hbm_region(*trace_.storages[send.src.storage], send.src), false);
  for (const Side& side : work.received) {
    const Region region = hbm_region(*trace_.storages[side.storage], side);
    after.announce(region);
    reuse_.write(side.storage, region, entry_);
  }
}

}  // namespace tahoma::runtime::nki
