// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fabric/topology_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

namespace tahoma::tests {

using base::AxisOrder, base::FabricPicture, base::FabricView, base::PortIndex, base::Routes, base::Topology;

namespace {

constexpr AxisOrder kXyz{0, 1, 2};

template <class Visit>
void for_each_link(const Topology& t, Visit&& visit) {
  for (std::uint32_t node = 0; node < t.nodes(); ++node)
    for (PortIndex port = 0; port < t.ports(node); ++port)
      if (const auto to = t.neighbour(node, port)) visit(node, port, *to);
}

Complaints links_lead_back(const Topology& t) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> cables;
  Complaints found;
  for_each_link(t, [&](std::uint32_t node, PortIndex port, std::uint32_t to) {
    if (to >= t.nodes() || to == node)
      found.push_back(fmt::format("port {} of node {} leads to {}", port, node, to));
    ++cables[{node, to}];
  });
  for (const auto& [ends, count] : cables)
    if (const auto back = cables.find({ends.second, ends.first});
        back == cables.end() || back->second != count)
      found.push_back(fmt::format("the link from {} to {} does not lead back", ends.first, ends.second));
  return found;
}

// Names become instance names and paths of parameters.
Complaints names_are_unique_words(const Topology& t) {
  static const std::regex kWord("[a-z0-9]+"), kSwitch("switch[0-9]*");
  Complaints found;
  std::set<std::string> switches;
  for (std::uint32_t node = 0; node < t.nodes(); ++node) {
    std::set<std::string> names;
    for (PortIndex port = 0; port < t.ports(node); ++port) {
      const base::PortKind kind = t.port(node, port);
      if (!std::regex_match(kind.name, kWord) || !names.insert(kind.name).second)
        found.push_back(fmt::format("node {} has an extra port '{}'", node, kind.name));
      if (kind.rate > base::LinkRate::kEfa)
        found.push_back(fmt::format("port '{}' of node {} has no rate", kind.name, node));
    }
    if (node < t.chips()) continue;
    const std::string name = t.switch_name(node);
    if (!std::regex_match(name, kSwitch) || !switches.insert(name).second)
      found.push_back(fmt::format("there is an extra switch '{}'", name));
  }
  return found;
}

Complaints axes_number_the_chips(const Topology& t) {
  Complaints found;
  std::set<std::string> names{"core", "list"};  // taken by collectives
  std::uint32_t chips = 1;
  for (const base::FabricAxis& axis : t.axes()) {
    chips *= axis.size;
    if (!names.insert(axis.name).second) found.push_back("axis '" + axis.name + "' appears twice");
  }
  if (chips != t.chips()) found.push_back(fmt::format("axes for {} of {} chips", chips, t.chips()));
  for (std::uint32_t chip = 0; chip < t.chips(); ++chip)
    if (t.chip(t.at(chip)) != chip)
      found.push_back(fmt::format("chip {} is not at its own coordinates", chip));
  return found;
}

Complaints ways_are_shortest(const Topology& t) {
  Complaints found;
  for (const AxisOrder& order : {kXyz, AxisOrder{2, 0, 1}, AxisOrder{1, 2, 0}}) {
    const Routes routes(t, order, {});
    for (std::uint32_t from = 0; from < t.chips(); ++from) {
      const auto distance = distances_from(t, from);
      for (std::uint32_t to = 0; to < t.chips(); ++to)
        if (from != to && walk(t, routes, from, to).size() != distance[to])
          found.push_back(fmt::format("{} hops from {} to {}, {} links apart",
                                      walk(t, routes, from, to).size(), from, to, distance[to]));
    }
  }
  return found;
}

Complaints classes_exist_and_form_no_circle(const Topology& t) {
  Complaints found;
  for (const AxisOrder& order : {kXyz, AxisOrder{2, 1, 0}}) {
    const Routes routes(t, order, {});
    if (may_deadlock(t, routes)) found.emplace_back("virtual channels can deadlock in a cycle");
    for (std::uint32_t node = 0; node < t.nodes(); ++node)
      for (std::uint32_t to = 0; to < t.chips(); ++to)
        if (node != to && routes.way(node, to).vc_class >= t.vc_classes())
          found.push_back(fmt::format("class {} from {} to {}", routes.way(node, to).vc_class, node, to));
  }
  return found;
}

// With any one cable dead: no route uses it, and the others form no cycle.
Complaints dead_links_are_avoided(const Topology& t) {
  Complaints found;
  if (t.chips() > 24) return found;  // large ones take long and show nothing new
  for_each_link(t, [&](std::uint32_t node, PortIndex port, std::uint32_t) {
    const base::DeadLinks dead{{node, port}};
    const Routes routes(t, kXyz, dead);
    if (may_deadlock(t, routes)) found.push_back(fmt::format("a cycle without port {} of {}", port, node));
    for (std::uint32_t from = 0; from < t.chips(); ++from)
      for (std::uint32_t to = 0; to < t.chips(); ++to) {
        if (from == to || !routes.way(from, to).exists()) continue;
        const auto hops = walk(t, routes, from, to);
        if (hops.empty() || std::any_of(hops.begin(), hops.end(), [&](const FabricHop& hop) {
              return hop.node == node && hop.port == port;
            }))
          found.push_back(fmt::format("from {} to {} over a dead port {} of {}", from, to, port, node));
      }
  });
  return found;
}

Complaints adaptive_ports_lead_nearer(const Topology& t) {
  Complaints found;
  const Routes routes(t, kXyz, {});
  for (std::uint32_t to = 0; to < t.chips(); ++to) {
    const auto distance = distances_from(t, to);  // links lead in both directions
    for (std::uint32_t node = 0; node < t.nodes(); ++node)
      for (PortIndex port = 0; node != to && port < std::min<PortIndex>(t.ports(node), 32); ++port) {
        const auto next = t.neighbour(node, port);
        const bool nearer = t.allows_adaptive() && next && distance[*next] + 1 == distance[node];
        if ((routes.way(node, to).minimal >> port & 1U) != (nearer ? 1U : 0U))
          found.push_back(fmt::format("port {} of {} on the route to {}", port, node, to));
      }
  }
  return found;
}

Complaints path_visits_neighbours(const Topology& t) {
  Complaints found;
  const std::vector<std::uint32_t> path = t.path();
  if (path.size() != t.chips() || std::set<std::uint32_t>(path.begin(), path.end()).size() != path.size() ||
      *std::max_element(path.begin(), path.end()) >= t.chips())
    return {"the path does not visit every chip once"};
  for (std::size_t n = 1; n < path.size() && t.switches() == 0; ++n)
    if (distances_from(t, path[n - 1])[path[n]] != 1)
      found.push_back(fmt::format("{} and {} are consecutive, but not neighbours", path[n - 1], path[n]));
  return found;
}

void check_lines(const Topology& t, const FabricPicture& picture,
                 std::set<std::pair<std::uint32_t, PortIndex>>& drawn, Complaints& found) {
  std::map<std::uint32_t, std::pair<double, double>> places;
  std::set<std::pair<double, double>> taken;
  for (const auto& node : picture.nodes) {
    places[node.node] = {node.column, node.row};
    if (!taken.insert(places[node.node]).second || node.column < 0 || node.row < 0)
      found.push_back(fmt::format("node {} shares its position", node.node));
  }
  for (const auto& line : picture.lines) {
    drawn.insert({line.node, line.port});
    const auto to = t.neighbour(line.node, line.port);
    if (!to || places.count(line.node) == 0 || places.count(*to) == 0) {
      found.push_back(fmt::format("a line from {} leads out of the picture", line.node));
      continue;
    }
    const auto [column, row] = places[line.node];
    const bool arrives =
        std::hypot(places[*to].first - column - line.dx, places[*to].second - row - line.dy) < 1e-9;
    if (std::hypot(line.dx, line.dy) < 0.5 || (!line.stub && !arrives))
      found.push_back(fmt::format("the line from {} to {} does not end there", line.node, *to));
  }
}

Complaints pictures_have_every_link(const Topology& t) {
  Complaints found;
  std::set<std::pair<std::uint32_t, PortIndex>> drawn;
  for (const FabricView& view : t.views())
    for (const FabricPicture& picture : view.pictures) check_lines(t, picture, drawn, found);
  for_each_link(t, [&](std::uint32_t node, PortIndex port, std::uint32_t) {
    if (drawn.count({node, port}) == 0)
      found.push_back(fmt::format("port {} of {} is not drawn", t.port(node, port).name, node));
  });
  return found;
}

}  // namespace

