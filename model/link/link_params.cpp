// SPDX-License-Identifier: Apache-2.0
#include "model/link/link_params.h"

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::derived;

void LinkParams::declare(base::ParamTree& t) {
  const base::Range<base::Bandwidth> rate{{1'000'000, false}, 100'000_GBps};
  t.add("x", x, 128_GBps, rate, "one direction of a link along x",
        derived("256 GB/s per neighbour both ways: 1,024 GB/s a chip inside the server, trn2-arch.rst"));
  t.add("y", y, 128_GBps, rate, "one direction of a link along y", derived("as x"));
  t.add("z", z, 64_GBps, rate, "one direction of a link along z",
        derived("256 GB/s a chip between servers over two neighbours, trn2-arch.rst"));
  t.add("header", header, 32_B, {0_B, 4_KiB}, "bytes a packet adds on the wire",
        assumed("packet format unpublished"));
  t.add(
      "wire", wire, 50_ns, {{0}, 100_us}, "flight time of one hop",
      assumed("about 5 m of cable with its retimers; only 1..2 us a hop of whole collectives is published"));
  t.add("router", router, 100_ns, {{0}, 100_us}, "header in to output port chosen",
        assumed("switches of this class; unpublished"));
  t.add("queue", queue, std::uint64_t{16}, {2, 4096}, "packets an output port holds",
        assumed("unpublished; covers the round trip of a hop at 4 KiB packets"));
}

}  // namespace tahoma::model
