// SPDX-License-Identifier: Apache-2.0
#include "model/link/link_params.h"

#include "model/base/error.h"

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::derived;

void PortParams::declare(base::ParamTree& t) {
  t.add(
      "model", model, PortModel::kBehavioural, kPortModels,
      "bytes at any time; whole words at the edges of a clock; the same, with the port in SystemVerilog in "
      "lock-step; each word by itself, with allocation of virtual channels and of the switch in every cycle",
      base::chosen());
  t.add("word", word, 32_B, {1_B, 4_KiB}, "bytes on the wire per cycle, for a port that has a clock",
        assumed("unpublished; 4 GHz on a link of 128 GB/s, a header in one word"));
  t.add("local_wire", local_wire, 0_ns, {{0}, 100_us},
        "flight time between a chip and its router, for model flits",
        assumed("unpublished; machine.link.router includes the path of landing packets"));
}

void EfaParams::declare(base::ParamTree& t) {
  t.add("rate", rate, 25_GBps, {{1'000'000, false}, 100'000_GBps},
        "one direction between a chip's network adapter and the switch of its rail, topology rails",
        derived("EFAv3, 3.2 Tb/s for an instance of 16 chips"));
  t.add("wire", wire, 6500_ns, {1_ns, 1000_us}, "flight time of such a link, with the adapter's protocol",
        derived("half of 15 us for a message between servers (internode collectives), of which the DMA "
                "engines take "
                "2 us"));
  t.add("buffer", buffer, 1_MiB, {1_B, 64_MiB},
        "buffer of a virtual channel at the receiving end of such a link",
        assumed("unpublished; three round trips of a link at full rate"));
}

namespace {

// "how the x * y * z chips are connected: torus, a grid whose axes are rings; ..."
std::string topology_doc() {
  std::string doc = "how the x * y * z chips are connected", separator = ": ";
  for (const base::TopologyRow& row : base::topologies()) {
    doc += separator + row.name + ", " + row.doc;
    separator = "; ";
  }
  return doc;
}

}  // namespace

void LinkParams::declare(base::ParamTree& t) {
  const base::Range<base::Bandwidth> rate{{1'000'000, false}, 100'000_GBps};
  t.add("topology", topology, base::fabric_named("torus"), base::fabric_choice(), topology_doc().c_str(),
        base::documented("a torus within a server, rings between servers: trn2-arch.rst; Trainium3's switch: "
                         "trn3-arch.rst"));
  t.add_files("links", links, "CSV file with the links (from,to,rate), topology listed", base::chosen());
  t.add("x", x, 128_GBps, rate, "one direction of a link along x",
        derived("256 GB/s per neighbour both ways: 1,024 GB/s a chip inside the server, trn2-arch.rst"));
  t.add("y", y, 128_GBps, rate, "one direction of a link along y", derived("as x"));
  t.add("z", z, 64_GBps, rate, "one direction of a link along z",
        derived("256 GB/s a chip between servers over two neighbours, trn2-arch.rst"));
  t.add("switched", switched, 640_GBps, rate,
        "one direction between a chip and the switch, topology switched",
        derived("the six ports of a Trainium2 together: a switch at equal cost of pins"));
  t.add(
      "spine", spine, 640_GBps, rate,
      "one direction between a server's switch and one of the two second-level switches, topology two_level",
      derived("320 GB/s a chip between servers (Trainium3, third party), four chips a server, over two "
              "switches"));
  t.group("efa", efa);
  t.add("local", local, {0, true}, rate, "one direction between the router and its chip",
        assumed("unpublished; no limit of its own, because engines and memories are slower"));
  t.add("packet", packet, 4_KiB, {1_B, 1_MiB}, "most data behind one header on the wire",
        assumed("packet format unpublished; the packets of the DMA engines"));
  t.add("header", header, 32_B, {0_B, 4_KiB}, "bytes a packet adds on the wire",
        assumed("packet format unpublished"));
  t.add(
      "wire", wire, 50_ns, {{0}, 100_us}, "flight time of one hop",
      assumed("about 5 m of cable with its retimers; only 1..2 us a hop of whole collectives is published"));
  t.add("router", router, 100_ns, {{0}, 100_us}, "header in to output port chosen",
        assumed("switches of this class; unpublished"));
  t.add("vcs", vcs, std::uint64_t{2}, {1, 16}, "virtual channels of a link, each with a buffer of its own",
        assumed("unpublished; a ring needs two, adaptive routing one more"));
  t.add("buffer", buffer, 128_KiB, {1_B, 64_MiB},
        "buffer of a virtual channel at the receiving end of a link, and of a chip's packets for one link",
        assumed("unpublished; two of the largest packets, four round trips of a hop at full rate"));
  t.add("routing", routing, Routing::kDimensionOrder, kRoutings,
        "axis by axis, or through any free port on a shortest path", assumed("unpublished"));
  t.group("port", port);
  t.add("order", order, AxisOrder::kXyz, kAxisOrders, "the order of the axes in dimension_order",
        assumed("unpublished"));
}

base::AxisOrder LinkParams::axis_order() const {
  base::AxisOrder axes{};
  for (std::size_t n = 0; n < axes.size(); ++n) axes[n] = static_cast<unsigned>(name_of(order)[n] - 'x');
  return axes;
}

base::Bandwidth LinkParams::rate_of(base::LinkRate rate) const {
  switch (rate) {
    case base::LinkRate::kX:
      return x;
    case base::LinkRate::kY:
      return y;
    case base::LinkRate::kZ:
      return z;
    case base::LinkRate::kSwitched:
      return switched;
    case base::LinkRate::kSpine:
      return spine;
    case base::LinkRate::kEfa:
      return efa.rate;
  }
  TAHOMA_INVARIANT(false, "a rate of links that has no parameter");
}

}  // namespace tahoma::model