const std::vector<TopologyLaw>& topology_laws() {
  static const std::vector<TopologyLaw> kLaws{
      {"every link has one that leads back", links_lead_back},
      {"names are words, and no two are equal", names_are_unique_words},
      {"chip numbers count along the axes", axes_number_the_chips},
      {"every chip reaches every other by a shortest route", ways_are_shortest},
      {"virtual channels cannot deadlock in a cycle", classes_exist_and_form_no_circle},
      {"routes avoid dead links", dead_links_are_avoided},
      {"adaptive ports are those that lead closer", adaptive_ports_lead_nearer},
      {"the path visits all chips, one link at a time", path_visits_neighbours},
      {"pictures have every link", pictures_have_every_link}};
  return kLaws;
}

const std::vector<base::MachineSize>& topology_sizes() {
  static const std::vector<base::MachineSize> kSizes{{1, 1, 1}, {2, 1, 1}, {1, 1, 2}, {2, 2, 1}, {2, 2, 2},
                                                     {3, 1, 1}, {1, 4, 1}, {2, 3, 1}, {5, 1, 2}, {3, 1, 5},
                                                     {2, 1, 4}, {4, 4, 1}, {8, 3, 2}, {4, 3, 5}, {4, 4, 4}};
  return kSizes;
}

void for_each_size(const base::TopologyRow& row,
                   const std::function<void(const std::string&, const Topology&)>& visit) {
  for (const base::MachineSize& size : topology_sizes())
    if (row.refusal(size).empty())
      visit(fmt::format("{} of {} x {} x {}", row.name, size.x, size.y, size.z), *row.make(size));
}

