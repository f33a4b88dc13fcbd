// SPDX-License-Identifier: Apache-2.0
// What a run depends on, so that a repetition with other values of what it does not depend on is not
// simulated: its result is that of the run.
//
// A simulation reads the parameters of a component only when the component acts, and a component acts only
// for an instruction or a packet. So a run whose programs have no instruction for GpSimd's lanes, for
// example, never reads their costs. The programs themselves may depend on any parameter, because kernels and
// collectives are laid out for a machine: a repetition builds its own programs and compares them.
// tests/system/whatif/unread_test.cpp changes every listed parameter and simulates.
#pragma once

#include <string>
#include <vector>

#include "model/base/measurements.h"
#include "runtime/run/machine.h"

namespace tahoma::runtime {

// Returns the parameters that a finished run has not read: paths, and groups with a point at the end.
std::vector<std::string> unread_parameters(const Machine& machine, const base::RunMeasurement& run);

// Returns whether unread_parameters() may list a parameter for some run.
bool may_be_unread(const std::string& path);
bool is_listed(const std::string& path, const std::vector<std::string>& unread);

// SHA-256 of the programs of all cores and the addresses of all tensors. "" if a program has no binary form.
std::string loaded_sha256(const Machine& machine);

}  // namespace tahoma::runtime
