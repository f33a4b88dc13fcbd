// SPDX-License-Identifier: Apache-2.0
// A fabric that a file lists (link_list.h): a dragonfly, a fat tree, all to all, or anything else.
//
// Packets take a shortest path. Where there are several, the number of the destination chooses among the
// ports, as d-mod-k routing does in a fat tree. The class of virtual channels is the number of links that are
// left, so it decreases along every route and no cycle of waiting packets can form; there are as many classes
// as links on the longest route. Around dead links a route may not be longer than that.
//
// Not supported: routes from a table, adaptive routing, links of one direction.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/base/error.h"
#include "model/base/topology/link_list.h"
#include "model/base/topology/loop.h"
#include "model/base/topology/topologies.h"

namespace tahoma::base {
namespace {

constexpr std::uint32_t kFar = ~std::uint32_t{0};
constexpr std::uint64_t kMostSteps =
    20'000;  // of the search for a path through all chips, which may not exist

char axis_of_rate(LinkRate rate) {
  switch (rate) {
    case LinkRate::kX:
      return 'x';
    case LinkRate::kY:
      return 'y';
    case LinkRate::kZ:
      return 'z';
    case LinkRate::kSwitched:
      return 's';
    case LinkRate::kSpine:
      return 't';
    case LinkRate::kEfa:
      return 'e';
  }
  return '?';
}

class Listed final : public Topology {
 public:
  Listed(const MachineSize& size, const LinkList& list)
      : Topology({{"x", size.x}, {"y", size.y}, {"z", size.z}}),
        switches_(list.switches),
        ports_(chips() + list.switches) {
    for (const ListedLink& link : list.links) {
      add_port(link.from, link.to, link.rate);
      add_port(link.to, link.from, link.rate);
    }
    healthy_ = distances({});
    for (const std::vector<std::uint32_t>& from : healthy_)
      for (std::uint32_t chip = 0; chip < chips(); ++chip) longest_ = std::max(longest_, from[chip]);
  }

  std::uint32_t switches() const override { return switches_; }
  std::string switch_name(std::uint32_t node) const override {
    return fmt::format("switch{}", node - chips());  // as in the file
  }
  PortIndex ports(std::uint32_t node) const override { return static_cast<PortIndex>(ports_[node].size()); }
  PortKind port(std::uint32_t node, PortIndex port) const override {
    const Port& p = ports_[node][port];
    return {p.name, axis_of_rate(p.rate), p.rate};
  }
  std::optional<std::uint32_t> neighbour(std::uint32_t node, PortIndex port) const override {
    return ports_[node][port].to;
  }
  unsigned vc_classes() const override { return std::max(1U, longest_); }

  Way first_hop(std::uint32_t node, std::uint32_t to, const AxisOrder&,
                const DeadLinks& dead) const override {
    if (!dead.empty() && dead != dead_) {
      damaged_ = distances(dead);
      dead_ = dead;
    }
    const std::vector<std::uint32_t>& left = (dead.empty() ? healthy_ : damaged_)[to];
    if (left[node] == kFar || left[node] > vc_classes()) return {};
    std::vector<PortIndex> shortest;
    for (PortIndex port = 0; port < ports(node); ++port)
      if (left[ports_[node][port].to] + 1 == left[node] && !dead.contains({node, port}))
        shortest.push_back(port);
    return {shortest[to % shortest.size()], static_cast<std::uint8_t>(left[node] - 1), 0};
  }

  std::vector<std::uint32_t> path() const override {
    std::vector<std::uint32_t> found{0};
    std::vector<bool> visited(chips(), false);
    visited[0] = true;
    std::uint64_t left = kMostSteps;
    return extend(found, visited, left) ? found : Topology::path();
  }

  std::vector<FabricView> views() const override {
    const double middle = side_of_loop(chips()) / 2.0;
    std::vector<std::pair<double, double>> at;
    for (std::uint32_t chip = 0; chip < chips(); ++chip) at.push_back(on_loop(chip, chips()));
    for (std::uint32_t n = 0; n < switches_; ++n) {
      const auto [column, row] = on_loop(n, switches_);
      const double side = side_of_loop(switches_), scale = switches_ == 1 ? 0 : middle / side;
      at.emplace_back(middle + (column - side / 2) * scale, middle + (row - side / 2) * scale);
    }
    FabricPicture picture{"all chips", {}, {}};
    for (std::uint32_t node = 0; node < nodes(); ++node) {
      picture.nodes.push_back({node, at[node].first, at[node].second});
      for (PortIndex port = 0; port < ports(node); ++port) {
        const auto& [column, row] = at[ports_[node][port].to];
        picture.lines.push_back({node, port, column - at[node].first, row - at[node].second, false});
      }
    }
    return {{"links", {picture}}};
  }

