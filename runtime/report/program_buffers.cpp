// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/program_buffers.h"

#include <algorithm>

#include "isa/table.h"

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

// visit(access, whether it is a side of a transfer) for every operand, those that are read first.
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

ProgramBuffers::ProgramBuffers(const Program& program) {
  for (const auto& stream : program.streams)
    for (const Instruction& i : stream) add_boxes(program, i);
  merge();
  for (std::size_t queue = 0; queue < isa::kQueueCount; ++queue) {
    first_[queue].reserve(program.streams[queue].size() + 1);
    for (const Instruction& i : program.streams[queue]) {
      first_[queue].push_back(static_cast<std::uint32_t>(accesses_.size()));
      add_accesses(program, i);
    }
    first_[queue].push_back(static_cast<std::uint32_t>(accesses_.size()));
  }
}

std::uint16_t ProgramBuffers::filler_number(const std::string& name) {
  const auto known = std::find(fillers_.begin(), fillers_.end(), name);
  if (known != fillers_.end()) return static_cast<std::uint16_t>(known - fillers_.begin());
  fillers_.push_back(name);
  return static_cast<std::uint16_t>(fillers_.size() - 1);
}

void ProgramBuffers::add_boxes(const Program& program, const Instruction& instruction) {
  for_each_access(program, instruction, [&](const OperandAccess& access, bool) {
    if (access.writes && access.pattern.space != Space::kHbm)
      add_box(access, filler_number(filler_name(program, instruction)));
  });
}

void ProgramBuffers::add_box(const OperandAccess& access, std::uint16_t filler) {
  const isa::Pattern& p = access.pattern;
  const Box box = box_of(p);
  buffers_.push_back({p.space, box.first, box.end, p.partition,
                      static_cast<std::uint32_t>(p.partition + p.partitions), filler});
}

// Those that overlap become one.
void ProgramBuffers::merge() {
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
  }
  if (!buffers_.empty()) buffers_.resize(kept + 1);
}

void ProgramBuffers::add_accesses(const Program& program, const Instruction& instruction) {
  for_each_access(program, instruction, [&](const OperandAccess& access, bool by_packets) {
    if (access.pattern.space == Space::kHbm) return;
    add_access(access, access.writes ? filler_number(filler_name(program, instruction)) : std::uint16_t{0},
               by_packets);
  });
}

// Whatever it shares a byte with; nothing for what nobody ever writes.
void ProgramBuffers::add_access(const OperandAccess& access, std::uint16_t filler, bool by_packets) {
  const Box box = box_of(access.pattern);
  const OnChipBuffer from{access.pattern.space, box.first, box.end, 0, 0, 0};
  auto at = std::upper_bound(buffers_.begin(), buffers_.end(), from, before);
  if (at != buffers_.begin() && std::prev(at)->space == from.space && std::prev(at)->end > from.first) --at;
  for (; at != buffers_.end() && at->space == from.space && at->first < from.end; ++at)
    accesses_.push_back(
        {static_cast<std::uint32_t>(at - buffers_.begin()), filler, access.reads, access.writes, by_packets});
}

}  // namespace tahoma::runtime
