// SPDX-License-Identifier: Apache-2.0
// Two levels of switches, as in the UltraServers of Trainium3: the chips of a server (x by y) share a
// first-level switch, and two second-level switches connect those of all servers (z). A route inside a server
// has two links, any other four; the destination's number chooses the second-level switch, the other one
// stands in for it when links are dead. Every route goes up and then down, so one class of virtual channels
// is enough.
#include <fmt/format.h>

#include <algorithm>

#include "model/base/topology/switch_fabric.h"
#include "model/base/topology/topologies.h"

namespace tahoma::base {
namespace {

class TwoLevel final : public Topology {
 public:
  explicit TwoLevel(const MachineSize& size) : Topology({{"x", size.x}, {"y", size.y}, {"z", size.z}}) {}

  std::uint32_t switches() const override { return servers() + kSpines; }
  std::string switch_name(std::uint32_t node) const override {
    return is_spine(node) ? fmt::format("switch{:02}", servers() + spine_of(node))
                          : fmt::format("switch{:02}", node - chips());
  }
  PortIndex ports(std::uint32_t node) const override {
    if (is_chip(node)) return 1;
    return is_spine(node) ? servers() : chips_of_server() + kSpines;
  }
  PortKind port(std::uint32_t node, PortIndex port) const override {
    if (is_chip(node)) return {"up", 's', LinkRate::kSwitched};
    if (is_spine(node)) return {fmt::format("down{:02}", port), 't', LinkRate::kSpine};
    if (port < chips_of_server()) return {fmt::format("down{:02}", port), 's', LinkRate::kSwitched};
    return {fmt::format("up{}", port - chips_of_server()), 't', LinkRate::kSpine};
  }
  std::optional<std::uint32_t> neighbour(std::uint32_t node, PortIndex port) const override {
    if (is_chip(node)) return leaf(server_of(node));
    if (is_spine(node)) return leaf(port);
    const std::uint32_t server = node - chips();
    if (port < chips_of_server()) return server * chips_of_server() + port;
    return chips() + servers() + port - chips_of_server();
  }
  unsigned vc_classes() const override { return 1; }

  Way first_hop(std::uint32_t node, std::uint32_t to, const AxisOrder&,
                const DeadLinks& dead) const override {
    if (is_chip(node)) return way_through(node, 0, dead);
    if (is_spine(node)) return way_through(node, server_of(to), dead);
    if (server_of(to) == node - chips()) return way_through(node, to % chips_of_server(), dead);
    for (std::uint32_t n = 0; n < kSpines; ++n) {
      const std::uint32_t spine = (to + n) % kSpines;
      if (dead.count({chips() + servers() + spine, server_of(to)}) > 0) continue;
      if (const Way way = way_through(node, chips_of_server() + spine, dead); way.exists()) return way;
    }
    return {};
  }

  std::vector<FabricView> views() const override {
    FabricPicture picture{"all chips", {}, {}};
    const double middle = std::max(1U, servers() - 1) / 2.0;
    for (std::uint32_t spine = 0; spine < kSpines; ++spine)
      picture.nodes.push_back({chips() + servers() + spine, middle - 0.5 + spine, 0});
    for (std::uint32_t server = 0; server < servers(); ++server) {
      picture.nodes.push_back({leaf(server), double(server), 1});
      for (std::uint32_t n = 0; n < chips_of_server(); ++n)
        picture.nodes.push_back({server * chips_of_server() + n, double(server), 2.0 + n});
    }
    draw_lines(*this, picture);
    return {{"switches", {picture}}};
  }

 private:
  static constexpr std::uint32_t kSpines = 2;

  std::uint32_t servers() const { return size(2); }
  std::uint32_t chips_of_server() const { return size(0) * size(1); }
  std::uint32_t server_of(std::uint32_t chip) const { return chip / chips_of_server(); }
  std::uint32_t leaf(std::uint32_t server) const { return chips() + server; }
  bool is_chip(std::uint32_t node) const { return node < chips(); }
  bool is_spine(std::uint32_t node) const { return node >= chips() + servers(); }
  std::uint32_t spine_of(std::uint32_t node) const { return node - chips() - servers(); }
};

}  // namespace

TopologyRow two_level_row() {
  return {"two_level", "a switch for each z, the chips of a server, and two switches above them",
          [](const MachineSize& size) -> std::unique_ptr<const Topology> {
            return std::make_unique<TwoLevel>(size);
          }};
}

}  // namespace tahoma::base
