// SPDX-License-Identifier: Apache-2.0
// Tells whether two runs executed the same programs. A kernel that sizes its tiles by the machine has other
// programs on other machines, so that a comparison of two such runs also compares two tilings.
#pragma once

#include <string>

#include "runtime/run/machine.h"

namespace tahoma::runtime {

// 16 hexadecimal digits over the instructions and descriptors of every core's program; addresses of tensors
// are not included. Equal programs have equal hashes.
std::string programs_hash(const Machine& machine);

}  // namespace tahoma::runtime
