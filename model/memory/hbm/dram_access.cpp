// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/dram_access.h"

#include <algorithm>

#include "model/memory/hbm/dram_resolved.h"

namespace tahoma::model {

std::shared_ptr<const DramDesign> design_of(const HbmParams& p, double rate) {
  const auto left = static_cast<std::uint64_t>(static_cast<double>(p.bandwidth.bytes_per_second) * rate);
  const base::Bandwidth bandwidth{std::max<std::uint64_t>(1, left), false};
  const dram::Organisation o = organisation_of(p.dram, p.capacity);
  return std::make_shared<const DramDesign>(
      DramDesign{o, timing_of(p.dram, bandwidth), policy_of(p.dram, bandwidth),
                 dram::AddressMapping(p.dram.mapping, o, "machine.chip.hbm.dram.mapping")});
}

DramAccess::DramAccess(const DramDesign& design, const std::vector<std::uint32_t>& failed) : design_(design) {
  if (failed.empty()) return;
  failed_.resize(design.organisation.channels);
  for (const std::uint32_t channel : failed) failed_[channel] = true;
  for (std::uint32_t c = 0; c < design.organisation.channels; ++c)
    if (!failed_[c]) healthy_.push_back(c);
}

std::vector<DramAccess::Part>& DramAccess::parts(std::uint64_t offset, const sim::RowPattern& rows,
                                                 bool write) {
  parts_.clear();
  rows.each_row(
      [&](std::int64_t row) { touch(offset + static_cast<std::uint64_t>(row), rows.row_bytes(), write); });
  return parts_;
}

void DramAccess::touch(std::uint64_t offset, std::uint64_t bytes, bool write) {
  const unsigned block = design_.mapping.block_bits(), access = design_.mapping.access_bits();
  for (std::uint64_t at = offset, end = offset + bytes; at < end;) {
    const std::uint64_t stop = std::min(end, ((at >> block) + 1) << block);
    const std::uint64_t accesses = ((stop - 1) >> access) - (at >> access) + 1;
    add(design_.mapping.place(at), static_cast<std::uint32_t>(accesses), write);
    at = stop;
  }
}

// A row of the failed channel keeps its number above those of the healthy channel.
void DramAccess::redirect(dram::DramAddress& place) const {
  const std::uint32_t spread = place.row * 7 + place.bank + place.pseudo;
  place.channel = healthy_[(place.channel + spread) % healthy_.size()];
  place.row += design_.organisation.rows;
}

void DramAccess::add(dram::DramAddress place, std::uint32_t accesses, bool write) {
  if (!failed_.empty() && failed_[place.channel]) redirect(place);
  const std::uint32_t most = design_.organisation.columns;
  for (Part& part : parts_) {
    const dram::Segment& s = part.segment;
    if (part.channel != place.channel || s.bank != place.bank || s.row != place.row ||
        s.pseudo != place.pseudo)
      continue;
    const std::uint32_t more = std::min(accesses, most - s.accesses);
    part.segment.accesses += more;
    accesses -= more;
    if (accesses == 0) return;
  }
  parts_.push_back({place.channel,
                    {write, static_cast<std::uint8_t>(place.pseudo), static_cast<std::uint8_t>(place.bank),
                     place.row, accesses, 0, 0, 0}});
}

}  // namespace tahoma::model
