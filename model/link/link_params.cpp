// SPDX-License-Identifier: Apache-2.0
#include "model/link/link_params.h"

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::derived;

void PortParams::declare(base::ParamTree& t) {
  t.add(
      "model", model, PortModel::kBehavioural, kPortModels,
      "bytes at any time; whole words at the edges of a clock; so too, beside the port in SystemVerilog, in "
      "lock-step",
      base::chosen());
  t.add("word", word, 32_B, {1_B, 4_KiB}, "on the wire in a cycle, of a port that has a clock",
        assumed("unpublished; 4 GHz on a link of 128 GB/s, a header in one word"));
}

void LinkParams::declare(base::ParamTree& t) {
  const base::Range<base::Bandwidth> rate{{1'000'000, false}, 100'000_GBps};
  t.add("topology", topology, FabricKind::kTorus, kFabricKinds,
        "how the x * y * z chips are connected: a grid whose axes are rings, or end; one ring of all; one "
        "switch",
        base::documented("a torus within a server, rings between servers: trn2-arch.rst; Trainium3's switch: "
                         "trn3-arch.rst"));
  t.add("x", x, 128_GBps, rate, "one direction of a link along x",
        derived("256 GB/s per neighbour both ways: 1,024 GB/s a chip inside the server, trn2-arch.rst"));
  t.add("y", y, 128_GBps, rate, "one direction of a link along y", derived("as x"));
  t.add("z", z, 64_GBps, rate, "one direction of a link along z",
        derived("256 GB/s a chip between servers over two neighbours, trn2-arch.rst"));
  t.add("switched", switched, 640_GBps, rate,
        "one direction between a chip and the switch, topology switched",
        derived("the six ports of a Trainium2 together: a switch at equal cost of pins"));
  t.add("local", local, {0, true}, rate, "one direction between the router and its chip",
        assumed("unpublished; without a limit of its own, engines and memories being the narrower part"));
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
        "buffer of a virtual channel at the receiving end of a link, and of what a chip has ready for a link",
        assumed("unpublished; two of the largest packets, four round trips of a hop at full rate"));
  t.add("routing", routing, Routing::kDimensionOrder, kRoutings,
        "axis by axis, or by whichever port of a shortest way is free", assumed("unpublished"));
  t.group("port", port);
  t.add("order", order, AxisOrder::kXyz, kAxisOrders,
        "the axes in the order in which dimension_order takes them", assumed("unpublished"));
}

std::array<unsigned, 3> LinkParams::axes() const {
  std::array<unsigned, 3> axes{};
  for (std::size_t n = 0; n < 3; ++n) axes[n] = static_cast<unsigned>(name_of(order)[n] - 'x');
  return axes;
}

base::Bandwidth LinkParams::rate_of(char axis) const {
  switch (axis) {
    case 'x':
      return x;
    case 'y':
      return y;
    case 'z':
      return z;
    default:
      return switched;
  }
}

}  // namespace tahoma::model
