// SPDX-License-Identifier: Apache-2.0
// A fabric as a table: a CSV file with one row for each link, for the topology `listed` (machine.link.links).
//
//   from,to,rate
//   0,1,x
//   1,switch0,switched
//
// Nodes are chips by number and switches, which the file numbers from switch0. A row is a link with two
// directions; equal rows are links side by side. `rate` names the parameter of its rate: x, y, z, switched,
// spine or efa of machine.link. Lines that begin with '#' and empty lines do not count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/topology/topology.h"

namespace tahoma::base {

struct ListedLink {
  std::uint32_t from = 0, to = 0;  // nodes
  LinkRate rate = LinkRate::kX;
};

struct LinkList {
  std::vector<ListedLink> links;
  std::uint32_t switches = 0;
};

// Throws UserError E-CFG-037 at the file and line: no such file, a row that is not a link, a chip that the
// machine does not have, a node that is linked to itself, chips that are not connected.
LinkList read_links(const std::string& path, std::uint32_t chips);

}  // namespace tahoma::base
