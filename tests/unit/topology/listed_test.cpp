// SPDX-License-Identifier: Apache-2.0
// Fabrics from files: the laws of every topology on known and on random graphs, the lengths of routes by an
// independent search, the balance of equal paths, and what is refused.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "model/base/error.h"
#include "model/base/topology/link_list.h"
#include "model/base/topology/topologies.h"
#include "tests/support/fabric/topology_laws.h"
#include "tests/support/subprocess.h"

using namespace tahoma;

namespace {

using Links = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<const base::Topology> listed(const tests::TempDir& dir, std::uint32_t chips,
                                             const Links& links) {
  std::string text = "from,to,rate\n";
  for (const auto& [from, to] : links) text += fmt::format("{},{},x\n", from, to);
  dir.write("links.csv", text);
  return base::topology_row("listed").make({chips, 1, 1, dir / "links.csv"});
}

std::string chip(std::uint32_t n) { return std::to_string(n); }

void check_laws(const base::Topology& topology, const std::string& except = "") {
  for (const tests::TopologyLaw& law : tests::topology_laws()) {
    if (law.name == except) continue;
    const tests::Complaints found = law.complaints(topology);
    INFO(law.name << ": " << (found.empty() ? "" : found.front()));
    CHECK(found.empty());
  }
}

std::uint32_t route_length(const base::Topology& t, std::uint32_t from, std::uint32_t to,
                           const base::DeadLinks& dead = {}) {
  std::uint32_t hops = 0, last_class = 1000;
  for (std::uint32_t at = from; at != to; ++hops) {
    const base::Way way = t.first_hop(at, to, {0, 1, 2}, dead);
    if (!way.exists() || way.vc_class >= last_class) return 999;
    last_class = way.vc_class;
    at = *t.neighbour(at, way.port);
  }
  return hops;
}

// Two leaf switches for each group of four chips, and spines above all leaves.
Links fat_tree(std::uint32_t chips, std::uint32_t spines) {
  Links links;
  for (std::uint32_t n = 0; n < chips; ++n) links.emplace_back(chip(n), fmt::format("switch{}", n / 4));
  for (std::uint32_t leaf = 0; leaf < chips / 4; ++leaf)
    for (std::uint32_t spine = 0; spine < spines; ++spine)
      links.emplace_back(fmt::format("switch{}", leaf), fmt::format("switch{}", chips / 4 + spine));
  return links;
}

std::string refusal(const std::string& text, std::uint32_t chips = 2) {
  const tests::TempDir dir;
  dir.write("links.csv", text);
  try {
    base::read_links(dir / "links.csv", chips);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("listed: known fabrics obey the laws of every topology", "[fabric]") {
  const tests::TempDir dir;
  Links all_to_all, ring;
  for (std::uint32_t a = 0; a < 6; ++a) {
    ring.emplace_back(chip(a), chip((a + 1) % 6));
    for (std::uint32_t b = a + 1; b < 6; ++b) all_to_all.emplace_back(chip(a), chip(b));
  }
  check_laws(*listed(dir, 6, all_to_all));
  check_laws(*listed(dir, 6, ring));
  check_laws(*listed(dir, 16, fat_tree(16, 4)));
  check_laws(*listed(dir, 2, {{"0", "1"}, {"0", "1"}, {"1", "0"}}));  // three links side by side
  CHECK(listed(dir, 16, fat_tree(16, 4))->switch_name(16 + 7) == "switch7");
  CHECK(listed(dir, 6, all_to_all)->vc_classes() == 1);
  CHECK(listed(dir, 6, ring)->vc_classes() == 3);
  CHECK(listed(dir, 16, fat_tree(16, 4))->vc_classes() == 4);
}

TEST_CASE("listed: random fabrics obey the laws, and routes are as short as paths can be", "[fabric]") {
  std::mt19937 random(5);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 30; ++round) {
    const std::uint32_t chips = 2 + below(12), switches = below(4), nodes = chips + switches;
    const auto name = [&](std::uint32_t n) {
      return n < chips ? chip(n) : fmt::format("switch{}", n - chips);
    };
    Links links;
    std::vector<std::vector<std::uint32_t>> far(nodes, std::vector<std::uint32_t>(nodes, 500));
    const auto connect = [&](std::uint32_t a, std::uint32_t b) {
      links.emplace_back(name(a), name(b));
      far[a][b] = far[b][a] = 1;
    };
    for (std::uint32_t n = 1; n < nodes; ++n) connect(n, below(n));  // a random tree
    for (std::uint32_t more = below(2 * nodes); more > 0; --more)
      if (const std::uint32_t a = below(nodes), b = below(nodes); a != b) connect(a, b);
    const tests::TempDir dir;
    const auto topology = listed(dir, chips, links);
    INFO("round " << round);
    // Not every graph has a path through all of its chips.
    check_laws(*topology, "the path visits all chips, one link at a time");
    // Floyd and Warshall's search.
    for (std::uint32_t n = 0; n < nodes; ++n) far[n][n] = 0;
    for (std::uint32_t via = 0; via < nodes; ++via)
      for (std::uint32_t a = 0; a < nodes; ++a)
        for (std::uint32_t b = 0; b < nodes; ++b) far[a][b] = std::min(far[a][b], far[a][via] + far[via][b]);
    for (std::uint32_t a = 0; a < chips; ++a)
      for (std::uint32_t b = 0; b < chips; ++b)
        if (a != b) CHECK(route_length(*topology, a, b) == far[a][b]);
  }
}

TEST_CASE("listed: the path through all chips follows the links of a ring in any numbering", "[fabric]") {
  const tests::TempDir dir;
  std::vector<std::uint32_t> order{0, 7, 3, 11, 5, 1, 10, 2, 9, 6, 4, 8};
  Links ring;
  for (std::size_t n = 0; n < order.size(); ++n)
    ring.emplace_back(chip(order[n]), chip(order[(n + 1) % order.size()]));
  check_laws(*listed(dir, 12, ring));
}

TEST_CASE("listed: destinations share the spines of a fat tree equally", "[fabric]") {
  const tests::TempDir dir;
  const auto t = listed(dir, 32, fat_tree(32, 4));
  std::map<std::uint32_t, int> through;  // spine: destinations, from the first leaf switch
  for (std::uint32_t to = 4; to < 32; ++to)
    ++through[*t->neighbour(32, t->first_hop(32, to, {0, 1, 2}, {}).port)];
  REQUIRE(through.size() == 4);
  for (const auto& [spine, destinations] : through) CHECK(destinations == 7);
}

TEST_CASE("listed: a route goes around a dead link if it does not get longer than the longest", "[fabric]") {
  const tests::TempDir dir;
  const auto t = listed(dir, 4, {{"0", "1"}, {"1", "2"}, {"2", "3"}, {"3", "0"}, {"0", "2"}});
  CHECK(route_length(*t, 0, 1) == 1);
  CHECK(route_length(*t, 0, 1, {{0, 0}}) == 2);  // by 2
  const auto line = listed(dir, 3, {{"0", "1"}, {"1", "2"}});
  CHECK_FALSE(line->first_hop(0, 2, {0, 1, 2}, {{1, 1}}).exists());
}

TEST_CASE("listed: a file that is no fabric is refused at its line", "[fabric]") {
  CHECK(refusal("from,to,rate\n0,1,x\n").empty());
  CHECK(refusal("\xEF\xBB\xBF# ours\n\nfrom, to, rate\r\n0, 1, efa\r\n").empty());
  const auto names = [&](const std::string& text, const std::string& line, const std::string& what) {
    CHECK_THAT(refusal(text),
               Catch::Contains("links.csv:" + line + ": error[E-CFG-037]") && Catch::Contains(what));
  };
  names("", "0", "expected the header");
  names("0,1,x\n", "1", "from,to,rate");
  names("from,to,rate\n0,1\n", "2", "got 2 fields");
  names("from,to,rate\n0,1,x,y\n", "2", "got 4 fields");
  names("from,to,rate\n0,2,x\n", "2", "chips 0 to 1, got 2");
  names("from,to,rate\n0,-1,x\n", "2", "got '-1'");
  names("from,to,rate\n0,sw1,x\n", "2", "got 'sw1'");
  names("from,to,rate\n0,0,x\n", "2", "linked to itself");
  names("from,to,rate\n0,1,switches\n", "2", "did you mean 'switched'");
  names("from,to,rate\n0,switch0,x\n", "2", "no path leads from chip 0 to chip 1");
  names("from,to,rate\n0,switch1,x\n1,switch1,x\n", "3", "switch0 has no links");
  CHECK_THROWS_WITH(base::read_links("/nowhere.csv", 2), Catch::Contains("E-CFG-037"));
}
