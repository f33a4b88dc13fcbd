// SPDX-License-Identifier: Apache-2.0
// What shows that a timing constant is what it is: a figure of the machine in which the constant has its
// part, computed through the public laws or a program of a few instructions, and the value that it must have.
//
// A new parameter below machine.chip.core needs one line in the table of its group (witnesses_*.cpp), else
// tests/component/engine/constants_test.cpp fails and names it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/system/machine_params.h"

namespace tahoma::tests {

struct Witness {
  std::string path;                                          // below machine.chip.core
  std::function<double(const model::MachineParams&)> value;  // nanoseconds, or a plain count
  double
      figure;  // written down here a second time: silicon's or documented value, or that of the closed form
  const char* source;  // of the figure; for closed forms with what silicon shows
};

std::vector<Witness> tensor_witnesses();
std::vector<Witness> lane_witnesses();  // of vector, scalar and GpSimd engine, SBUF and PSUM
std::vector<Witness> sequencer_witnesses();
std::vector<Witness> dma_witnesses();  // and of meetings

}  // namespace tahoma::tests
