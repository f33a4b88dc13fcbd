// SPDX-License-Identifier: Apache-2.0
#include "model/engine/params/dma_params.h"

#include "model/engine/params/param_ranges.h"

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::chosen, base::derived, base::documented, base::measured;

void DmaParams::declare(ParamTree& t) {
  t.add("model", model, BlockModel::kBehavioural, kBlockModels,
        "model of the rings: the law alone, or in lock-step with SystemVerilog", chosen());
  t.add("clock", clock, 850_MHz, kClockRange, "clock of the DMA engines",
        measured("1.1765 ns quantum, trn2 device profiles"));
  t.add("rings", rings, std::uint64_t{16}, {1, 16}, "rings per engine", documented("nki-dma-overview.rst"));
  t.add("ring_depth", ring_depth, std::uint64_t{64}, {1, 65536},
        "transfers a ring holds before its doorbell has to wait",
        assumed("capacity unpublished; the minimum ring is 32 descriptors"));
  t.add("bytes_per_cycle", bytes_per_cycle, 32_B, {1_B, 4096_B}, "width of one engine",
        measured("27.2 GB/s = 32 B x 0.85 GHz"));
  t.add("element_overhead", element_overhead, 3_cyc, kOverhead,
        "cycles of an element (a contiguous run, or rows that are contiguous in HBM) beyond its bytes",
        measured("256 B elements every 11 cycles, casts of 1680 B every 56, trn2 device profiles"));
  t.add("packet_overhead", packet_overhead, 1_cyc, kOverhead, "cycles of a packet beyond its elements",
        measured("elements that are packets of their own: 20..18436 B take 4 cycles beyond their bytes"));
  t.add("semaphore_value", semaphore_value, 4_B, {1_B, 64_B}, "bytes written for a semaphore after data",
        assumed("the 32 bits of a semaphore's value; nothing is published"));
  t.add("semaphore_element", semaphore_element, 3_cyc, kOverhead,
        "cycles of a semaphore that is an element of its own", measured("3.53 ns, trn2 device profiles"));
  t.add("read_overlap", read_overlap, 3_cyc, kOverhead,
        "start of an element to the end of reading the one before it",
        measured("3 cycles in most pairs back to back, trn2 device profiles"));
  t.add(
      "engine_partitions", engine_partitions, std::uint64_t{8}, kPartitionRange,
      "partitions of SBUF that an engine serves before another engine takes part in a transfer",
      derived("128 partitions are dealt to 16 engines, 8 to each (nki-dma-overview.rst); kernels of NKIBench "
              "that load 64 partitions move half as much (workloads/nki/SILICON_TIMES.md)"));
  t.add("element_rows", element_rows, std::uint64_t{4}, {1, 128},
        "partitions whose rows form one element when they are contiguous in HBM",
        measured("4 rows of 840..8000 B are one record, trn2 device profiles"));
  t.add("packet", packet, 4_KiB, {64_B, 1_MiB}, "largest payload of one packet, the unit of arbitration",
        documented("runtime's default packetisation"));
  t.add("packet_elements", packet_elements, std::uint64_t{64}, {1, 65536},
        "most contiguous runs of one packet", documented("64 descriptors a packet, driver headers"));
  t.add(
      "collective_packet", collective_packet, 64_KiB, {64_B, 1_MiB},
      "largest payload of one packet of a transfer that a collective core rings, of all its sources; it "
      "costs "
      "as much as parts with `packet` bytes of each source, each a separate element",
      assumed("the granularity at which these transfers are arbitrated, coarser than the runtime's 4 KiB so "
              "that a collective of 1 GiB is simulated in seconds; 4 KiB shows what it hides"));
  t.add("collective_engines", collective_engines, std::uint64_t{4}, {1, 16},
        "number of engines (1, 2, 4, 8 or 16) for a transfer that a collective core rings: cc0's "
        "from engine 0 on, cc1's after them",
        derived("sendrecv of 256 MiB moves 103.8 GB/s (nccom-test on one chip, 268435456 B in 2585.82 us, "
                "12.56 us of them launch): four engines of 27.2 GB/s less 4 cycles per 4 KiB element"));
  t.add("doorbell_sync", doorbell_sync, 58.33_ns, kLatency,
        "duration of a doorbell on queue sync or of a collective core",
        measured("57.5..60.8 ns, trn2 device profiles"));
  t.add("doorbell_scalar", doorbell_scalar, 25_ns, kLatency,
        "duration of a doorbell on queue scalar, tensor or vector",
        measured("25 ns on the scalar and tensor queues, trn2 device profiles"));
  t.add("doorbell_gpsimd", doorbell_gpsimd, 25.83_ns, kLatency, "duration of a doorbell on queue gpsimd",
        measured("25.83 ns, stores into an output 51.67, trn2 device profiles"));
  t.add("pitch_sync", pitch_sync, 82.5_ns, kLatency, "doorbell to doorbell on queue sync",
        measured("81.7..85.8 ns, trn2 device profiles"));
  t.add("pitch_scalar", pitch_scalar, 77.5_ns, kLatency, "doorbell to doorbell on queue scalar",
        measured("77.5 ns, trn2 device profiles"));
  t.add("pitch_gpsimd", pitch_gpsimd, 61.67_ns, kLatency, "doorbell to doorbell on queue gpsimd",
        measured("61.67 ns, trn2 device profiles"));
  t.add("first_doorbell", first_doorbell, 31.67_ns, kLatency,
        "additional time of the first doorbell of a queue",
        measured("29..33 ns on three queues, trn2 device profiles"));
  t.add("start_up", start_up, 702.5_ns, kLatency, "doorbell's end to the first engine's start",
        measured("median 702.7 of 10 stores, 694..770; loads add the memory's latency"));
  t.add("skew_near", skew_near, 10.25_ns, kLatency, "start to start over engines 0..7",
        measured("the eight start within 72 ns, 54..106, trn2 device profiles"));
  t.add("skew_half", skew_half, 97_ns, kLatency, "start of engine 0 to that of engine 8",
        measured("88..134 ns, trn2 device profiles"));
  t.add("skew_far", skew_far, 15_ns, kLatency, "start to start over engines 8..15",
        measured("engine 15 starts 206 ns after the first, 185..240, trn2 device profiles"));
  t.add(
      "cold_read", cold_read, 826_ns, kLatency,
      "additional latency of an engine's first read of HBM in a run",
      measured("the slowest of 16 engines, with which a transfer ends: median of five kernels, 296..884 ns; "
               "a single engine 583 ns, trn2 device profiles"));
  t.add("write_sbuf", write_sbuf, 223.5_ns, kLatency, "end of the read to the acknowledged write, in SBUF",
        measured("195..311 ns, trn2 device profiles"));
  t.add("write_hbm", write_hbm, 256.5_ns, kLatency, "end of the read to the acknowledged write, in HBM",
        measured("228..278 ns, trn2 device profiles"));
  t.add("write_drain", write_drain, 256_B, {1_B, 64_KiB},
        "bytes written per cycle after a semaphore has delayed them",
        measured("acknowledgements 1, 9, 16 and 18 cycles apart for 256, 2304, 4096 and 4608 B"));
  t.add("semaphore_write", semaphore_write, 195_ns, kLatency,
        "data acknowledged to the semaphore behind it acknowledged",
        measured("median 193 of 317, by size 181..204 ns, trn2 device profiles"));
  t.add("semaphore_return", semaphore_return, 94_ns, kLatency,
        "semaphore's value visible to its write acknowledged: the end of semaphore_write",
        measured("78..115 ns in 3,984 increments, trn2 device profiles"));
  t.add("increment_spacing", increment_spacing, 12.5_ns, kLatency,
        "least time between two increments of one semaphore by DMA engines",
        measured("11.67 or 13.33 ns throughout a burst, 16 increments never within 179 ns but once"));
  t.add("small_element", small_element, 94_ns, kLatency,
        "DRAM-to-DRAM copy of one element below small_element_bytes",
        measured(
            "published 94, 79..108; on one engine 96 and 88 ns at the median for 2 and 4 bytes, from "
            "transfer to transfer, which end with their slowest engine, 101 and 98, trn2 device profiles"));
  t.add(
      "small_element_spread", small_element_spread, std::uint64_t{7}, {0, 100},
      "percent by which the slowest of the 16 engines exceeds the mean on tiny elements in HBM",
      measured("7.4 and 6.8 over 36,864 elements on each engine, fp16 and fp32, trn2 device profiles; which "
               "engine is slow differs from run to run: engine 15 and a linear spread are assumed"));
  t.add("small_element_bytes", small_element_bytes, 64_B, {0_B, 4_KiB},
        "contiguous runs below this cost small_element, DRAM to DRAM",
        assumed("measured at 2 and 4 bytes; one HBM access is 64 bytes"));
  t.add("hardware_dge", hardware_dge, 600_ns, kLatency,
        "a hardware generator's time for one instruction, which the start of the transfer waits for",
        documented("nki-dge.rst: about 600 ns per DGE instruction"));
  t.add("software_descriptor", software_descriptor, 8_ns, kLatency,
        "GpSimd's time to generate the descriptor of one element",
        assumed("about 10 instructions at 1.2 GHz: two addresses, a length, a store; nothing is published"));
  t.add("transpose_from_hbm", transpose_from_hbm, std::uint64_t{90}, {1, 100},
        "percent of its throughput that an engine reaches when it transposes from HBM",
        documented("trainium2_arch.rst: at most 90 %"));
  t.add("transpose_on_chip", transpose_on_chip, std::uint64_t{50}, {1, 100},
        "percent of its throughput that an engine reaches when it transposes from SBUF or PSUM",
        documented("trainium2_arch.rst: at most 50 % from SBUF"));
  t.add("adds_in_sbuf", adds_in_sbuf, false,
        "SBUF adds what an accumulating transfer writes, at the rate of a copy; otherwise the DMA engine "
        "reads the old "
        "value and reaches half of its rate",
        documented("trainium3_arch.rst: read-add-write since NeuronCore-v4, half the rate before"));
  t.add("remote_window", remote_window, std::uint64_t{4}, {1, 1024},
        "most packets of an engine that wait to enter the fabric",
        assumed("outstanding writes are unpublished"));
  t.add(
      "read_window", read_window, 24_KiB, {1_B, 16_MiB},
      "an engine with this many bytes issued and not yet handed on issues no further packet",
      derived("kernels of NKIBench that stream (workloads/nki/SILICON_TIMES.md): 16 KiB is 3 to 7 % slow, 32 "
              "KiB 2 to 6 % fast; nki-dma-overview.rst gives no size of the reorder buffers"));
  t.add("read_packets", read_packets, std::uint64_t{64}, {1, 4096},
        "most packets of an engine issued and not yet handed on",
        assumed("as read_window: 37 packets of 4 bytes in 6 + 208 ns, the next power of two"));
  t.add(
      "write_window", write_window, 24_KiB, {1_B, 16_MiB},
      "an engine with this many bytes handed on to HBM and not yet accepted there hands on no further packet",
      assumed("as read_window; a write only needs the path there"));
  t.add("write_packets", write_packets, std::uint64_t{64}, {1, 4096},
        "most packets of an engine handed on to HBM and not yet accepted there", assumed("as read_packets"));
  t.add("look_ahead", look_ahead, 0_ns, kLatency,
        "how far ahead of the simulation an engine issues packets, at most start_up; packets keep their "
        "times, but memories serve them before packets of other cores that are earlier by less; 0: "
        "no look-ahead",
        chosen());
}

}  // namespace tahoma::model
