// SPDX-License-Identifier: Apache-2.0
// Compares claims of the vendor and the press about Trainium2 with the cards and the emulated machine. A
// claim of the form "up to" about one kind of arithmetic is tested for each kind. A claim is reached if the
// computed figure is at least the claimed one. Figures of cards are published, not executed; CLAIMS.md adds
// executed models.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/system/machine/machine_params.h"

namespace tahoma::runtime {

struct Claim {
  std::string statement, measure;  // what is claimed, and by which measure it is tested
  double claimed = 0, computed = 0;
  std::string unit, assumption;
  const char* verdict() const { return computed >= claimed ? "reached" : "not reached"; }
};

// `machine` must be an UltraServer.
std::vector<Claim> claims(const model::MachineParams& machine);

std::string claims_text(const std::vector<Claim>& claims);
nlohmann::ordered_json claims_json(const std::vector<Claim>& claims);

}  // namespace tahoma::runtime
