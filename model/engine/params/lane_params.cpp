// SPDX-License-Identifier: Apache-2.0
#include "model/engine/params/lane_params.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "model/engine/params/param_ranges.h"

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::derived, base::documented, base::measured, base::Source;

namespace {

// The parameters that all these engines have, with values that differ between them.
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
  const base::Range<std::uint64_t> quad{1, 64};
  t.add("exponential_rate", exponential_rate, std::uint64_t{4}, quad,
        "elements a cycle and lane of exponential (NeuronCore-v4)",
        documented("trainium3_arch.rst: 4 times the throughput of the scalar engine's exp"));
  t.add("quantise_rate", quantise_rate, std::uint64_t{4}, quad,
        "elements a cycle and lane of quantize_mx (NeuronCore-v4)",
        documented("trainium3_arch.rst: four elements a partition and cycle"));
  t.add("random_rate", random_rate, std::uint64_t{4}, quad,
        "elements a cycle and lane of rand2 (NeuronCore-v4)",
        documented("trainium3_arch.rst: four values of 32 bits a lane and cycle"));
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
  t.add("copy_rate", copy_rate, std::uint64_t{1}, {1, 64},
        "elements a cycle and lane of tensor_copy and tensor_scalar between 16-bit tiles in SBUF",
        documented("trainium3_arch.rst: up to 2x for BF16 and FP16 on NeuronCore-v4; no such mode before"));
}

void GpSimdParams::declare(ParamTree& t) { LaneParams::declare(t, "gpsimd"); }

void CostParams::declare(ParamTree& t) {
  const base::Range<Cycles> each{{1}, {1000}};
  t.add("reciprocal", reciprocal, 8_cyc, each, "cycles per element of a reciprocal",
        documented("published cost 8 N, nki.isa 2.26.1"));
  t.add("dynamic_copy", dynamic_copy, 600_cyc, kOverhead,
        "minimum from start to start of a copy whose address is in a register",
        documented("published cost max(600, N), nki.isa 2.26.1"));
  t.add("scalar_tensor_tensor", scalar_tensor_tensor, 1_cyc, each,
        "cycles per element of scalar_tensor_tensor",
        derived(
            "kernels of NKIBench, workloads/nki/SILICON_TIMES.md; the published 2 N, nki.isa 2.26.1, is that "
            "of NeuronCore-v2"));
  t.add("scan", scan, 1_cyc, each, "cycles per element of a scan",
        derived(
            "kernels of NKIBench, workloads/nki/SILICON_TIMES.md; the published 2 N, nki.isa 2.26.1, is that "
            "of NeuronCore-v2"));
  t.add("gpsimd_two_input", gpsimd_two_input, 2_cyc, each, "cycles per element of two tiles on GpSimd",
        documented("published cost 2 N on GpSimd, nki.isa 2.26.1"));
  t.add(
      "two_input", two_input, 1_cyc, each, "cycles per element of two tiles in SBUF, except 16-bit ones",
      measured("one element a cycle in fp32: stream_256k_fd1k; the published 2 N is that of NeuronCore-v2"));
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

}  // namespace tahoma::model
