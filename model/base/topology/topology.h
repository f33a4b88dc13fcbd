// SPDX-License-Identifier: Apache-2.0
// The interface of a fabric: its nodes, their ports, the node behind each port, the routes of packets, and
// the drawing of the fabric on a page. Each fabric implements it in its own file; topologies.h has one row
// for each. It is pure arithmetic without SystemC: the model calls it while it builds a machine, the runtime
// while it plans a program or writes a page, and never per packet.
//
// Nodes are the chips in the order of their numbers, then the switches. Chip numbers count along the axes,
// the first axis fastest. Nothing outside this folder may depend on the kind of fabric.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tahoma::base {

using PortIndex = std::uint32_t;

inline constexpr std::size_t kMostAxes = 3;
using ChipCoordinates =
    std::array<std::uint32_t, kMostAxes>;           // coordinate on each axis; 0 beyond the last axis
using AxisOrder = std::array<unsigned, kMostAxes>;  // numbers of axes, in the order in which they are routed
using LinkId =
    std::pair<std::uint32_t, PortIndex>;  // one direction of a link: the node that sends, and its port
using DeadLinks = std::set<LinkId>;

struct MachineSize {
  std::uint32_t x = 1, y = 1, z = 1;  // machine.torus
  std::string links = {};             // machine.link.links, a file; "": none (link_list.h)
};

struct FabricAxis {
  std::string name;  // also names the axis of a collective's groups
  std::uint32_t size;
};

enum class LinkRate : std::uint8_t { kX, kY, kZ, kSwitched, kSpine, kEfa };  // parameters under machine.link

struct PortKind {
  std::string name;  // within its node: "xp", "up", "down07"
  char axis;         // groups links in reports
  LinkRate rate;
};

// The port through which a packet leaves a node.
struct Way {
  static constexpr PortIndex kNone = ~PortIndex{0};
  PortIndex port = kNone;
  std::uint8_t vc_class = 0;  // of the virtual channel on the link behind the port
  std::uint32_t minimal = 0;  // a bit for each port on a shortest path, if adaptive routing is legal
  bool exists() const { return port != kNone; }
};

// The drawing of the fabric: a choice of views, each of one or more pictures. Positions are in steps; rows
// count downwards. A line starts at its node and ends (dx, dy) away, at the node behind the port. A stub is
// short, points to (dx, dy), and represents a link that leaves the picture and returns on the other side.
struct FabricPicture {
  struct Node {
    std::uint32_t node;
    double column, row;
  };
  struct Line {
    std::uint32_t node;
    PortIndex port;
    double dx, dy;
    bool stub;
  };
  std::string label;
  std::vector<Node> nodes;
  std::vector<Line> lines;
};
struct FabricView {
  std::string name;
  std::vector<FabricPicture> pictures;
};

class Topology {
 public:
  virtual ~Topology() = default;
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  const std::vector<FabricAxis>& axes() const { return axes_; }
  std::uint32_t size(std::size_t axis) const { return axis < axes_.size() ? axes_[axis].size : 1; }
  std::uint32_t chips() const { return size(0) * size(1) * size(2); }
  std::uint32_t nodes() const { return chips() + switches(); }
  ChipCoordinates at(std::uint32_t chip) const {
    return {chip % size(0), chip / size(0) % size(1), chip / size(0) / size(1)};
  }
  std::uint32_t chip(const ChipCoordinates& place) const {
    return place[0] + size(0) * (place[1] + size(1) * place[2]);
  }

  virtual std::uint32_t switches() const { return 0; }
  // The name is unique within the machine, "switch" or "switch" with a number. It names the instance and its
  // faults.
  virtual std::string switch_name(std::uint32_t node) const;

  virtual PortIndex ports(std::uint32_t node) const = 0;
  virtual PortKind port(std::uint32_t node, PortIndex port) const = 0;
  // Returns the node behind the port, or none if the fabric has no such link.
  virtual std::optional<std::uint32_t> neighbour(std::uint32_t node, PortIndex port) const = 0;

  // The number of classes of virtual channels that packets need so that no cycle of waiting packets can form.
  virtual unsigned vc_classes() const = 0;
  // Returns the first hop of the route from `node` to the chip `to`, another node; none if dead links close
  // every path that the fabric can take.
  virtual Way first_hop(std::uint32_t node, std::uint32_t to, const AxisOrder& order,
                        const DeadLinks& dead) const = 0;
  // Adaptive routing may take any port on a shortest path, on its own virtual channels. The channels of
  // first_hop() remain available as its escape (Duato's condition, with buffers that hold whole packets).
  virtual bool allows_adaptive() const { return false; }
  virtual std::uint32_t shortest_ports(std::uint32_t, std::uint32_t) const { return 0; }  // a bit for each

  // All chips in an order in which consecutive ones are neighbours if the fabric allows it. The default goes
  // back and forth along each axis (reflected mixed-radix order).
  virtual std::vector<std::uint32_t> path() const;

  virtual std::vector<FabricView> views() const = 0;

 protected:
  explicit Topology(std::vector<FabricAxis> axes);

 private:
  std::vector<FabricAxis> axes_;
};

}  // namespace tahoma::base
