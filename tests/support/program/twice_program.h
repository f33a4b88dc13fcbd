// SPDX-License-Identifier: Apache-2.0
// A small program of one core, and a case of it, for tests of commands that run whole workloads.
#pragma once

#include <string>

namespace tahoma::tests {

// Sync loads 128 rows, vector doubles them, sync stores them.
constexpr const char* kTwice = R"(.program twice
.args in out
sync:
  dma_copy shape=128x512 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1
  dma_copy shape=128x512 dst=out:fp32 src=sbuf[0, 0x0]:fp32 wait=s1>=1 update=s2+=1
vector:
  tensor_scalar shape=128x512 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x0]:fp32 op0=mult scalar0=2 wait=s0>=16 update=s1+=1
)";

// A workload file that runs the program in `file` on one core.
inline std::string program_case(const std::string& file) {
  return "kind: program\nmachine: trainium2_one_chip\nworkload:\n  file: " + file +
         "\n  cores: 1\n  tensors: \"in fp32 128x512 seed; out fp32 128x512 zero\"\n";
}

}  // namespace tahoma::tests
