// SPDX-License-Identifier: Apache-2.0
// Sequencers and semaphores. The device profiles show every time of a vector sequencer as a multiple of
// 1.0417 ns and of all others as a multiple of 0.8333 ns, so the constants are cycles; each note gives
// the nanoseconds and the number of records of the calibration traces (stream_256k_fd1k, conv2d_1,
// conv2d_3) behind them.
#include "model/engine/params/sequencer_params.h"

#include "model/engine/params/param_ranges.h"

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::derived, base::documented, base::measured, base::Source;

namespace {

constexpr base::Range<Cycles> kCycles{{0}, {100'000}};

struct Figure {
  Cycles value;
  Source source;
};

struct TimingRow {
  Figure wake, wait, update, raise, gap, step, jump;
};
struct QueueRow {
  Figure wake, to_engine, from_engine;
  std::uint64_t depth;
  Source depth_source;
};

const char* const kAsSync = "as on the sync engine: nothing is published of collective cores' sequencers";

const TimingRow kTensor{
    {34_cyc, measured("28.33 ns, 28 of 29 stand-alone waits")},
    {65_cyc, measured("54.17 ns, 50 of 50")},
    {65_cyc, measured("54.17 ns, 25 of 30")},
    {15_cyc, measured("12.5 ns, the barriers around 5 kernels; 14.17 ns behind 216 matmuls, less 2 cycles")},
    {89_cyc, measured("74.17 ns median of 30, 61.67 to 155")},
    {108_cyc,
     derived("90.0 ns from one fence on an idle engine to the next, 9 of 9: the shortest instruction seen")},
    {315_cyc, measured("262.5 ns, middle of 10 taken branches, 257.5 and 268.3")}};
const TimingRow kVector{
    {26_cyc, measured("27.71..28.12 ns, 6 of 6 stand-alone waits: 26 cycles and the next edge")},
    {23_cyc, measured("23.96 ns, 8 of 8")},
    {52_cyc, measured("54.17 ns, 24 of 30")},
    {8_cyc,
     measured(
         "10.42..11.25 ns behind 52 instructions: 10 cycles, of which 2 are the result's, and the next edge "
         "of the base clock")},
    {51_cyc, measured("53.12 ns median of 30, 42.7 to 53.1")},
    {66_cyc,
     derived(
         "68.75 ns from one fence on an idle engine to the next, 10 of 10: the shortest instruction seen")},
    {297_cyc, measured("309.9 ns, middle of 10 taken branches, 290.6 and 329.2")}};
const TimingRow kScalar{
    {25_cyc, measured("20.83 ns, 4 of 4 stand-alone waits; 21.67 ns before 3 doorbells")},
    {50_cyc, measured("41.67 ns, 27 of 31")},
    {66_cyc, measured("55.0 ns, 5 of 5")},
    {9_cyc, measured("7.5 ns, the barriers around 5 kernels; 9.17 ns behind 102 copies, less 2 cycles")},
    {61_cyc, measured("50.83 ns to a doorbell, 22 of 24")},
    {91_cyc,
     derived(
         "75.83 ns from one fence on an idle engine to the next, 10 of 10: the shortest instruction seen")},
    {311_cyc, measured("259.6 ns, middle of 10 taken branches, 245.8 to 321.7")}};
const TimingRow kGpSimd{
    {29_cyc, measured("24.17 ns, 34 doorbells and 8 stand-alone waits")},
    {31_cyc, measured("25.83 ns, 10 of 10")},
    {74_cyc, measured("61.67 ns, 5 of 10; 66.67 ns the others")},
    {10_cyc, measured("8.33 ns, the barriers around 5 kernels")},
    {51_cyc, measured("42.5 ns median of 30, 34.2 to 42.5")},
    {86_cyc,
     derived(
         "71.67 ns from one fence on an idle engine to the next, 10 of 10: the shortest instruction seen")},
    {302_cyc, measured("251.7 ns, middle of 10 taken branches, 240.0 and 263.3")}};
const TimingRow kSync{
    {20_cyc, measured("16.67 ns, 79 doorbells and 11 stand-alone waits")},
    {24_cyc, measured("20.0 ns, 34 of 40")},
    {40_cyc, measured("33.33 ns, 4 of 4")},
    {0_cyc, measured("0 ns, the barriers around 5 kernels")},
    {43_cyc, measured("35.83 ns to a doorbell, 9 of 9")},
    {86_cyc,
     derived(
         "71.67 ns from one fence on an idle engine to the next, 14 of 14: the shortest instruction seen")},
    {327_cyc, measured("272.5 ns, middle of 10 taken branches, 263.3 and 281.7")}};
const TimingRow kCollective{{20_cyc, assumed(kAsSync)}, {24_cyc, assumed(kAsSync)},
                            {40_cyc, assumed(kAsSync)}, {0_cyc, assumed(kAsSync)},
                            {43_cyc, assumed(kAsSync)}, {86_cyc, assumed(kAsSync)},
                            {327_cyc, assumed(kAsSync)}};

const QueueRow kTensorQueue{
    {50_cyc, measured("41.67 ns before 9 of 18 weight loads, 42.5 or 43.3 ns before the others")},
    {29_cyc, measured("24.17 or 25.0 ns to 27 of 29 weight loads")},
    {78_cyc,
     measured("35.0..35.83 ns from a matmul's start to a stand-alone wait, 8 of 8: 65 ns from its dispatch")},
    33,
    measured("at most 33 weight loads and matmuls wait behind the array, in 7 places of 4 traces")};
const QueueRow kVectorQueue{
    {22_cyc, measured("22.92..23.96 ns before 52 instructions: 22 cycles and the next edge")},
    {6_cyc, assumed("as on the scalar engine")},
    {15_cyc, measured("15.6 ns, 1 of 2; 13.5 ns the other")},
    33,
    assumed("as on the tensor engine: the profiles show none filled")};
const QueueRow kScalarQueue{{27_cyc, measured("22.5 ns before 61 of 65 uncontended copies")},
                            {6_cyc, measured("5.0 ns, the least of 6")},
                            {47_cyc, measured("39.17 ns from a copy on an idle engine, 8 of 8")},
                            33,
                            assumed("as on the tensor engine: the profiles show 3 waiting and none refused")};
const QueueRow kGpSimdQueue{
    {29_cyc, assumed("as before a doorbell: the profiles show no GpSimd instruction")},
    {6_cyc, assumed("as on the scalar engine")},
    {47_cyc, assumed("as on the scalar engine")},
    33,
    assumed("as on the tensor engine: nothing is published")};

struct Timing {
  SequencerTiming& timing;
  const TimingRow& row;
  void declare(ParamTree& t) {
    const auto add = [&t](const char* name, Cycles& ref, const Figure& f, const char* doc) {
      t.add(name, ref, f.value, kCycles, doc, f.source);
    };
    add("wake", timing.wake, row.wake,
        "semaphore value to the start of an instruction of the sequencer that waited");
    add("wait", timing.wait, row.wait, "start to end of a stand-alone wait");
    add("update", timing.update, row.update, "start to end of a stand-alone update");
    add("raise", timing.raise, row.raise, "end of an instruction to the semaphore's new value");
    add("gap", timing.gap, row.gap,
        "end of a stand-alone wait or update to the start of the sequencer's next instruction");
    add("step", timing.step, row.step,
        "start to next start of a register operation or a branch that is not taken");
    add("jump", timing.jump, row.jump, "start of a taken branch to the start at its target");
  }
};

struct Queue {
  QueueTiming& timing;
  const QueueRow& row;
  void declare(ParamTree& t) {
    t.add("wake", timing.wake, row.wake.value, kCycles,
          "semaphore value to the start of an instruction of the engine that waited", row.wake.source);
    t.add("to_engine", timing.to_engine, row.to_engine.value, kCycles,
          "end of a stand-alone wait or update to the start of an instruction of the engine",
          row.to_engine.source);
    t.add("from_engine", timing.from_engine, row.from_engine.value, kCycles,
          "hand-over of an instruction to the engine to the start of the sequencer's own behind it",
          row.from_engine.source);
    t.add("depth", timing.depth, row.depth, {1, 4096},
          "instructions handed to the engine that have not started", row.depth_source);
  }
};

void group(ParamTree& t, const char* name, SequencerTiming& timing, const TimingRow& row) {
  Timing bound{timing, row};
  t.group(name, bound);
}
void group(ParamTree& t, const char* name, QueueTiming& timing, const QueueRow& row) {
  Queue bound{timing, row};
  t.group(name, bound);
}

}  // namespace

void SequencerParams::declare(ParamTree& t) {
  t.add("clock", clock, 1200_MHz, {{1'000'000}, {100'000'000'000}},
        "NC base clock of sequencers and semaphores", documented("profile-schema-reference.rst"));
  group(t, "tensor", tensor, kTensor);
  group(t, "tensor_queue", tensor_queue, kTensorQueue);
  group(t, "vector", vector, kVector);
  group(t, "vector_queue", vector_queue, kVectorQueue);
  group(t, "scalar", scalar, kScalar);
  group(t, "scalar_queue", scalar_queue, kScalarQueue);
  group(t, "gpsimd", gpsimd, kGpSimd);
  group(t, "gpsimd_queue", gpsimd_queue, kGpSimdQueue);
  group(t, "sync", sync, kSync);
  group(t, "collective", collective, kCollective);
  t.add("dispatch", dispatch, 2_cyc, kCycles,
        "hand-over of an instruction to its engine to the next hand-over",
        measured("28 instructions between two stand-alone waits take 1.667 ns each, conv2d_3_float16"));
  t.add("result", result, 2_cyc, kCycles,
        "additional time of an engine's result to its semaphore, compared with the sequencer's own "
        "instructions",
        derived("14.17 against 12.5 ns on the tensor engine, 9.17 against 7.5 ns on the scalar engine"));
  t.add("compare", compare, 9_cyc, kCycles, "start to end of a stand-alone update that waited",
        derived("values passed on in the barriers around 5 kernels: 28.33, 31.67 and 35.83 ns from value to "
                "end on the scalar, GpSimd and tensor engine, each 7.5 ns more than its wake; 8.33 ns on the "
                "sync engine"));
  t.add(
      "load_sbuf", load_sbuf, 62.5_ns, kLatency, "additional time of a register load or store of SBUF",
      assumed(
          "one SBUF round trip is inside the 60 cycles that a vector instruction costs beyond its elements"));
  t.add("load_hbm", load_hbm, 600_ns, kLatency, "additional time of a register load or store of HBM",
        assumed("as a generated descriptor, nki-dge.rst: about 600 ns; one word takes no bandwidth"));
}

void RendezvousParams::declare(ParamTree& t) {
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

}  // namespace tahoma::model
