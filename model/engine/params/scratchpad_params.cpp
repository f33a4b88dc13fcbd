// SPDX-License-Identifier: Apache-2.0
#include "model/engine/params/scratchpad_params.h"

#include "model/engine/params/param_ranges.h"

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::derived, base::documented;

void SbufParams::declare(ParamTree& t) {
  t.add("partitions", partitions, std::uint64_t{128}, kPartitionRange, "partitions of SBUF and PSUM",
        documented("trainium2_arch.rst"));
  t.add("per_partition", per_partition, 224_KiB, {1_KiB, 256_KiB}, "bytes of SBUF in one partition",
        documented("trainium2_arch.rst: 28 MiB"));
  t.add("usable", usable, {212984}, {1_KiB, 256_KiB}, "bytes per partition that a kernel may use",
        documented("nkipy HardwareConstants.h"));
  t.add(
      "clock", clock, 1200_MHz, kClockRange, "clock of the memory, which paces strided accesses",
      assumed("as the NC base clock; its multiples fit the strided accesses of engines at 1.2 and 0.96 GHz"));
  t.add("long_stride", long_stride, 16_B, {1_B, 4096_B},
        "innermost stride above which the memory takes its slow path", documented("nki performance guide"));
  t.add("word", word, 4_B, {1_B, 64_B},
        "width of a scattered write; smaller elements are read, modified and "
        "written back",
        derived("fp16 scatters take longer than fp32 ones: conv2d_1_float16, conv2d_1_float32"));
  t.add("strided_access", strided_access, 2_cyc, kOverhead,
        "time per element with an innermost stride above 16 bytes; the vector engine has two such streams",
        documented("half the bandwidth, nki performance guide; 1.67 ns fit conv2d_1_float32"));
  t.add(
      "partial_write", partial_write, 5_cyc, kOverhead,
      "the same for a write of an element smaller than four bytes",
      derived("4.26 ns an element on the scalar engine, half of it on the vector engine: conv2d_1_float16"));
  t.add("shared_port", shared_port, 7.68_GBps, {{1'000'000, false}, 1000_GBps},
        "port of one partition, each direction, that the vector engine and GpSimd share",
        assumed(
            "8 bytes in a cycle of 960 MHz, what the vector engine's 4x mode needs; the port is documented, "
            "its width is not"));
}

void PsumParams::declare(ParamTree& t) {
  t.add("per_partition", per_partition, 16_KiB, {2_KiB, 256_KiB}, "bytes of PSUM in one partition",
        documented("trainium2_arch.rst: 2 MiB"));
  t.add("bank", bank, 2_KiB, {64_B, 64_KiB}, "bytes of one bank in one partition",
        documented("trainium2_arch.rst: 8 banks"));
  t.add("bank_turns", bank_turns, true, "engines take turns in a bank; otherwise they do not conflict",
        assumed("documented is that the vector and scalar engines may use different banks at the same time"));
  t.add("lane_turns", lane_turns, false,
        "the vector and the scalar engine take turns in PSUM, whatever the bank",
        documented("only NeuronCore-v2: trainium_inferentia2_arch.rst; not since v3, trainium2_arch.rst"));
}

}  // namespace tahoma::model
