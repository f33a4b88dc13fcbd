// SPDX-License-Identifier: Apache-2.0
// Runs a program of one core with the arguments x and y in one of the event orders that its semaphores allow,
// and returns its result.
#pragma once

#include <memory>
#include <vector>

#include "tests/support/reference/interpreter.h"
#include "tests/support/reference/reference_gemm.h"

namespace tahoma::tests {

// y has as many fp32 elements as `values`, the elements of x.
inline std::vector<float> in_some_order(const model::MachineParams& machine, std::uint32_t seed,
                                        const std::shared_ptr<const isa::Program>& program,
                                        const std::vector<float>& values) {
  Interpreter interpreter(machine, seed);
  const std::uint64_t x = interpreter.allocate(values.size() * 4),
                      y = interpreter.allocate(values.size() * 4);
  store_all(interpreter.at(x), values, isa::DType::kFp32);
  interpreter.load(0, program, {x, y});
  interpreter.run();
  return load_all(interpreter.at(y), values.size(), isa::DType::kFp32);
}

}  // namespace tahoma::tests
