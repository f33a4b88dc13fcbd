// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/engine_params.h"

#include <algorithm>
#include <string_view>

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::chosen, base::derived, base::documented, base::measured, base::Source;

namespace {
constexpr base::Range<Frequency> kClockRange{{1'000'000}, {100'000'000'000}};
constexpr base::Range<Duration> kLatency{{0}, 1000_us};
constexpr base::Range<Cycles> kOverhead{{0}, {100'000}};
constexpr const char* kTrace = "trn2 device profiles, hardware/trainium2.md 2.2 to 2.9";
}  // namespace

void TensorParams::declare(ParamTree& t) {
  t.add("model", model, BlockModel::kBehavioural, kBlockModels,
        "model of the array: the law alone, or in lock-step with the verilated array", chosen());
  t.add("clock", clock, 2400_MHz, kClockRange, "clock of the systolic array",
        documented("trainium2_arch.rst"));
  t.add("rows", rows, std::uint64_t{128}, {1, 128}, "rows of the array: depth of one contraction pass",
        documented("trainium2_arch.rst"));
  t.add("columns", columns, std::uint64_t{128}, {1, 128},
        "columns of the array: output partitions of one pass", documented("trainium2_arch.rst"));
  t.add("moving_columns", moving_columns, std::uint64_t{512}, {1, 4096},
        "most moving columns of one matmul: one PSUM bank of fp32", documented("nki.isa nc_matmul"));
  t.add("issue_overhead", issue_overhead, 6_cyc, kOverhead,
        "cycles a matmul occupies the array beyond its streaming rows",
        measured("issue interval N + 6 cycles: 134, 426, 2N + 6: 846, 262; trn2 device profiles"));
  t.add("misaligned_run", misaligned_run, 2_cyc, kOverhead,
        "cycles added for each contiguous run of 16-bit moving elements that starts at 2 mod 4",
        measured("30 runs of 14 take 60 cycles more, trn2 device profiles"));
  t.add("tile_pitch", tile_pitch, 6_cyc, kOverhead,
        "start of a matmul to the earliest start of one on another tile of the array",
        assumed("as issue_overhead, the cycles between two matmuls on one tile; unpublished"));
  t.add("pipeline_latency", pipeline_latency, 165.83_ns, kLatency,
        "last moving row streamed to result in PSUM",
        measured("398 cycles of 16-bit matmuls and of transposes, 396..398 of fp32, trn2 device profiles"));
  t.add("latency_side", latency_side, std::uint64_t{128}, {1, 128},
        "rows and columns of the array on which pipeline_latency was measured; another array's skew replaces "
        "this one's",
        measured("profiles of a trn2 core, whose array is 128x128: trainium2_arch.rst"));
  t.add("weight_load_latency", weight_load_latency, 82.5_ns, kLatency,
        "last weight column read to the end of the load",
        measured("196..198 cycles beyond the columns of loads in order, trn2 device profiles"));
  t.add("weight_to_matmul", weight_to_matmul, 30.83_ns, kLatency,
        "decoding of a weight load to the earliest start of the matmul behind it",
        measured("74 cycles behind every load that starts as soon as it is decoded, trn2 device profiles"));
  t.add("weight_exchange", weight_exchange, 4_cyc, kOverhead,
        "last weight column read to the first moving row that meets the weights",
        derived("matmuls that waited for weights end 206 cycles and their streaming after the load's end; "
                "less pipeline_latency, with weight_load_latency"));
  const base::Range<double> column{0.01, 64};
  t.add(
      "load_column", load_column, 0.25, column,
      "cycles per column of a weight load, elements below 32 bits in order",
      measured("fp16 in order: 128 columns in 95.0 ns, 81.7 of them latency; of 8 bits assumed: a row's port "
               "is 16 bits wide"));
  t.add("load_column_strided", load_column_strided, 1.0, column,
        "cycles per column of a weight load, elements below 32 bits with a stride",
        measured("fp16 18 bytes apart: 128 columns in 136.7 ns"));
  t.add("fp32_load_column", fp32_load_column, 2.0, column,
        "cycles per column of a weight load, fp32 in order",
        measured("fp32 in order: 128 columns in 189.2 ns"));
  t.add("wide_load_column", wide_load_column, 1.0, column,
        "cycles per column of a weight load, other 32-bit types in order",
        assumed("as fp32 that is transposed, measured: 128 columns in 137.5 ns"));
  t.add("wide_load_column_strided", wide_load_column_strided, 4.3, column,
        "cycles per column of a weight load, 32-bit types with a stride",
        measured("fp32 36 bytes apart: 128 columns in 311.7 ns; of other types assumed: the same access"));
  t.add("back_to_back", back_to_back, 4_cyc, kOverhead,
        "start of a matmul to the earliest start of the instruction behind it",
        measured("1.67 ns, trn2 device profiles"));
  t.add("load_issue", load_issue, 10_cyc, kOverhead,
        "start of a weight load that has waited to the earliest start of the instruction behind it",
        measured("10 cycles behind loads of fp16, in four groups of columns, trn2 device profiles"));
  t.add("wide_load_issue", wide_load_issue, 6_cyc, kOverhead, "the same behind loads of 32-bit weights",
        measured("4..6 cycles behind loads of fp32, trn2 device profiles"));
  t.add("throttle", throttle, true, "half rate until a window has been busy enough",
        documented("overview-summary-page.rst; exact factor 2 measured"));
  t.add("throttle_window", throttle_window, 3413.33_ns, {1_ns, 1000_us},
        "free-running window that decides the throttle",
        derived("releases in one run are multiples of 4096 cycles at 1.2 GHz apart: 13,654 ns are 4, "
                "23,893 ns are 7"));
  t.add(
      "throttle_phase", throttle_phase, 1066.67_ns, kLatency,
      "start of the first throttle window before time zero",
      derived("free-running on silicon; 5/16 of a window gives the least mean error over the convolutions v1 "
              "and v3 of the device profiles, out of 16 phases"));
  t.add("throttle_share", throttle_share, std::uint64_t{43}, {0, 100},
        "percent of a window in which full-rate columns must stream so that the next runs at full rate",
        derived("windows of 35.5 % were followed by the throttle, one of 44.8 % was not; a release 6.27 us "
                "after continuous work began needs more than 41.8 %; at half rate the most is 50 %"));
  t.add("throttle_latency", throttle_latency, 40_ns, kLatency,
        "while throttled, the time by which the next matmul starts before the array is free",
        measured(kTrace));
}

namespace {

// What differs from engine to engine in the same parameters.
struct LaneRow {
  const char* engine;
  Frequency clock;
  Cycles issue_overhead;
  Source issue_source;
  Cycles turnaround;
  Source turnaround_source;
  Cycles write_turnaround;
  Source write_source;
  Duration latency;
  Source latency_source;
  Duration partial_write_latency;
  Source partial_source;
};

const LaneRow kLaneRows[] = {
    {"vector", 960_MHz, 48_cyc,
     derived("tensor_tensor takes 58 cycles at least between two starts, less second_operand"), 0_cyc,
     derived("tensor_tensor in a row starts every N + 58 cycles at best: start-up and elements"), 13_cyc,
     derived("scatters of 128 fp16 end every 269 cycles, 256 of them writing: conv2d_1_float16"), 97.92_ns,
     derived("fp32 copies of 128 elements take 281.25 ns in conv2d_1_float32: 270 cycles"), 33.33_ns,
     derived("fp16 scatters of 128 elements take 448.5 ns in conv2d_1_float16: 430 cycles")},
    {"scalar", 1200_MHz, 60_cyc, measured("copies from PSUM start every N + 60 cycles, conv2d_3"), 16_cyc,
     derived("copies from PSUM end every N + 76 cycles in bursts, conv2d_3"), 16_cyc,
     assumed("as between reads; the vector engine's takes as long"), 109.17_ns,
     derived("copies from PSUM take N/1.2 GHz + 159.17 ns, 60 cycles of it start-up: conv2d_3"), 11.67_ns,
     derived("fp16 scatters of 128 elements take 748.3 ns in conv2d_1_float16: 898 cycles")},
    {"gpsimd", 1200_MHz, 150_cyc, documented("published cost 150 + N, nki.isa 2.26.1"), 0_cyc,
     assumed("the published 150 cycles are from start to start"), 0_cyc, assumed("as between reads"),
     97.92_ns, assumed("as on the vector engine: nothing is published"), 33.33_ns,
     assumed("as on the vector engine: nothing is published")}};

}  // namespace

void LaneParams::declare(ParamTree& t, const char* engine) {
  const LaneRow& row = *std::find_if(std::begin(kLaneRows), std::end(kLaneRows),
                                     [&](const LaneRow& r) { return std::string_view(r.engine) == engine; });
  t.add("clock", clock, row.clock, kClockRange, "clock of the engine's lanes",
        documented("trainium2_arch.rst"));
  t.add("issue_overhead", issue_overhead, row.issue_overhead, kOverhead,
        "start-up: instruction start to first element in", row.issue_source);
  t.add("turnaround", turnaround, row.turnaround, kOverhead,
        "pause between reading for one instruction and starting up the next", row.turnaround_source);
  t.add("write_turnaround", write_turnaround, row.write_turnaround, kOverhead,
        "pause between writing the results of two instructions", row.write_source);
  t.add("latency", latency, row.latency, kLatency, "last element in to result visible, for copies",
        row.latency_source);
  t.add("partial_write_latency", partial_write_latency, row.partial_write_latency, kLatency,
        "added when elements smaller than four bytes are scattered over SBUF", row.partial_source);
}

void VectorParams::declare(ParamTree& t) {
  LaneParams::declare(t, "vector");
  t.add("fast_modes", fast_modes, true, "2x and 4x rates for 16-bit operands",
        documented("trainium2_arch.rst"));
  const base::Range<std::uint64_t> rate{2, 64};
  t.add("copy_rate", copy_rate, std::uint64_t{4}, rate,
        "elements a cycle and lane from 16 bits to 16 bits between contiguous tiles in SBUF; elsewhere half",
        documented("trainium2_arch.rst: 4x in SBUF, 2x otherwise"));
  t.add("narrowing_rate", narrowing_rate, std::uint64_t{2}, rate, "the same from 16 bits to 8 bits",
        measured("bf16 to fp8 in SBUF at 2"));
  t.add("two_input_rate", two_input_rate, std::uint64_t{2}, rate,
        "elements a cycle and lane of two 16-bit tiles in SBUF",
        documented("trainium2_arch.rst: 2x for 16-bit operands"));
  t.add("reduce_rate", reduce_rate, std::uint64_t{2}, rate,
        "elements a cycle and lane of sums and maxima over 16-bit elements",
        documented("trainium2_arch.rst: 2x for 16-bit operands"));
  t.add("memset_rate", memset_rate, std::uint64_t{2}, rate, "16-bit zeros written a cycle and lane",
        documented("published cost of memset, half the cycles for 16-bit zeros: nki.isa 2.26.1"));
  t.add("sbuf_streams", sbuf_streams, std::uint64_t{2}, {1, 16},
        "streams each way that share strided accesses between SBUF and SBUF",
        documented("nki performance guide; measurements show them between SBUF and SBUF only"));
  t.add("second_operand", second_operand, 10_cyc, kOverhead, "additional start-up for a second tile",
        derived("tensor_tensor takes N + 152 cycles, copies N + 142: stream_256k_fd1k, conv2d_1, conv2d_3"));
}

void ScalarParams::declare(ParamTree& t) {
  LaneParams::declare(t, "scalar");
  t.add("sbuf_source", sbuf_source, 53_cyc, kOverhead,
        "additional start-up for a source in SBUF instead of PSUM",
        derived("fp32 scatters of 128 elements take 416.7 ns in conv2d_1_float32: 500 cycles, 256 of them "
                "writing"));
  t.add("activate_latency", activate_latency, 194.17_ns, kLatency,
        "last element in to result visible, for table functions",
        derived("N/1.2 GHz + 288 ns from SBUF in profiler screenshots of the SDK documentation, +-10 ns; 113 "
                "cycles of it start-up"));
  t.add("table_load", table_load, 1283.33_ns, kLatency, "switch to another set of function tables",
        measured("10 of 10 loads, trn2 device profiles"));
  t.add("accumulator_read", accumulator_read, 64_cyc, kOverhead, "reading out the reduction registers",
        documented("published cost, nki.isa 2.26.1"));
}

void GpSimdParams::declare(ParamTree& t) { LaneParams::declare(t, "gpsimd"); }

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
  t.add("element_rows", element_rows, std::uint64_t{4}, {1, 128},
        "partitions whose rows form one element when they are contiguous in HBM",
        measured("4 rows of 840..8000 B are one record, trn2 device profiles"));
  t.add("packet", packet, 4_KiB, {64_B, 1_MiB}, "largest payload of one packet, the unit of arbitration",
        documented("runtime's default packetisation"));
  t.add("packet_elements", packet_elements, std::uint64_t{64}, {1, 65536},
        "most contiguous runs of one packet", documented("64 descriptors a packet, driver headers"));
  t.add(
      "collective_packet", collective_packet, 64_KiB, {64_B, 1_MiB},
      "largest payload of one packet of a transfer that a collective core rings; it costs as much as "
      "parts of `packet` bytes, each a separate element",
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
        "semaphore's value visible to its write acknowledged",
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
  t.add("remote_window", remote_window, std::uint64_t{4}, {1, 1024},
        "most packets of an engine that wait to enter the fabric",
        assumed("outstanding writes are unpublished"));
  t.add("read_window", read_window, 16_KiB, {1_B, 16_MiB},
        "an engine with this many bytes issued and not yet handed on issues no further packet",
        assumed("nki-dma-overview.rst gives no size of the reorder buffers; enough for the full rate of "
                "an idle stack on either die: 3 packets of 4 KiB in 155 + 208 ns"));
  t.add("read_packets", read_packets, std::uint64_t{64}, {1, 4096},
        "most packets of an engine issued and not yet handed on",
        assumed("as read_window: 37 packets of 4 bytes in 6 + 208 ns, the next power of two"));
  t.add(
      "write_window", write_window, 16_KiB, {1_B, 16_MiB},
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

void MeetingParams::declare(ParamTree& t) {
  t.add("barrier", barrier, 35_ns, kLatency, "arrival of the later core to the continuation of both",
        derived(
            "one semaphore hand-over between GpSimd engines: 10.83 ns to the value, 24.17 ns to the start"));
  t.add("gpsimd_latency", gpsimd_latency, 160_ns, kLatency,
        "latency of a swap through GpSimd's own DMA, beyond its bytes",
        assumed("the published start-up of a GpSimd instruction, 150 cycles, and one hand-over"));
  t.add("gpsimd_bandwidth", gpsimd_bandwidth, 153_GBps, {{1'000'000, false}, 100'000_GBps},
        "bandwidth of GpSimd's own DMA, each direction",
        documented("trainium2_arch.rst: 307 GB/s, 153 each direction"));
}

void CostParams::declare(ParamTree& t) {
  const base::Range<Cycles> each{{1}, {1000}};
  t.add("reciprocal", reciprocal, 8_cyc, each, "cycles per element of a reciprocal",
        documented("published cost 8 N, nki.isa 2.26.1"));
  t.add("dynamic_copy", dynamic_copy, 600_cyc, kOverhead,
        "minimum from start to start of a copy whose address is in a register",
        documented("published cost max(600, N), nki.isa 2.26.1"));
  t.add("scalar_tensor_tensor", scalar_tensor_tensor, 2_cyc, each,
        "cycles per element of scalar_tensor_tensor, except (bf16 - bf16) * bf16 of an even number and "
        "operands in PSUM, which take one",
        documented("published cost 2 N, nki.isa 2.26.1"));
  t.add("scan", scan, 2_cyc, each, "cycles per element of a scan",
        documented("published cost 2 N, nki.isa 2.26.1"));
  t.add("gpsimd_two_input", gpsimd_two_input, 2_cyc, each, "cycles per element of two tiles on GpSimd",
        documented("published cost 2 N on GpSimd, nki.isa 2.26.1"));
  t.add("aggregate", aggregate, 13_cyc, each, "cycles per triple of bn_aggr",
        documented("published cost 13 (N / 3), nki.isa 2.26.1"));
  const Source gather = documented(
      "published: indices x elements / C, C = ((28 + t e) / (t e)) / min(4 / size, e), t = 4, e elements of "
      "an index, nki.isa 2.26.1");
  t.add("gather_fixed", gather_fixed, 28_cyc, each, "local_gather: the term 28 of its published cost",
        gather);
  t.add("gather_element", gather_element, 4_cyc, each, "local_gather: the term t of its published cost",
        gather);
  t.add("gather_word", gather_word, 4_B, {1_B, 64_B}, "local_gather: bytes that are taken together", gather);
  t.add("topk", topk, 4_cyc, each, "cycles per candidate of topk",
        documented("published cost 4 n + k, nki.isa 2.32"));
}

void SbufParams::declare(ParamTree& t) {
  t.add("partitions", partitions, std::uint64_t{128}, {1, 128}, "partitions of SBUF and PSUM",
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
}

void CoreParams::declare(ParamTree& t) {
  t.group("tensor", tensor);
  t.group("vector", vector);
  t.group("scalar", scalar);
  t.group("gpsimd", gpsimd);
  t.group("costs", costs);
  t.group("sequencer", sequencer);
  t.group("meeting", meeting);
  t.group("sbuf", sbuf);
  t.group("psum", psum);
  t.group("dma", dma);
  t.add("rounding", rounding, RoundingMode::kNearest, kRoundingModes,
        "how the vector, scalar and GpSimd engines round to tf32, bf16, fp16 and fp8; stochastic follows the "
        "run's seed and has no golden check",
        documented("trainium2_arch.rst: both modes; nearest even by default here"));
}

}  // namespace tahoma::model
