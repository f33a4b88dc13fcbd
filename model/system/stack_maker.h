// SPDX-License-Identifier: Apache-2.0
// How a program that builds a machine puts memories of its own behind sockets of the chips. A machine asks
// once for every stack.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace tahoma::sim {
struct Meter;
}

namespace tahoma::model {

class HbmStack;
struct HbmParams;
struct StackFaults;

// Where it is to stand, and what a stack is made from (memory/foreign_stack.h).
struct StackSite {
  const char* name;  // of the module to make, "hbm2"
  std::uint32_t chip, stack;
  const HbmParams& params;
  const StackFaults& faults;
  sim::Meter& meter;
};

// Null: the machine's own shall stand there.
using StackMaker = std::function<std::unique_ptr<HbmStack>(const StackSite&)>;

}  // namespace tahoma::model
