// SPDX-License-Identifier: Apache-2.0
// The folder of a sweep: who may use it, and for which sweep.
#pragma once

#include <filesystem>

#include "runtime/host/host_lock.h"
#include "studies/sweep/spec/spec.h"

namespace tahoma::runtime {

// Makes missing parents, too. Throws UserError E-OUT-001.
void make_sweep_folder(const std::filesystem::path& folder);

// Makes the folder ready for the points of `spec`. sweep.yaml is its first file: a folder that contains it
// can be resumed, for a sweep of the same points. UserError E-SWP-041, 042, 044, E-OUT-001 to 003.
void open_sweep_folder(const std::filesystem::path& out, bool resume, const SweepSpec& spec);

// Only one sweep at a time may use a folder; the lock ends with its process. UserError E-SWP-043.
HostLock locked_sweep_folder(const std::filesystem::path& folder);

}  // namespace tahoma::runtime
