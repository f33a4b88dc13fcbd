// SPDX-License-Identifier: Apache-2.0
// The tensors that an entry uses, and the bytes of them that it accesses, before tensors have addresses. The
// buffer of a region is the number of its tensor.
#pragma once

#include <vector>

#include "frontend/nki/record/trace.h"
#include "runtime/builder/scheduler.h"

namespace tahoma::runtime::nki {

// No other entry may pass such an entry.
inline bool is_fence(const Recorded& entry) { return entry.registers || entry.barrier || entry.exchange; }

// Instructions that compute each element of their destination from the same elements of their sources, and
// write all of it.
bool is_elementwise(isa::Opcode op);

// The entry makes data on chip without computed inputs: a memset, or a transfer from HBM. An order that is
// short of memory starts it as late as its data are needed.
bool is_source(const Trace& trace, const Recorded& entry);

// Calls visit(storage) for every tensor that the entry uses; it may visit one several times.
template <class Visit>
void for_storages(const Recorded& entry, Visit&& visit) {
  const auto side = [&](const Side& s) {
    visit(s.storage);
    if (s.dynamic.index) visit(s.dynamic.index->storage->id);
  };
  for (const Operand& operand : entry.operands) visit(operand.storage);
  if (entry.transfer) {
    side(entry.transfer->dst);
    for (const Side& s : entry.transfer->sources) side(s);
  }
  if (entry.registers && entry.registers->word) side(*entry.registers->word);
  if (!entry.exchange) return;
  for (const auto* list : {&entry.exchange->ready, &entry.exchange->sends})
    for (const ExchangeWork::Send& send : *list) {
      side(send.src);
      side(send.dst);
    }
  for (const Side& s : entry.exchange->received) side(s);
}

// A region of a tensor in HBM is rows of its innermost dimension by bytes in a row. An access that does not
// consist of parts of rows counts as whole rows; if its address is known only while the kernel runs, as the
// whole tensor.
Region hbm_region(const Storage& storage, const Side& side);

// Returns what an instruction or transfer reads and writes. Entries with registers, barriers and exchanges
// order everything around them, so their accesses are not listed.
std::vector<Access> tensor_accesses(const Trace& trace, const Recorded& entry);

}  // namespace tahoma::runtime::nki
