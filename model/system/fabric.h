// SPDX-License-Identifier: Apache-2.0
// The fabric of a machine: its geometry, its routes and what is wrong with it, the links between the routers
// of its chips, and the switch if it has one.
#pragma once

#include <memory>
#include <vector>

#include "model/link/router.h"
#include "model/system/machine_params.h"

namespace tahoma::model {

class Fabric {
 public:
  explicit Fabric(const MachineParams& params);
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  // Binds the links of the chips' routers, in the order of the chips.
  void connect(std::vector<Router*> chips, sim::Meter& meter);
  // Puts a witness beside every port of a link. After the routers know all that is bound to them.
  void watch(const PortWitnessMaker& make);
  // After the run. Every direction of every link, in the order of nodes and ports.
  std::vector<base::LinkMeasurement> measure(base::Time elapsed) const;

  const Topology topology;
  const Router::Faults faults;
  const Routes routes;
  const Router::Fabric shared;

 private:
  std::unique_ptr<Router> switch_;  // null on a grid
  std::vector<Router*> routers_;    // by node
  std::vector<std::unique_ptr<PortWitness>> witnesses_;
};

}  // namespace tahoma::model
