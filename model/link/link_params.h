// SPDX-License-Identifier: Apache-2.0
// Parameters of NeuronLink: the shape of the fabric, the rates of its links, packets, buffers and latencies.
#pragma once

#include <cstdint>
#include <string>

#include "model/base/params.h"
#include "model/base/topology/topologies.h"
#include "model/base/waves_window.h"

namespace tahoma::model {

enum class Routing : std::uint8_t { kDimensionOrder, kAdaptive };
inline constexpr base::Named<Routing> kRoutings[] = {{Routing::kDimensionOrder, "dimension_order"},
                                                     {Routing::kAdaptive, "adaptive"}};

// The axes in the order of dimension-order routing.
enum class AxisOrder : std::uint8_t { kXyz, kXzy, kYxz, kYzx, kZxy, kZyx };
inline constexpr base::Named<AxisOrder> kAxisOrders[] = {{AxisOrder::kXyz, "xyz"}, {AxisOrder::kXzy, "xzy"},
                                                         {AxisOrder::kYxz, "yxz"}, {AxisOrder::kYzx, "yzx"},
                                                         {AxisOrder::kZxy, "zxy"}, {AxisOrder::kZyx, "zyx"}};
constexpr const char* name_of(AxisOrder order) { return base::name_in(kAxisOrders, order); }

// behavioural: bytes at the rate of the link, at any time. clocked: whole words at the edges of the clock,
// one word per cycle. rtl: as clocked, in lock-step with the port in SystemVerilog (model/rtl). flits: every
// word moves by itself, and routers allocate virtual channels and their switch in every cycle (flits/).
enum class PortModel : std::uint8_t { kBehavioural, kClocked, kRtl, kFlits };
inline constexpr base::Named<PortModel> kPortModels[] = {{PortModel::kBehavioural, "behavioural"},
                                                         {PortModel::kClocked, "clocked"},
                                                         {PortModel::kRtl, "rtl"},
                                                         {PortModel::kFlits, "flits"}};

struct PortParams {
  PortModel model;
  base::Bytes word;
  base::Duration local_wire;  // flits: between a chip and its router
  base::WavesWindow waves;    // rtl: of the cycles in it
  void declare(base::ParamTree& t);
};

// A link between a chip's network adapter (EFA) and the switch of its rail, topology rails: one direction. A
// message crosses two.
struct EfaParams {
  base::Bandwidth rate;
  base::Duration wire;  // flight time, with the adapter's protocol
  base::Bytes buffer;   // of each virtual channel, at the receiving end
  void declare(base::ParamTree& t);
};

struct LinkParams {
  base::FabricKind topology;          // a row of the table in model/base/topology/topologies.h
  std::string links;                  // file with the links, topology listed
  base::Bandwidth x, y, z, switched;  // one direction of one link along an axis, or to and from the switch
  base::Bandwidth spine;              // one direction of one link between two levels of switches
  EfaParams efa;
  base::Bandwidth local;        // one direction between the router and its chip
  base::Bytes packet, header;   // most data behind one header on the wire, and the header
  base::Duration wire, router;  // per hop
  std::uint64_t vcs;            // virtual channels of a link
  base::Bytes buffer;           // of each virtual channel, at the receiving end
  Routing routing;
  PortParams port;
  AxisOrder order;
  void declare(base::ParamTree& t);

  const base::TopologyRow& fabric() const { return base::topology_row(topology); }
  bool adaptive() const { return routing == Routing::kAdaptive; }
  base::AxisOrder axis_order() const;
  base::Bandwidth rate_of(base::LinkRate rate) const;
  base::Duration wire_of(base::LinkRate rate) const { return rate == base::LinkRate::kEfa ? efa.wire : wire; }
  base::Bytes buffer_of(base::LinkRate rate) const {
    return rate == base::LinkRate::kEfa ? efa.buffer : buffer;
  }
  bool in_rtl() const { return port.model == PortModel::kRtl; }
  bool sends_flits() const { return port.model == PortModel::kFlits; }
  base::Bytes word() const { return has_words() ? port.word : base::Bytes{0}; }  // 0: none
  // Returns the size of a packet with that many bytes of data on a wire and in a buffer. Data behind several
  // headers travel together; with words, each header and its data are rounded up to whole words.
  base::Bytes on_wire(std::uint64_t data) const {
    const std::uint64_t headers = data == 0 ? 1 : (data + packet.count - 1) / packet.count;
    if (!has_words()) return {data + headers * header.count};
    const std::uint64_t last = data - (headers - 1) * packet.count;
    return {(headers - 1) * whole_words(packet.count + header.count) + whole_words(last + header.count)};
  }

 private:
  bool has_words() const { return port.model != PortModel::kBehavioural; }
  std::uint64_t whole_words(std::uint64_t bytes) const {
    return (bytes + port.word.count - 1) / port.word.count * port.word.count;
  }
};

}  // namespace tahoma::model
