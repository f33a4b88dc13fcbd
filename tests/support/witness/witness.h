// SPDX-License-Identifier: Apache-2.0
// Evidence for a timing constant: a figure of the machine that depends on the constant, computed through the
// public laws or a program of a few instructions, and the value that it must have.
//
// A new parameter below machine.chip.core needs one line in the table of its group (witnesses_*.cpp);
// otherwise tests/component/engine/constants_test.cpp fails and names the parameter.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/system/machine/machine_params.h"

namespace tahoma::tests {

struct Witness {
  std::string path;                                          // below machine.chip.core
  std::function<double(const model::MachineParams&)> value;  // nanoseconds, or a plain count
  double
      figure;  // written down here a second time: silicon's or documented value, or that of the closed form
  const char* source;  // of the figure; closed forms name the silicon evidence
};

std::vector<Witness> tensor_witnesses();
std::vector<Witness> lane_witnesses();  // of vector, scalar and GpSimd engine, SBUF and PSUM
std::vector<Witness> sequencer_witnesses();
std::vector<Witness> dma_witnesses();  // also of rendezvous

}  // namespace tahoma::tests