 private:
  struct Port {
    std::uint32_t to;
    LinkRate rate;
    std::string name;
  };

  void add_port(std::uint32_t from, std::uint32_t to, LinkRate rate) {
    const auto beside =
        std::count_if(ports_[from].begin(), ports_[from].end(), [&](const Port& p) { return p.to == to; });
    std::string name = to < chips() ? fmt::format("to{:02}", to) : fmt::format("toswitch{}", to - chips());
    if (beside > 0) name += fmt::format("n{}", beside + 1);
    ports_[from].push_back({to, rate, std::move(name)});
  }

  // Chips that no path has visited, behind one link or one switch.
  std::vector<std::uint32_t> beside(std::uint32_t chip, const std::vector<bool>& visited) const {
    std::set<std::uint32_t> near;
    for (const Port& port : ports_[chip])
      if (port.to < chips())
        near.insert(port.to);
      else
        for (const Port& behind : ports_[port.to])
          if (behind.to < chips()) near.insert(behind.to);
    std::erase_if(near, [&](std::uint32_t other) { return visited[other]; });
    return {near.begin(), near.end()};
  }

  // Extends a path to all chips; chips with few ways on come first (Warnsdorff's rule).
  bool extend(std::vector<std::uint32_t>& found, std::vector<bool>& visited, std::uint64_t& left) const {
    if (found.size() == chips()) return true;
    std::vector<std::uint32_t> next = beside(found.back(), visited);
    std::stable_sort(next.begin(), next.end(), [&](std::uint32_t a, std::uint32_t b) {
      return beside(a, visited).size() < beside(b, visited).size();
    });
    for (const std::uint32_t chip : next) {
      if (left == 0) return false;
      --left;
      found.push_back(chip);
      visited[chip] = true;
      if (extend(found, visited, left)) return true;
      visited[chip] = false;
      found.pop_back();
    }
    return false;
  }

  // By destination and node: the links of a shortest path, kFar if there is none.
  std::vector<std::vector<std::uint32_t>> distances(const DeadLinks& dead) const {
    std::vector<std::vector<LinkId>> arriving(ports_.size());
    for (std::uint32_t node = 0; node < ports_.size(); ++node)
      for (PortIndex port = 0; port < ports(node); ++port)
        if (!dead.contains({node, port})) arriving[ports_[node][port].to].push_back({node, port});
    std::vector<std::vector<std::uint32_t>> all(chips(), std::vector<std::uint32_t>(ports_.size(), kFar));
    for (std::uint32_t to = 0; to < chips(); ++to) {
      std::vector<std::uint32_t>& left = all[to];
      std::vector<std::uint32_t> queue{to};
      left[to] = 0;
      for (std::size_t n = 0; n < queue.size(); ++n)
        for (const auto& [node, port] : arriving[queue[n]])
          if (left[node] == kFar) {
            left[node] = left[queue[n]] + 1;
            queue.push_back(node);
          }
    }
    return all;
  }

  std::uint32_t switches_, longest_ = 0;
  std::vector<std::vector<Port>> ports_;  // by node
  std::vector<std::vector<std::uint32_t>> healthy_;
  mutable DeadLinks dead_;  // of damaged_
  mutable std::vector<std::vector<std::uint32_t>> damaged_;
};

constexpr const char* kNoList = "machine.link.links names no file";

}  // namespace

TopologyRow listed_row() {
  return {"listed", "the links of the file machine.link.links",
          [](const MachineSize& size) -> std::unique_ptr<const Topology> {
            return std::make_unique<Listed>(size, read_links(size.links, size.x * size.y * size.z));
          },
          [](const MachineSize& size) -> std::string { return size.links.empty() ? kNoList : ""; }};
}

}  // namespace tahoma::base
