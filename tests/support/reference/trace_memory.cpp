// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/trace_memory.h"

#include <algorithm>

#include "tests/support/reference/trace_words.h"

namespace tahoma::tests {

using namespace runtime::nki;  // nearly every name of this reference is from there

namespace {

bool share_bytes(const Storage& a, const Place& at_a, const Storage& b, const Place& at_b) {
  return a.buffer == b.buffer && at_a.byte < at_b.byte + b.row_bytes() &&
         at_b.byte < at_a.byte + a.row_bytes();
}

// Returns whether the entry computes each element of `dst` from the element of `src` at the same place, and
// uses neither otherwise.
bool works_in_place(const Recorded& entry, std::uint32_t src, std::uint32_t dst) {
  const isa::Instruction& i = entry.instruction;
  const auto uses = [&](std::uint32_t id) {
    return std::count_if(entry.operands.begin(), entry.operands.end(),
                         [&](const Operand& o) { return o.storage == id; });
  };
  const bool elementwise = i.op == isa::Opcode::kTensorCopy || i.op == isa::Opcode::kTensorTensor;
  return !entry.transfer && elementwise && uses(src) == 1 && uses(dst) == 1 &&
         i.dst.partition == i.src0.partition && i.dst.offset == i.src0.offset &&
         i.dst.stride == i.src0.stride && i.dst.dtype == i.src0.dtype;
}

}  // namespace

std::vector<std::optional<Life>> lives_of(const Trace& trace) {
  std::vector<std::optional<Life>> lives(trace.storages.size());
  for (std::size_t e = 0; e < trace.entries.size(); ++e)
    for (const Word& word : words_of(trace, trace.entries[e])) {
      std::optional<Life>& life = lives[word.storage];
      life = Life{life ? life->first : e, e};
    }
  return lives;
}

std::string sharing(const Trace& trace, const std::vector<Place>& places) {
  const auto lives = lives_of(trace);
  for (const auto& a : trace.storages)
    for (const auto& b : trace.storages) {
      if (a->id == b->id || !a->on_chip() || a->place || b->place || !lives[a->id] || !lives[b->id]) continue;
      const Life &of_a = *lives[a->id], &of_b = *lives[b->id];
      const bool together = of_a.first <= of_b.first && of_b.first <= of_a.last;
      if (!together || !share_bytes(*a, places[a->id], *b, places[b->id])) continue;
      const bool handed_over = of_a.last == of_b.first && places[a->id] == places[b->id] &&
                               works_in_place(trace.entries[of_b.first], a->id, b->id);
      if (!handed_over) return a->text() + " and " + b->text();
    }
  return "";
}

std::int64_t most_live_bytes(const Trace& trace, Buffer buffer) {
  const auto lives = lives_of(trace);
  std::int64_t most = 0;
  for (std::size_t e = 0; e < trace.entries.size(); ++e) {
    std::int64_t live = 0;
    for (const auto& s : trace.storages)
      if (s->buffer == buffer && lives[s->id] && lives[s->id]->first <= e && e <= lives[s->id]->last)
        live += s->row_bytes();
    most = std::max(most, live);
  }
  return most;
}

}  // namespace tahoma::tests
