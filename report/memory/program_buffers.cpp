// SPDX-License-Identifier: Apache-2.0
#include "report/memory/program_buffers.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

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

std::uint64_t written_bytes_of(const isa::Pattern& p) {
  std::uint64_t bytes = std::uint64_t{p.element} * p.partitions;
  for (std::size_t d = 0; d < isa::kFreeDims; ++d)
    if (p.stride[d] != 0) bytes *= p.count[d];
  return bytes;
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

std::uint8_t rank_of(const Instruction& i) {
  return is_transfer(i) ? 0 : i.op == isa::Opcode::kMemset ? 2 : 1;
}

// The variable that the `n`-th write of an instruction fills; "" without a name.
const std::string& variable_of(const Program& program, std::uint32_t filled, std::size_t n) {
  static const std::string none;
  if (filled == isa::kNothingNamed || program.filled[filled].empty()) return none;
  const isa::FilledTensors& names = program.filled[filled];
  return names[std::min(n, names.size() - 1)];
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
  return std::tie(a.space, a.variable, a.first) < std::tie(b.space, b.variable, b.first);
}

bool share_bytes(const OnChipBuffer& a, const OnChipBuffer& b) {
  return a.first < b.end && b.first < a.end && a.partition < b.past_partition &&
         b.partition < a.past_partition;
}

// One buffer for those of a variable that overlap;
// says_more(a, b): the filler a gives the name rather than b.
template <class SaysMore>
std::vector<OnChipBuffer> merged(std::vector<OnChipBuffer> buffers, SaysMore&& says_more) {
  std::stable_sort(buffers.begin(), buffers.end(), before);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < buffers.size(); ++i) {
    OnChipBuffer& last = buffers[kept];
    const OnChipBuffer& next = buffers[i];
    if (next.space != last.space || next.variable != last.variable || next.first >= last.end) {
      buffers[++kept] = next;
      continue;
    }
    last.end = std::max(last.end, next.end);
    last.partition = std::min(last.partition, next.partition);
    last.past_partition = std::max(last.past_partition, next.past_partition);
    last.written += next.written;
    if (says_more(next.filler, last.filler)) last.filler = next.filler;
  }
  if (!buffers.empty()) buffers.resize(kept + 1);
  return buffers;
}

}  // namespace

// One on-chip operand of one instruction.
struct ProgramBuffers::Touched {
  OnChipBuffer bytes;  // with its filler, for a write
  bool reads = false, writes = false, by_transfer = false;
};

ProgramBuffers::ProgramBuffers(const Program& program) {
  // Kernels are unrolled loops over few buffers, so most instructions are repetitions.
  struct Kind {
    const Instruction* instruction;
    std::uint32_t filled;  // the same bytes may be those of another variable
  };
  std::vector<Kind> kinds;
  std::vector<std::size_t> ends;  // end in `touched`, by kind
  std::vector<Touched> touched;
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  for (std::size_t queue = 0; queue < isa::kQueueCount; ++queue) {
    kind_[queue].reserve(program.streams[queue].size());
    std::uint32_t index = 0;
    for (const Instruction& i : program.streams[queue]) {
      const std::uint32_t filled = program.filled_at(static_cast<isa::Queue>(queue), index++);
      const auto [at, added] = known.try_emplace(isa::combined(isa::hash_of_work(i), filled),
                                                 static_cast<std::uint32_t>(kinds.size()));
      if (!added && kinds[at->second].filled == filled && isa::same_work(*kinds[at->second].instruction, i)) {
        kind_[queue].push_back(at->second);
        continue;
      }
      kind_[queue].push_back(static_cast<std::uint32_t>(kinds.size()));
      kinds.push_back({&i, filled});
      collect(program, i, filled, touched);
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

std::uint32_t ProgramBuffers::filler_number(const Program& program, const Instruction& i,
                                            const std::string& variable) {
  const std::pair key{variable, variable.empty() ? filler_key(program, i) : std::uint32_t{rank_of(i)}};
  const auto [known, added] = numbers_.try_emplace(key, static_cast<std::uint32_t>(fillers_.size()));
  if (added) {
    fillers_.push_back(variable.empty() ? filler_name(program, i) : variable);
    ranks_.push_back(rank_of(i));
  }
  return known->second;
}

void ProgramBuffers::collect(const Program& program, const Instruction& instruction, std::uint32_t filled,
                             std::vector<Touched>& touched) {
  std::size_t written = 0;
  for_each_access(program, instruction, [&](const OperandAccess& access, bool by_transfer) {
    const isa::Pattern& p = access.pattern;
    if (p.space == Space::kHbm) return;
    const Box box = box_of(p);
    std::uint32_t filler = 0, variable = 0;
    if (access.writes) {
      const std::string& name = variable_of(program, filled, written++);
      filler = filler_number(program, instruction, name);
      variable = variables_.try_emplace(name, static_cast<std::uint32_t>(variables_.size())).first->second;
    }
    touched.push_back({{p.space, variable, box.first, box.end, p.partition,
                        static_cast<std::uint32_t>(p.partition + p.partitions), filler, written_bytes_of(p)},
                       access.reads,
                       access.writes,
                       by_transfer});
  });
}

void ProgramBuffers::merge(const std::vector<Touched>& touched) {
  std::vector<OnChipBuffer> written;
  for (const Touched& t : touched)
    if (t.writes) written.push_back(t.bytes);
  const auto order = [&](std::uint32_t a, std::uint32_t b) { return says_more(a, b); };
  buffers_ = merged(written, order);
  for (std::size_t n = 0; n < buffers_.size(); ++n) {
    const bool another = n == 0 || buffers_[n].space != buffers_[n - 1].space ||
                         buffers_[n].variable != buffers_[n - 1].variable;
    if (another) ranges_.push_back({n, n});
    ranges_.back().end = n + 1;
  }
  for (OnChipBuffer& bytes : written) bytes.variable = 0;
  for (const OnChipBuffer& bytes : merged(std::move(written), order))
    footprints_[static_cast<std::size_t>(bytes.space)] += bytes.bytes();
}

// Adds an access to every buffer that shares a byte with it; none for bytes that no instruction writes. Which
// variable is read only shows at run time: the one that was written last.
void ProgramBuffers::add_access(const Touched& t) {
  for (const Range& range : ranges_) {
    OnChipBuffer bytes = t.bytes;
    bytes.variable = buffers_[range.begin].variable;
    if (buffers_[range.begin].space != bytes.space) continue;
    const bool other = t.writes && bytes.variable != t.bytes.variable;
    const auto begin = buffers_.begin() + static_cast<std::ptrdiff_t>(range.begin),
               end = buffers_.begin() + static_cast<std::ptrdiff_t>(range.end);
    auto at = std::upper_bound(begin, end, bytes, before);
    if (at != begin && std::prev(at)->end > bytes.first) --at;
    for (; at != end && at->first < bytes.end; ++at) {
      if (other && !share_bytes(*at, bytes)) continue;
      accesses_.push_back({static_cast<std::uint32_t>(at - buffers_.begin()), t.bytes.filler,
                           t.reads && !other, t.writes && !other, other, t.by_transfer});
    }
  }
}

}  // namespace tahoma::runtime
