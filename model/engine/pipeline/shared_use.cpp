// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/shared_use.h"

#include <algorithm>

#include "isa/table/access.h"
#include "isa/table/table.h"
#include "model/engine/pipeline/timing_laws.h"

namespace tahoma::model {
namespace {

bool in_psum(const isa::Instruction& i) {
  constexpr auto kPsum = isa::Space::kPsum;
  return i.dst.space == kPsum || i.src0.space == kPsum || i.src1.space == kPsum || i.scalar0.space == kPsum ||
         i.scalar1.space == kPsum || i.result.space == kPsum;
}

// A bank that stands for the path of the vector and the scalar engine to PSUM: partitions have fewer than 64
// banks.
constexpr sim::BankSet kLanePath = sim::BankSet{1} << 63;

bool takes_path(base::EngineKind kind, const PsumParams& p) {
  return p.lane_turns && (kind == base::EngineKind::kVector || kind == base::EngineKind::kScalar);
}

bool at_port(const isa::Instruction& i, base::EngineKind kind, const SbufParams& p) {
  const bool user = kind == base::EngineKind::kVector || kind == base::EngineKind::kGpSimd;
  return user && !p.shared_port.ideal && lane_law(isa::row_of(i.op).cost) != nullptr;
}

// Returns every bank between the first and the last byte that the pattern touches in a partition.
sim::BankSet banks_of(const isa::Pattern& pattern, Bytes bank) {
  auto first = static_cast<std::int64_t>(pattern.offset), last = first + pattern.element - 1;
  for (std::size_t d = 0; d < isa::kFreeDims; ++d) {
    const std::int64_t reach = pattern.stride[d] * (std::int64_t{pattern.count[d]} - 1);
    first += std::min<std::int64_t>(0, reach);
    last += std::max<std::int64_t>(0, reach);
  }
  sim::BankSet banks = 0;
  const auto size = static_cast<std::int64_t>(bank.count);
  for (std::int64_t n = std::max<std::int64_t>(0, first) / size; n <= last / size; ++n)
    banks |= sim::BankSet{1} << (n % 64);
  return banks;
}

std::uint64_t bytes_of(const isa::Pattern& pattern) {
  std::uint64_t bytes = pattern.element;
  for (const std::uint32_t n : pattern.count) bytes *= n;
  return bytes;
}

}  // namespace

bool shares(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  return ((p.psum.bank_turns || takes_path(kind, p.psum)) && in_psum(i)) || at_port(i, kind, p.sbuf);
}

SharedUse shared_use(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p) {
  SharedUse use;
  std::uint64_t read = 0, written = 0;
  const bool port = at_port(i, kind, p.sbuf);
  const isa::AccessList list = isa::accesses_of(i);
  for (const isa::OperandAccess& access : list.all()) {
    if (access.pattern.space == isa::Space::kPsum) {
      if (p.psum.bank_turns) use.banks |= banks_of(access.pattern, p.psum.bank);
      if (takes_path(kind, p.psum)) use.banks |= kLanePath;
    } else if (port) {
      (access.writes ? written : read) += bytes_of(access.pattern);
    }
  }
  use.through_port = {std::max(read, written)};
  return use;
}

}  // namespace tahoma::model
