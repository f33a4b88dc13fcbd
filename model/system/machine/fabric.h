// SPDX-License-Identifier: Apache-2.0
// The fabric of a machine: its topology, its routes and its faults, the links between the routers of its
// chips, and the switches if it has any. With machine.link.port.model: flits, the links and routers are a
// network of flits.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "model/base/topology/symmetries.h"
#include "model/link/flits/flit_network.h"
#include "model/link/folded_links.h"
#include "model/link/router.h"
#include "model/system/machine/machine_params.h"
#include "model/system/parallel/cut.h"

namespace tahoma::model {

class Fabric {
  const std::unique_ptr<const base::Topology> geometry_;

 public:
  const base::Topology& topology;

  explicit Fabric(const MachineParams& params);
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  // Returns the node of a chip. The caller owns it, constructs it as a part of the chip, and binds the chip
  // to it after connect().
  std::unique_ptr<FabricNode> make_node(const char* name, std::uint32_t chip, sim::Meter& meter);

  // Binds the links of the chips' nodes, in the order of the chips. A chip that is not simulated has the node
  // of its representative. A chip that another process simulates has no node, and `cut` makes the ends of the
  // links to it; null: there is only this process.
  void connect(const std::vector<const FabricNode*>& chips, sim::Meter& meter, FoldedLinks links = {},
               Cut* cut = nullptr);
  // Before the run: gives the observers of `meter` to the links of switches.
  void observe(const sim::Meter& meter);
  // Attaches a witness to every port of a link. Call it after the routers know everything that is bound to
  // them.
  void watch(const PortWitnessMaker& make);
  // After the run: every direction of every link, in the order of nodes and ports.
  std::vector<base::LinkMeasurement> measure(base::Time elapsed) const;
  // After the run: ends the witnesses, which check what they have seen. measure() does, too.
  void check_ended() const;
  // Measures the links of a node, or of its representative, by its names, if the node is not simulated. Omits
  // nodes of another process and links of switches that are not simulated. Links that end in another process
  // have no `queue_high_water`; high_waters() has that of links that come from there.
  std::vector<MeasuredLink> measure_node(std::uint32_t node, base::Time elapsed) const;
  // Returns the measurement of a link that carries nothing.
  base::LinkMeasurement unused_link(const base::LinkId& link) const;
  // Sums the counts of the switches' links. Each link has the counts of the link that is simulated for it, if
  // this process simulates that one.
  base::RunCounts switch_counts() const;
  struct HighWater {
    std::uint32_t node = 0;    // the sender
    base::PortIndex port = 0;  // of the sender
    std::uint64_t packets = 0;
  };
  std::vector<HighWater> high_waters() const;

  const base::SwitchPorts switch_ports;
  const Router::Faults faults;
  const base::Routes routes;
  const Router::Fabric shared;

 private:
  void connect_routers(sim::Meter& meter, Cut* cut);
  bool is_simulated(std::uint32_t node) const {
    return routers_[node] != nullptr && routers_[node]->node() == node;
  }
  void add_switches(sim::Meter& meter, const Cut* cut);
  // Returns for each node that is simulated here the ports that send to it, in the order of its inputs.
  std::vector<std::vector<LinkPort::Place>> senders() const;
  void bind_inputs(std::uint32_t node, const std::vector<LinkPort::Place>& senders, Cut* cut);
  void leave(LinkPort& port, Cut& cut);

  std::vector<Router*> made_;     // by chip that is simulated; none with flits
  std::vector<FlitGate*> gates_;  // by chip; only with flits
  std::unique_ptr<FlitNetwork> flits_;
  std::vector<std::unique_ptr<Router>> switches_;
  std::vector<Router*> routers_;  // by node; none with flits
  FoldedLinks links_;
  std::deque<sim::Meter> meters_;                 // of links of switches
  std::map<base::LinkId, sim::Meter*> meter_of_;  // of those that are simulated here
  std::vector<std::unique_ptr<PortWitness>> witnesses_;
};

}  // namespace tahoma::model
