// SPDX-License-Identifier: Apache-2.0
// Parameters of NeuronLink: the shape of the fabric, the rates of its links, packets, buffers and latencies.
#pragma once

#include <cstdint>
#include <string>

#include "model/base/params.h"
#include "model/base/topology/topologies.h"

namespace tahoma::model {

// behavioural: bytes at the rate of the link, at any time. clocked: whole words, at the edges of the clock
// that puts one on the wire in every cycle. rtl: so too, with the port in SystemVerilog beside it in
// lock-step (model/rtl).
struct PortParams {
  std::string model;  // "behavioural", "clocked", "rtl"
  base::Bytes word;
  std::string waves;                       // rtl: folder of its waves, "" for none
  base::Duration waves_from, waves_until;  // simulated time of the cycles that are in them
  void declare(base::ParamTree& t);
};

struct LinkParams {
  std::string topology;               // a name of the table in model/base/topology/topologies.h
  base::Bandwidth x, y, z, switched;  // one direction of one link along an axis, or to and from the switch
  base::Bandwidth local;              // one direction between the router and its chip
  base::Bytes packet, header;         // most data behind one header on the wire, and the header
  base::Duration wire, router;        // per hop
  std::uint64_t vcs;                  // virtual channels of a link
  base::Bytes buffer;                 // of each virtual channel, at the receiving end
  std::string routing;                // "dimension_order", "adaptive"
  PortParams port;
  std::string order;  // of the axes: "xyz", "zyx", ...
  void declare(base::ParamTree& t);

  const base::TopologyRow& fabric() const { return base::topology_row(topology); }
  bool adaptive() const { return routing == "adaptive"; }
  base::AxisOrder axis_order() const;
  base::Bandwidth rate_of(base::LinkRate rate) const;
  bool in_rtl() const { return port.model == "rtl"; }
  base::Bytes word() const { return port.model == "behavioural" ? base::Bytes{0} : port.word; }  // 0: none
  // What a packet with so many bytes of data takes of a wire and of a buffer. Data behind several headers
  // travel together; each header and its data are whole words, if there are words.
  base::Bytes on_wire(std::uint64_t data) const {
    const std::uint64_t headers = data == 0 ? 1 : (data + packet.count - 1) / packet.count;
    if (port.model == "behavioural") return {data + headers * header.count};
    const std::uint64_t last = data - (headers - 1) * packet.count;
    return {(headers - 1) * whole_words(packet.count + header.count) + whole_words(last + header.count)};
  }

 private:
  std::uint64_t whole_words(std::uint64_t bytes) const {
    return (bytes + port.word.count - 1) / port.word.count * port.word.count;
  }
};

}  // namespace tahoma::model
