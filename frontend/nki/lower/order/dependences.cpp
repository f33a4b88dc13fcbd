// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/order/dependences.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "frontend/nki/lower/memory/tensor_regions.h"
#include "isa/table/table_fields.h"
#include "runtime/builder/scheduler_log.h"

namespace tahoma::runtime::nki {

namespace {

bool has_command(isa::Opcode op) {
  const auto& fields = isa::row_of(op).fields;
  return std::any_of(fields.begin(), fields.end(),
                     [](const isa::Field& f) { return f.kind == isa::FieldKind::kCommand; });
}

bool continues_reduction(const isa::Instruction& i) {
  return has_command(i.op) &&
         (i.command == isa::ReduceCommand::kReduce || i.command == isa::ReduceCommand::kIdle);
}

bool draws_random_numbers(isa::Opcode op) {
  return op >= isa::Opcode::kDropout && op <= isa::Opcode::kRandGetState;
}

// State outside of memory that instructions share, as sequences of entries that keep their order.
class HiddenState {
 public:
  HiddenState(const Trace& trace, const std::vector<isa::Queue>& queues) : queues_(queues) {
    for (std::size_t e = 0; e < trace.entries.size(); ++e)
      if (is_instruction(trace.entries[e]) && continues_reduction(trace.entries[e].instruction))
        accumulates_[static_cast<std::size_t>(queues[e])] = true;
  }

  // The entry that precedes `e` in its sequence.
  std::optional<std::uint32_t> before(std::uint32_t e, const Recorded& entry) {
    if (!is_instruction(entry)) return std::nullopt;
    const auto queue = static_cast<std::size_t>(queues_[e]);
    const isa::Opcode op = entry.instruction.op;
    if (op == isa::Opcode::kSendRecv) return replace(kRendezvous, 0, e);
    if (draws_random_numbers(op)) return replace(kGenerators, queue, e);
    if (accumulates_[queue] && has_command(op)) return replace(kAccumulators, queue, e);
    return std::nullopt;
  }

 private:
  enum Sequence : std::uint8_t { kRendezvous, kGenerators, kAccumulators };
  static bool is_instruction(const Recorded& entry) { return !entry.transfer && !is_fence(entry); }

  std::optional<std::uint32_t> replace(Sequence sequence, std::size_t queue, std::uint32_t e) {
    std::optional<std::uint32_t>& last = last_[{sequence, queue}];
    const std::optional<std::uint32_t> before = last;
    last = e;
    return before;
  }

  const std::vector<isa::Queue>& queues_;
  std::array<bool, isa::kQueueCount> accumulates_{};
  std::map<std::pair<Sequence, std::size_t>, std::optional<std::uint32_t>> last_;
};

// The last entry that writes each tensor. Nothing has to follow later reads, so they need not be recorded:
// inputs and constants are read by very many entries.
std::vector<std::uint32_t> last_writes(const Trace& trace) {
  std::vector<std::uint32_t> last(trace.storages.size(), 0);
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e)
    for (const Access& access : tensor_accesses(trace, trace.entries[e]))
      if (access.write) last[access.region.buffer] = e;
  return last;
}

}  // namespace

Dependences::Dependences(const Trace& trace, const std::vector<isa::Queue>& queues) {
  AccessLog log;
  HiddenState hidden(trace, queues);
  const std::vector<std::uint32_t> last_write = last_writes(trace);
  std::vector<std::uint32_t> needs;
  std::uint32_t segment = 0;  // the first entry behind the last fence
  first_.push_back(0);
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e) {
    const Recorded& entry = trace.entries[e];
    needs.assign(entry.after.begin(), entry.after.end());
    if (is_fence(entry))
      for (std::uint32_t n = segment; n < e; ++n) needs.push_back(n);
    if (segment > 0) needs.push_back(segment - 1);
    if (is_fence(entry)) segment = e + 1;
    if (const auto last = hidden.before(e, entry)) needs.push_back(*last);
    const std::vector<Access> accesses = tensor_accesses(trace, entry);
    for (const Access& access : accesses)
      log.conflicts(access, [&](std::uint32_t earlier) {
        if (earlier != e) needs.push_back(earlier);
      });
    // A write depends on all that it overlaps, so what it contains need not be recorded.
    for (const Access& access : accesses) {
      if (!access.write && e > last_write[access.region.buffer]) continue;
      log.record(
          access, e, [&](std::uint32_t) { return access.write; }, [](std::uint32_t) { return false; });
    }
    std::sort(needs.begin(), needs.end());
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    list_.insert(list_.end(), needs.begin(), needs.end());
    first_.push_back(list_.size());
  }
}

Followers::Followers(const Dependences& dependences) : first_(dependences.size() + 1, 0) {
  const auto entries = static_cast<std::uint32_t>(dependences.size());
  for (std::uint32_t e = 0; e < entries; ++e)
    for (const std::uint32_t before : dependences.before(e)) ++first_[before + 1];
  for (std::size_t e = 0; e < entries; ++e) first_[e + 1] += first_[e];
  list_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t e = 0; e < entries; ++e)
    for (const std::uint32_t before : dependences.before(e)) list_[next[before]++] = e;
}

}  // namespace tahoma::runtime::nki
