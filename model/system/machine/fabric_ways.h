// SPDX-License-Identifier: Apache-2.0
// The routes of data between the chips of a machine and the rates of their links: the geometry, routes and
// faults of the fabric as plain numbers, for closed forms and for the placement of programs.
//
// Routes are those of dimension order, with its detours around dead links; adaptive routing may take others
// of the same length. A rate is that of data: the headers of full packets are subtracted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/system/machine/machine_params.h"

namespace tahoma::model {

class FabricWays {
 public:
  explicit FabricWays(const MachineParams& params);

  struct Link {             // one direction
    std::string name;       // of its sending port: "xp", "up", "down07"
    std::uint32_t to;       // node behind it
    double rate;            // bytes of data a second; 1e18 where the rate is ideal
    base::Duration hop{0};  // from a header at this node to the same at the node behind
  };
  const std::vector<Link>& links() const { return links_; }

  // The axes along which chip numbers count; a chip's coordinates.
  const std::vector<base::FabricAxis>& axes() const { return axes_; }
  const base::ChipCoordinates& at(std::uint32_t chip) const { return places_[chip]; }

  // Returns whether dead links and chips leave a route.
  bool reaches(std::uint32_t from, std::uint32_t to) const {
    return from == to || next_[std::size_t{from} * places_.size() + to] != kNone;
  }

  // Calls visit(number of the link) for every link of the route between two chips; never if there is no
  // route.
  template <class Visit>
  void along(std::uint32_t from, std::uint32_t to, Visit&& visit) const {
    for (std::uint32_t node = from; node != to;) {
      const std::uint32_t link = next_[std::size_t{node} * places_.size() + to];
      if (link == kNone) return;
      visit(link);
      node = links_[link].to;
    }
  }
  // The same for the links that a packet takes whatever adaptive routing decides.
  template <class Visit>
  void certainly_along(std::uint32_t from, std::uint32_t to, Visit&& visit) const {
    for (std::uint32_t node = from; node != to && !chooses_[std::size_t{node} * places_.size() + to];) {
      const std::uint32_t link = next_[std::size_t{node} * places_.size() + to];
      if (link == kNone) return;
      visit(link);
      node = links_[link].to;
    }
  }
  std::uint32_t hops(std::uint32_t from, std::uint32_t to) const;
  base::Duration flight(std::uint32_t from, std::uint32_t to) const;  // of a header over all links
  double rate(std::uint32_t from, std::uint32_t to) const;            // of the slowest link of the route

 private:
  static constexpr std::uint32_t kNone = ~0U;
  std::vector<base::FabricAxis> axes_;
  std::vector<base::ChipCoordinates> places_;  // by chip
  std::vector<Link> links_;
  std::vector<std::uint32_t> next_;  // link by (node, chip to reach)
  std::vector<bool> chooses_;        // whether adaptive routing has a choice there
};

}  // namespace tahoma::model
