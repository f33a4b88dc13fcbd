// SPDX-License-Identifier: Apache-2.0
#include "model/system/folding/program_names.h"

#include <algorithm>

#include "isa/table/table.h"
#include "isa/validate/validate_rules.h"
#include "model/engine/sequencer/semaphore_update.h"

namespace tahoma::model {
namespace {

using isa::DmaSide, isa::Instruction, isa::Space;

bool is_transfer(const Instruction& i) { return isa::row_of(i.op).cost == isa::CostClass::kDoorbell; }
bool has_word(const Instruction& i) {
  return i.op == isa::Opcode::kRegLoad || i.op == isa::Opcode::kRegStore;
}

class Reader {
 public:
  Reader(const LoadedProgram& loaded, std::uint32_t core, std::uint32_t cores_per_chip, base::Bytes capacity)
      : loaded_(loaded),
        core_(core),
        cores_(cores_per_chip),
        capacity_(static_cast<std::int64_t>(capacity.count)) {}

  void read(const Instruction& i) {
    if (has_word(i) && i.word.space == Space::kHbm) both_ways(address(i.word));
    if (is_transfer(i)) transfer(i);
  }

  ProgramNames names;

 private:
  std::uint64_t argument(std::uint8_t number) const {
    return number == isa::kNone ? 0 : loaded_.arguments[number];
  }

  std::uint32_t here() const { return core_ / cores_; }
  void flow(std::uint32_t from, std::uint32_t to) {
    if (from != to) names.flows.emplace(from, to);
  }
  // Requests and data, or data and their acknowledgement.
  void both_ways(std::uint32_t chip) {
    flow(here(), chip);
    flow(chip, here());
  }

  // Returns the chip.
  std::uint32_t address(const DmaSide& side) {
    const std::uint64_t at = argument(side.arg) + side.offset;
    names.addresses.push_back(at);
    return isa::GlobalAddress::from(at).chip;
  }

  // The first dimension of an indirect side has `extent` rows. Returns the chip.
  std::uint32_t side(const DmaSide& side, const isa::Descriptor& d, std::uint64_t extent) {
    if (side.space != Space::kHbm) return here();
    const std::uint32_t chip = address(side);
    both_ways(chip);
    std::array<std::uint64_t, isa::kFreeDims> count;
    std::copy(d.count.begin(), d.count.end(), count.begin());
    count[0] = std::max(count[0], extent);
    const std::array<std::int64_t, isa::kFreeDims> stride{side.stride[0], side.stride[1], side.stride[2],
                                                          side.stride[3]};
    const isa::Extent elements = isa::extent_of({count, stride});
    const auto size = static_cast<std::int64_t>(isa::size_of(side.dtype));
    const auto offset = static_cast<std::int64_t>(isa::GlobalAddress::from(names.addresses.back()).offset);
    const std::int64_t least = offset + elements.first * size, most = offset + elements.last * size;
    if (least < 0 || most >= capacity_) names.leaves_stack = true;
    return chip;
  }

  void transfer(const Instruction& i) {
    const auto& descriptors = loaded_.program->descriptors;
    std::uint32_t destination = here();
    for (std::uint32_t s = 0; s < i.sources; ++s) {
      const isa::Descriptor& d = descriptors[i.descriptor + s];
      side(d.src, d, i.extent);
      if (s == 0) destination = side(d.dst, d, i.extent);
    }
    if (changes_semaphore(i.update)) {
      const std::uint32_t notified = notify(i, i.peer);
      flow(here(), notified);
      flow(destination, notified);  // when all data have landed
    }
    if (changes_semaphore(i.read_update)) flow(here(), notify(i, i.read_peer));
  }

  // Returns the chip of the core whose semaphore the transfer changes.
  std::uint32_t notify(const Instruction& i, std::int16_t peer) {
    const std::uint64_t from = i.notify_arg == isa::kNone ? core_ : argument(i.notify_arg);
    const auto core = static_cast<std::uint32_t>(from + static_cast<std::uint64_t>(std::int64_t{peer}));
    names.cores.push_back(core);
    return core / cores_;
  }

  const LoadedProgram& loaded_;
  std::uint32_t core_, cores_;
  std::int64_t capacity_;
};

void forget_name(DmaSide& side) {
  if (side.space != Space::kHbm) return;
  side.arg = isa::kNone;
  side.offset = 0;
}

isa::Descriptor nameless(isa::Descriptor d) {
  forget_name(d.dst);
  forget_name(d.src);
  return d;
}

Instruction nameless(Instruction i) {
  if (has_word(i)) forget_name(i.word);
  if (!is_transfer(i)) return i;
  i.notify_arg = isa::kNone;
  i.peer = i.read_peer = 0;
  return i;
}

template <class List>
bool equal_but_for_names(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return &x == &y || nameless(x) == nameless(y); });
}

}  // namespace

ProgramNames names_of(const LoadedProgram& loaded, std::uint32_t core, std::uint32_t cores_per_chip,
                      base::Bytes capacity) {
  Reader reader(loaded, core, cores_per_chip, capacity);
  for (const isa::Stream& stream : loaded.program->streams)
    for (const Instruction& i : stream) reader.read(i);
  return std::move(reader.names);
}

bool steered_by_values(const isa::Program& program) {
  const auto steered = [](const Instruction& i) {
    return i.op == isa::Opcode::kRegLoad || i.indirect != isa::Indirection::kNone;
  };
  return std::any_of(program.streams.begin(), program.streams.end(), [&](const isa::Stream& stream) {
    return std::any_of(stream.begin(), stream.end(), steered);
  });
}

bool same_but_for_names(const isa::Program& a, const isa::Program& b) {
  if (&a == &b) return true;
  for (std::size_t q = 0; q < isa::kQueueCount; ++q)
    if (!a.streams[q].shares(b.streams[q]) && !equal_but_for_names(a.streams[q], b.streams[q])) return false;
  return a.control == b.control && equal_but_for_names(a.descriptors, b.descriptors);
}

}  // namespace tahoma::model
