// SPDX-License-Identifier: Apache-2.0
// The workload `colocated`: several workloads at once, each a case with cores of its own, from a time on or
// after other ones. They share the chip's memories, its network and the links, and nothing else.
//
// A program sees its cores as a machine of its own (runtime/run/machine_part.h). Its case has the inputs,
// values and golden check that it has alone; the machine of its file is not used. Its tensors and regions
// begin with its name.
//
// Not modelled: what a launch costs, and programs that share cores or exchange data.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_colocated();

}  // namespace tahoma::workloads
