// SPDX-License-Identifier: Apache-2.0
// Lets a program that builds a machine connect its own memory models to the sockets of the chips. The machine
// calls the maker once for every stack.
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

// The position of a stack and the inputs for its construction (memory/foreign_stack.h).
struct StackSite {
  const char* name;  // module name, such as "hbm2"
  std::uint32_t chip, stack;
  const HbmParams& params;
  const StackFaults& faults;
  sim::Meter& meter;
};

// A null result selects the machine's own stack.
using StackMaker = std::function<std::unique_ptr<HbmStack>(const StackSite&)>;

}  // namespace tahoma::model
