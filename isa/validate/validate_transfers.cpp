// SPDX-License-Identifier: Apache-2.0
// Checks a transfer's requirements on its descriptors, which isa/validate/validate_dma.cpp has
// validated individually.
#include <algorithm>

#include "isa/validate/validate_rules.h"

namespace tahoma::isa {
namespace {

void check_rows(const Site& site, const Descriptor& d) {
  const Column& rows = site.instruction.result;
  const unsigned count = std::min(d.count[0], site.limits.partitions + 1);
  const auto first = static_cast<std::int64_t>(rows.offset);
  check_bytes(site, {"rows", rows.space, rows.partition, count, first,
                     first + static_cast<std::int64_t>(size_of(rows.dtype)) - 1});
}

// Checks the bound of rows that a register selects.
void check_bound(const Site& site, const Descriptor& d) {
  const Instruction& i = site.instruction;
  if ((i.src_reg == kNone) == (i.dst_reg == kNone))
    site.fail("E-ISA-040", "sets a row bound; expected row numbers, or a register on one of its sides");
  if (i.extent == 0) site.fail("E-ISA-040", "operand 'bound' is 0; expected the number of existing rows");
  const DmaSide& rows = i.src_reg != kNone ? d.src : d.dst;
  if (rows.stride[0] <= 0) site.fail("E-ISA-040", "sets a row bound; expected rows at ascending addresses");
}

// A column names the rows: dimension 0 of the HBM side. The other side is a tile with one partition per row.
void check_indirect(const Site& site, const Descriptor& d) {
  const Instruction& i = site.instruction;
  if ((i.indirect != Indirection::kNone) != i.result.present)
    site.fail("E-ISA-035",
              "an indirect transfer needs row numbers and a direct one must not have them; expected both "
              "or neither of indirect and rows");
  if (i.indirect == Indirection::kNone) {
    if (find_field(site.row, FieldKind::kExtent) != nullptr && (i.extent != 0 || i.skip))
      check_bound(site, d);
    return;
  }
  const DmaSide& rows = i.indirect == Indirection::kGather ? d.src : d.dst;
  const DmaSide& tile = i.indirect == Indirection::kGather ? d.dst : d.src;
  if (rows.space != Space::kHbm || tile.space != Space::kSbuf || tile.across != 0)
    site.fail("E-ISA-031", "gathers rows of HBM into SBUF or scatters them back; expected these sides");
  if (i.extent == 0) site.fail("E-ISA-040", "operand 'bound' is 0; expected the number of existing rows");
  check_rows(site, d);
}

void check_transposing(const Site& site, const Descriptor& d) {
  if (site.instruction.op != Opcode::kDmaTranspose) return;
  const std::size_t size = size_of(d.src.dtype);
  if (d.src.dtype != d.dst.dtype || (size != 2 && size != 4) || d.accumulate)
    site.fail("E-ISA-032", "transposes " + std::string(name_of(d.src.dtype)) + " into " +
                               std::string(name_of(d.dst.dtype)) + (d.accumulate ? " and accumulates" : "") +
                               "; expected one dtype of 2 or 4 bytes, written");
  constexpr std::size_t kInner = kFreeDims - 1;
  if (d.count[0] % 16 != 0 || d.count[kInner] > 128 || d.dst.space != Space::kSbuf)
    site.fail("E-ISA-037", "transposes a tile of " + std::to_string(d.count[0]) + " x ... x " +
                               std::to_string(d.count[kInner]) +
                               "; expected a multiple of 16 x ... x at most 128, into SBUF");
  const bool contiguous = d.src.stride[kInner] == 1 && (d.src.space == Space::kHbm || d.src.across != kInner);
  if (d.count[kInner] > 1 && !contiguous)
    site.fail("E-ISA-037", "the innermost dimension of its source is not contiguous; expected a stride of 1");
}

void check_sources(const Site& site, const Descriptor& d) {
  const Instruction& i = site.instruction;
  if (find_field(site.row, FieldKind::kSources) == nullptr) return;
  const auto& all = site.program.descriptors;
  if (i.sources == 0 || i.sources > kMostSources || i.descriptor + std::uint64_t{i.sources} > all.size())
    site.fail("E-ISA-025", "adds " + std::to_string(i.sources) + " sources from descriptor " +
                               std::to_string(i.descriptor) + " on; expected 1.." +
                               std::to_string(kMostSources) + " that exist");
  for (std::size_t s = 0; s < i.sources; ++s) {
    const Descriptor& other = all[i.descriptor + s];
    if (other.dst != d.dst || other.count != d.count || other.accumulate)
      site.fail("E-ISA-025", "source " + std::to_string(s) +
                                 " has another destination or shape than source 0, or accumulates; expected "
                                 "one destination, written once");
    if (i.src_reg != kNone && other.src.space != Space::kHbm)
      site.fail("E-ISA-031", "adds a register to the address of source " + std::to_string(s) +
                                 " on chip; expected an HBM side");
  }
}

// Two hardware generators serve queues sync and scalar and do not support row numbers (nki-dge.rst). Software
// generation runs on the GpSimd engine.
void check_generation(const Site& site) {
  const Instruction& i = site.instruction;
  if (i.dge == Dge::kNone) return;
  const auto fail = [&](const std::string& expected) {
    site.fail("E-ISA-045", "queue " + std::string(name_of(site.queue)) + " generates descriptors by " +
                               std::string(name_of(i.dge)) + "; expected " + expected);
  };
  if (i.dge == Dge::kHw && site.queue != Queue::kSync && site.queue != Queue::kScalar)
    fail("queue sync or scalar, or another dge");
  if (i.dge == Dge::kHw && i.indirect != Indirection::kNone) fail("sw or none for an indirect transfer");
  if (i.dge == Dge::kSw && site.queue != Queue::kGpSimd) fail("queue gpsimd, or another dge");
}

}  // namespace

void check_transfer(const Site& site) {
  const Instruction& i = site.instruction;
  if (i.descriptor >= site.program.descriptors.size())
    site.fail("E-ISA-025", "descriptor " + std::to_string(i.descriptor) +
                               " does not exist; the program has " +
                               std::to_string(site.program.descriptors.size()));
  const Descriptor& d = site.program.descriptors[i.descriptor];
  check_sources(site, d);
  check_indirect(site, d);
  check_transposing(site, d);
  check_generation(site);
  if ((i.dst_reg != kNone && d.dst.space != Space::kHbm) ||
      (i.src_reg != kNone && d.src.space != Space::kHbm))
    site.fail("E-ISA-031", "adds a register to the address of a side on chip; expected an HBM side");
}

}  // namespace tahoma::isa
