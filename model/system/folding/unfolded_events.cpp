// SPDX-License-Identifier: Apache-2.0
#include "model/system/folding/unfolded_events.h"

namespace tahoma::model {

// Sides of a transfer that are not in HBM have no bytes and no address. `core` is that of the representative.
template <class Activity>
void UnfoldedEvents::rename_sides(Activity& of_member, std::uint32_t core, const Renaming& names) const {
  if (of_member.read_bytes == 0 && of_member.write_bytes == 0) return;  // a swap has no descriptors
  const MemberPlaces::Pair pair{core, of_member.core / cores_, of_member.queue, of_member.index};
  const auto rename = [&](std::uint64_t& address, std::int64_t distance) {
    address = names.address(address) + static_cast<std::uint64_t>(distance);
  };
  if (of_member.read_bytes > 0) rename(of_member.read_address, places_.between_first_reads(pair));
  if (of_member.write_bytes > 0) rename(of_member.write_address, places_.between_destinations(pair));
  if constexpr (requires { of_member.more_reads; })
    for (base::HbmRead& more : of_member.more_reads)
      rename(more.address, places_.between(pair, more.operand));
}

template <class Activity, class Tell>
void UnfoldedEvents::each(const Activity& activity, Tell&& tell) {
  for (const std::uint32_t chip : unfolding_.members(activity.core / cores_)) {
    const Renaming& names = unfolding_.names(chip);
    Activity of_chip = activity;
    of_chip.core = names.core(activity.core);
    tell(of_chip, names);
  }
}

void UnfoldedEvents::instruction(const base::InstructionActivity& activity) {
  each(activity, [this](base::InstructionActivity& a, const Renaming& names) {
    a.cause = names.cause(a.cause);
    a.released_by = names.cause(a.released_by);
    observer_->instruction(a);
  });
}

void UnfoldedEvents::transfer(const base::TransferActivity& activity) {
  each(activity, [&](base::TransferActivity& a, const Renaming& names) {
    a.cause = names.cause(a.cause);
    rename_sides(a, activity.core, names);
    observer_->transfer(a);
  });
}

void UnfoldedEvents::packet(const base::PacketActivity& activity) {
  each(activity, [&](base::PacketActivity& a, const Renaming& names) {
    rename_sides(a, activity.core, names);
    probes_->packet(a);
  });
}

void UnfoldedEvents::semaphore(const base::SemaphoreActivity& activity) {
  each(activity, [this](const base::SemaphoreActivity& a, const Renaming&) { probes_->semaphore(a); });
}

void UnfoldedEvents::stretch(const base::StretchActivity& activity) {
  each(activity, [this](const base::StretchActivity& a, const Renaming&) { timeline_->stretch(a); });
}

void UnfoldedEvents::ring(const base::RingActivity& activity) {
  each(activity, [this](const base::RingActivity& a, const Renaming&) { timeline_->ring(a); });
}

void UnfoldedEvents::link(const base::LinkActivity& activity) {
  if (activity.chip >= unfolding_.chips()) return link_of_switch(activity);
  for (const std::uint32_t chip : unfolding_.members(activity.chip)) {
    const Renaming& names = unfolding_.names(chip);
    base::LinkActivity a = activity;
    a.chip = chip;
    a.from_chip = names.chip(activity.from_chip);
    a.to_chip = names.chip(activity.to_chip);
    const auto [path, added] = paths_.try_emplace({activity.path, chip});
    if (added) path->second = unfolding_.path(chip, activity.path);
    a.path = path->second.c_str();
    timeline_->link(a);
  }
}

void UnfoldedEvents::link_of_switch(const base::LinkActivity& activity) {
  auto [members, added] = members_.try_emplace(activity.path);
  if (added) members->second = &unfolding_.members(activity.path);
  for (const Unfolding::SwitchLink* link : *members->second) {
    base::LinkActivity a = activity;
    a.chip = link->names.chip(activity.chip);
    a.from_chip = link->names.chip(activity.from_chip);
    a.to_chip = link->names.chip(activity.to_chip);
    a.path = link->path.c_str();
    timeline_->link(a);
  }
}

}  // namespace tahoma::model