std::vector<std::uint32_t> distances_from(const Topology& t, std::uint32_t from) {
  std::vector<std::uint32_t> distance(t.nodes(), ~0U);
  std::vector<std::uint32_t> next{from};
  distance[from] = 0;
  for (std::size_t n = 0; n < next.size(); ++n)
    for (PortIndex p = 0; p < t.ports(next[n]); ++p)
      if (const auto to = t.neighbour(next[n], p); to && distance[*to] == ~0U) {
        distance[*to] = distance[next[n]] + 1;
        next.push_back(*to);
      }
  return distance;
}

std::vector<FabricHop> walk(const Topology& t, const Routes& routes, std::uint32_t from, std::uint32_t to) {
  std::vector<FabricHop> hops;
  for (std::uint32_t node = from; node != to; node = *t.neighbour(node, hops.back().port)) {
    const base::Way& way = routes.way(node, to);
    if (!way.exists() || hops.size() > t.nodes()) return {};
    hops.push_back({node, way.port, way.vc_class});
  }
  return hops;
}

bool may_deadlock(const Topology& t, const Routes& routes, bool with_classes) {
  std::map<FabricHop, std::set<FabricHop>> waits_for;
  for (std::uint32_t from = 0; from < t.chips(); ++from)
    for (std::uint32_t to = 0; to < t.chips(); ++to) {
      if (from == to) continue;
      std::vector<FabricHop> hops = walk(t, routes, from, to);
      if (!with_classes)
        for (FabricHop& hop : hops) hop.vc_class = 0;
      for (std::size_t n = 1; n < hops.size(); ++n) waits_for[hops[n - 1]].insert(hops[n]);
    }
  std::map<FabricHop, int> state;  // 1: being visited, 2: done
  std::function<bool(const FabricHop&)> visit = [&](const FabricHop& hop) {
    if (state[hop] != 0) return state[hop] == 1;
    state[hop] = 1;
    const auto next = waits_for.find(hop);
    if (next != waits_for.end() && std::any_of(next->second.begin(), next->second.end(), visit)) return true;
    state[hop] = 2;
    return false;
  };
  return std::any_of(waits_for.begin(), waits_for.end(),
                     [&](const auto& entry) { return visit(entry.first); });
}

}  // namespace tahoma::tests
