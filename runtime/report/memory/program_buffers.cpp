// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/memory/program_buffers.h"

#include <algorithm>
#include <unordered_map>

#include "isa/core/instruction_hash.h"
#include "isa/table/table.h"

namespace tahoma::runtime {

using isa::Descriptor, isa::Instruction, isa::OperandAccess, isa::Program, isa::Space;

namespace {

bool is_transfer(const Instruction& i) { return isa::row_of(i.op).cost == isa::CostClass::kDoorbell; }

struct Box {
  std::uint64_t first, end;
};
Box box_of(const isa::Pattern& p) {
  std::int64_t low = 0, high = 0;
  for (std::size_t d = 0; d < isa::kFreeDims; ++d) {
    const std::int64_t reach = p.stride[d] * (std::int64_t{p.count[d]} - 1);
    (reach < 0 ? low : high) += reach;
  }
  return {p.offset + static_cast<std::uint64_t>(low),
          p.offset + static_cast<std::uint64_t>(high) + p.element};
}

std::string transfer_name(const Program& program, const Descriptor& d) {
  if (d.src.space == Space::kHbm)
    return d.src.arg < program.args.size() ? "load of " + program.args[d.src.arg] : "load";
  return "copy on chip";
}

std::string filler_name(const Program& program, const Instruction& i) {
  return is_transfer(i) ? transfer_name(program, program.descriptors[i.descriptor])
                        : std::string(isa::row_of(i.op).mnemonic);
}

// A key that is equal for instructions whose fillers have the same name.
std::uint32_t filler_key(const Program& program, const Instruction& i) {
  if (!is_transfer(i)) return static_cast<std::uint32_t>(i.op);
  const isa::DmaSide& source = program.descriptors[i.descriptor].src;
  const auto arg = source.space == Space::kHbm ? source.arg : std::uint32_t{isa::kNone} + 1;
  return static_cast<std::uint32_t>(isa::Opcode::kCount) + arg;
}

// Calls visit(access, by_transfer) for every operand, those that are read first.
template <class Visit>
void for_each_access(const Program& program, const Instruction& i, Visit&& visit) {
  if (is_transfer(i)) {
    for (unsigned n = 0; n < std::max<unsigned>(1, i.sources); ++n)
      visit(isa::source_access(program.descriptors[i.descriptor + n], 0), true);
    visit(isa::destination_access(program.descriptors[i.descriptor], 0), true);
  }
  const isa::AccessList list = isa::accesses_of(i);
  for (const bool writes : {false, true})
    for (const OperandAccess& access : list.all())
      if (access.writes == writes) visit(access, false);
}

bool before(const OnChipBuffer& a, const OnChipBuffer& b) {
  return a.space != b.space ? a.space < b.space : a.first < b.first;
}

}  // namespace

// One on-chip operand of one instruction.
struct ProgramBuffers::Touched {
  OnChipBuffer bytes;  // with its filler, for a write
  bool reads = false, writes = false, by_transfer = false;
};

ProgramBuffers::ProgramBuffers(const Program& program) {
  // Kernels are unrolled loops over few buffers, so most instructions are repetitions.
  std::vector<const Instruction*> kinds;
  std::vector<std::size_t> ends;  // end in `touched`, by kind
  std::vector<Touched> touched;
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  for (std::size_t queue = 0; queue < isa::kQueueCount; ++queue) {
    kind_[queue].reserve(program.streams[queue].size());
    for (const Instruction& i : program.streams[queue]) {
      const auto [at, added] =
          known.try_emplace(isa::hash_of_work(i), static_cast<std::uint32_t>(kinds.size()));
      if (!added && isa::same_work(*kinds[at->second], i)) {
        kind_[queue].push_back(at->second);
        continue;
      }
      kind_[queue].push_back(static_cast<std::uint32_t>(kinds.size()));
      kinds.push_back(&i);
      collect(program, i, touched);
      ends.push_back(touched.size());
    }
  }
  merge(touched);
  first_.push_back(0);
  std::size_t next = 0;
  for (const std::size_t end : ends) {
    for (; next < end; ++next) add_access(touched[next]);
    first_.push_back(static_cast<std::uint32_t>(accesses_.size()));
  }
}

std::uint16_t ProgramBuffers::filler_number(const Program& program, const Instruction& i) {
  const auto [known, added] =
      numbers_.try_emplace(filler_key(program, i), static_cast<std::uint16_t>(fillers_.size()));
  if (added) {
    fillers_.push_back(filler_name(program, i));
    ranks_.push_back(is_transfer(i) ? 0 : i.op == isa::Opcode::kMemset ? 2 : 1);
  }
  return known->second;
}

void ProgramBuffers::collect(const Program& program, const Instruction& instruction,
                             std::vector<Touched>& touched) {
  for_each_access(program, instruction, [&](const OperandAccess& access, bool by_transfer) {
    const isa::Pattern& p = access.pattern;
    if (p.space == Space::kHbm) return;
    const Box box = box_of(p);
    const std::uint16_t filler = access.writes ? filler_number(program, instruction) : std::uint16_t{0};
    touched.push_back({{p.space, box.first, box.end, p.partition,
                        static_cast<std::uint32_t>(p.partition + p.partitions), filler},
                       access.reads,
                       access.writes,
                       by_transfer});
  });
}

// Merges buffers that overlap.
void ProgramBuffers::merge(const std::vector<Touched>& touched) {
  for (const Touched& t : touched)
    if (t.writes) buffers_.push_back(t.bytes);
  std::stable_sort(buffers_.begin(), buffers_.end(), before);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < buffers_.size(); ++i) {
    OnChipBuffer& last = buffers_[kept];
    const OnChipBuffer& next = buffers_[i];
    if (next.space != last.space || next.first >= last.end) {
      buffers_[++kept] = next;
      continue;
    }
    last.end = std::max(last.end, next.end);
    last.partition = std::min(last.partition, next.partition);
    last.past_partition = std::max(last.past_partition, next.past_partition);
    if (says_more(next.filler, last.filler)) last.filler = next.filler;
  }
  if (!buffers_.empty()) buffers_.resize(kept + 1);
}

// Adds an access to every buffer that shares a byte with it; none for bytes that no instruction writes.
void ProgramBuffers::add_access(const Touched& t) {
  auto at = std::upper_bound(buffers_.begin(), buffers_.end(), t.bytes, before);
  if (at != buffers_.begin() && std::prev(at)->space == t.bytes.space && std::prev(at)->end > t.bytes.first)
    --at;
  for (; at != buffers_.end() && at->space == t.bytes.space && at->first < t.bytes.end; ++at)
    accesses_.push_back({static_cast<std::uint32_t>(at - buffers_.begin()), t.bytes.filler, t.reads, t.writes,
                         t.by_transfer});
}

}  // namespace tahoma::runtime
