// SPDX-License-Identifier: Apache-2.0
// Passes every event of a simulated chip on as the events of all chips that it represents.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "model/base/activity.h"
#include "model/system/folding/member_places.h"
#include "model/system/folding/unfolding.h"

namespace tahoma::model {

class UnfoldedEvents final : public base::Observer,
                             public base::ProbeObserver,
                             public base::TimelineObserver {
 public:
  // A null target receives no events.
  UnfoldedEvents(const Unfolding& unfolding, const LoadedPrograms& programs, std::uint32_t cores_per_chip,
                 base::Observer* observer, base::ProbeObserver* probes, base::TimelineObserver* timeline)
      : unfolding_(unfolding),
        places_(programs, cores_per_chip),
        cores_(cores_per_chip),
        observer_(observer),
        probes_(probes),
        timeline_(timeline) {}

  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity& activity) override;
  void packet(const base::PacketActivity& activity) override;
  void semaphore(const base::SemaphoreActivity& activity) override;
  void stretch(const base::StretchActivity& activity) override;
  void ring(const base::RingActivity& activity) override;
  void link(const base::LinkActivity& activity) override;

 private:
  // Calls tell(activity of the member, its names) for every member of the class of the activity's core.
  template <class Activity, class Tell>
  void each(const Activity& activity, Tell&& tell);
  template <class Activity>
  void rename_sides(Activity& of_member, std::uint32_t core, const Renaming& names) const;
  void link_of_switch(const base::LinkActivity& activity);

  const Unfolding& unfolding_;
  MemberPlaces places_;
  std::uint32_t cores_;
  base::Observer* observer_;
  base::ProbeObserver* probes_;
  base::TimelineObserver* timeline_;
  std::map<std::pair<const char*, std::uint32_t>, std::string>
      paths_;  // of links, by the representative's and chip
  std::map<const char*, const std::vector<const Unfolding::SwitchLink*>*>
      members_;  // of links of switches, by path
};

}  // namespace tahoma::model
