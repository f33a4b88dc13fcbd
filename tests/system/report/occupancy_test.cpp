// SPDX-License-Identifier: Apache-2.0
// The occupancy of memories over time, compared with an independent observer of the same run; buffers of
// programs; series of engines.
#include "report/memory/occupancy.h"

#include <catch2/catch.hpp>
#include <map>
#include <numeric>

#include "isa/core/instruction_hash.h"
#include "report/files/engine_windows.h"
#include "report/files/window_tables.h"
#include "report/text/saturation.h"
#include "runtime/builder/kernel.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using isa::DType, isa::Queue, isa::Space;
using runtime::HbmView, runtime::Kernel, runtime::SpaceOccupancy, runtime::TileView;

namespace {

constexpr std::uint64_t kRows = 128;
constexpr unsigned kColumns = 512;
constexpr std::uint64_t kTile = std::uint64_t{kRows} * kColumns * sizeof(float);

// y = exp(x), block by block through `copies` tiles.
isa::Program exponentials(const model::MachineParams& machine, unsigned blocks, unsigned copies) {
  Kernel k("exponentials", machine);
  const HbmView x = k.argument("x", DType::kFp32, kRows * blocks, kColumns),
                y = k.argument("y", DType::kFp32, kRows * blocks, kColumns);
  const runtime::Pool pool = k.sbuf("tiles", DType::kFp32, kColumns, copies);
  for (unsigned block = 0; block < blocks; ++block) {
    const TileView tile = k.take(pool, kRows, kColumns);
    k.load(tile, x.window(block * kRows, 0, kRows, kColumns));
    k.activation(tile, tile, isa::ActFn::kExp);
    k.store(y.window(block * kRows, 0, kRows, kColumns), tile, Queue::kGpSimd);
  }
  return k.finish();
}

// First and last moment of loads and stores.
struct Moments final : base::ProbeObserver {
  base::Time load_start = base::kNever, store_read{0}, store_start = base::kNever, load_read{0};
  void packet(const base::PacketActivity& a) override {
    if (a.read_bytes > 0) {
      load_start = std::min(load_start, a.start);
      load_read = std::max(load_read, a.read_done);
    }
    if (a.write_bytes > 0) {
      store_start = std::min(store_start, a.start);
      store_read = std::max(store_read, a.read_done);
    }
  }
  void semaphore(const base::SemaphoreActivity&) override {}
};

struct Observed {
  base::RunMeasurement run;
  Moments moments;
  std::vector<SpaceOccupancy> spaces;
  std::vector<runtime::EngineRecorder::Engine> engines;
  std::uint64_t tensor_bytes = 0;
};

Observed run(unsigned blocks, unsigned copies) {
  const model::MachineParams params = tests::flat_chip();
  runtime::Machine machine(params, model::Mode::kTiming);
  const auto x = machine.allocate(0, "x", DType::kFp32, {kRows * blocks, kColumns}),
             y = machine.allocate(0, "y", DType::kFp32, {kRows * blocks, kColumns});
  machine.declare_input(x);
  machine.load(0, std::make_shared<const isa::Program>(exponentials(params, blocks, copies)),
               {x.address, y.address});
  Observed o;
  runtime::OccupancyRecorder occupancy(params, machine.tensors());
  for (const auto& [core, program] : machine.programs()) occupancy.program(core, program);
  runtime::EngineRecorder engines(params.cores());
  machine.observe(&occupancy);
  machine.observe(&engines);
  machine.observe(&o.moments);
  o.run = machine.run();
  o.spaces = occupancy.summarise(o.run.elapsed);
  o.engines = engines.engines();
  o.tensor_bytes = x.bytes() + y.bytes();
  return o;
}

const SpaceOccupancy& space_of(const Observed& o, Space space) {
  for (const SpaceOccupancy& s : o.spaces)
    if (s.space == space) return s;
  throw std::runtime_error("the space is empty");
}

// Live bytes times seconds.
double area(const Observed& o, const runtime::Filling& filling) {
  const auto windows = runtime::windows_of(base::BusySeries().series(), o.run.elapsed, {0});
  double sum = 0;
  for (std::size_t n = 0; n < filling.mean_bytes.size(); ++n)
    sum += filling.mean_bytes[n] * windows[n].length.seconds();
  return sum;
}
double area(const Observed& o, const SpaceOccupancy& space) {
  return std::accumulate(space.fillings.begin(), space.fillings.end(), 0.0,
                         [&](double sum, const runtime::Filling& f) { return sum + area(o, f); });
}

}  // namespace

TEST_CASE("occupancy: a tile lives from its first byte loaded to its last byte stored", "[occupancy]") {
  const Observed o = run(1, 1);
  const SpaceOccupancy& sbuf = space_of(o, Space::kSbuf);
  CHECK(sbuf.footprint == kTile);
  CHECK(sbuf.instances == 1);
  CHECK(sbuf.fullest == "server0.chip00.core0");
  const base::Duration life = o.moments.store_read - o.moments.load_start;
  CHECK(area(o, sbuf) == Approx(static_cast<double>(kTile) * life.seconds()).epsilon(1e-6));
  CHECK(sbuf.most_live == Approx(static_cast<double>(kTile)));
  // The load's values are live until the activation has replaced them.
  REQUIRE(sbuf.fillings.size() == 2);
  CHECK(sbuf.fillings[0].what == "load of x");
  CHECK(sbuf.fillings[0].bytes == kTile);
  CHECK(sbuf.fillings[1].what == "activation");
}

TEST_CASE("occupancy: live bytes never exceed the bytes that programs write", "[occupancy]") {
  const Observed o = run(8, 3);
  const SpaceOccupancy& sbuf = space_of(o, Space::kSbuf);
  CHECK(sbuf.footprint == 3 * kTile);
  CHECK(sbuf.most_live <= static_cast<double>(3 * kTile) * (1 + 1e-6));
  CHECK(sbuf.most_live > static_cast<double>(kTile));
  // Eight tiles, none of which is live for longer than the run.
  CHECK(area(o, sbuf) < 3 * static_cast<double>(kTile) * o.run.elapsed.seconds());
  CHECK(sbuf.capacity ==
        tests::flat_chip().chip.core.sbuf.partitions * tests::flat_chip().chip.core.sbuf.per_partition.count);
}

TEST_CASE("occupancy: inputs are live from the beginning, results to the end", "[occupancy]") {
  const Observed o = run(4, 2);
  const SpaceOccupancy& hbm = space_of(o, Space::kHbm);
  CHECK(hbm.footprint == o.tensor_bytes);
  CHECK(hbm.fullest == "server0.chip00.hbm0");
  REQUIRE(hbm.fillings.size() == 2);
  const double half = static_cast<double>(o.tensor_bytes) / 2;
  for (const runtime::Filling& f : hbm.fillings) {
    const base::Duration life = f.what == "x" ? o.moments.load_read : o.run.elapsed - o.moments.store_start;
    INFO(f.what);
    CHECK(area(o, f) == Approx(half * life.seconds()).epsilon(1e-5));
  }
}

TEST_CASE("occupancy: the order in which chips report accesses of one instant does not matter",
          "[occupancy]") {
  const model::MachineParams params = tests::flat_chip();
  const isa::GlobalAddress at{.chip = 0, .stack = 0, .offset = 1 << 20};
  const std::vector<runtime::Tensor> tensors{{"x", DType::kFp32, {1 << 18}, at.bits(), 0}};
  base::TransferActivity read{.queue = static_cast<std::uint8_t>(Queue::kSync),
                              .read_bytes = 64,
                              .read_address = at.bits(),
                              .start = base::Time{2'000'000'000},
                              .read_done = base::Time{4'000'000'000},
                              .end = base::Time{4'000'000'000}};
  base::TransferActivity write = read;
  std::swap(write.write_bytes, write.read_bytes);
  std::swap(write.write_address, write.read_address);
  const base::Duration elapsed{10'000'000'000};
  const auto program = std::make_shared<const isa::Program>(exponentials(params, 1, 1));
  for (const auto& [first, second] : {std::pair(read, write), std::pair(write, read)}) {
    runtime::OccupancyRecorder occupancy(params, tensors);
    occupancy.program(0, program);
    occupancy.transfer(first);
    occupancy.transfer(second);
    const std::vector<SpaceOccupancy> spaces = occupancy.summarise(elapsed);
    // Read first, the tensor is an input; written last, it is a result: it is live from the beginning to the
    // end.
    const SpaceOccupancy& hbm = spaces.back();
    REQUIRE(hbm.space == Space::kHbm);
    for (const double mean : hbm.fillings.at(0).mean_bytes) CHECK(mean == Approx(1 << 20).epsilon(1e-4));
  }
}

TEST_CASE("occupancy: its table has a line for each window of each filler", "[occupancy]") {
  const Observed o = run(2, 1);
  const std::string text = runtime::occupancy_csv(o.spaces);
  std::size_t lines = 1;
  for (const SpaceOccupancy& s : o.spaces)
    for (const runtime::Filling& f : s.fillings) lines += f.mean_bytes.size();
  CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) == lines);
  CHECK(text.starts_with("space,what,footprint_bytes,window,mean_bytes\nsbuf,load of x,262144,0,"));
}

TEST_CASE("engine windows: they add up to the engine's busy time", "[occupancy]") {
  const Observed o = run(8, 3);
  std::size_t found = 0;
  for (const auto& engine : o.engines) {
    REQUIRE(engine.core == 0);
    base::Duration sum{0};
    for (const base::Duration busy : engine.series.busy) sum += busy;
    const auto& measured = o.run.engines[engine.queue];
    INFO(measured.path);
    CHECK(sum == measured.time[static_cast<std::size_t>(base::StallReason::kBusy)]);
    found += sum.fs > 0 ? 1 : 0;
  }
  CHECK(found >= 3);  // scalar, sync and gpsimd
  const std::string text = runtime::engines_csv(o.run, o.engines);
  CHECK(text.starts_with("name,window_start_ns,window_ns,busy_percent\nserver0.chip00.core0."));
}

TEST_CASE("program buffers: overlapping writes belong to one buffer, adjacent ones to two", "[occupancy]") {
  const model::MachineParams machine = tests::flat_chip();
  Kernel k("buffers", machine);
  const HbmView x = k.argument("x", DType::kFp32, kRows, kColumns);
  const runtime::Pool pool = k.sbuf("tile", DType::kFp32, kColumns, 1);
  const TileView tile = k.take(pool, kRows, kColumns);
  const auto buffers = [&](const isa::Program& program) { return runtime::ProgramBuffers(program); };
  k.load(tile.columns(0, 128), x.window(0, 0, kRows, 128));
  k.memset(tile.columns(128, 128), 1.0F);
  k.memset(tile.columns(256, 128), 2.0F);
  k.copy(tile.columns(200, 100), tile.columns(0, 100));  // across the two
  const auto found = buffers(k.finish());
  REQUIRE(found.buffers().size() == 2);
  CHECK(found.buffers()[0].first == 0);
  CHECK(found.buffers()[0].end == 128 * sizeof(float));
  CHECK(found.buffers()[0].bytes() == kRows * 128 * sizeof(float));
  CHECK(found.fillers()[found.buffers()[0].filler] == "load of x");
  CHECK(found.buffers()[1].bytes() == kRows * 256 * sizeof(float));
  CHECK(found.fillers()[found.buffers()[1].filler] == "tensor_copy");  // rather than its initial values
}

TEST_CASE("program buffers: a strided write has the bytes that it writes, not those that it spans",
          "[occupancy]") {
  const model::MachineParams machine = tests::flat_chip();
  Kernel k("strided", machine);
  const runtime::Pool pool = k.sbuf("tile", DType::kFp32, kColumns, 2);
  k.memset(k.take(pool, kRows, kColumns).every(0, 64), 1.0F);  // 8 columns of 512
  const TileView whole = k.take(pool, kRows, kColumns);
  k.memset(whole.every(0, 64), 1.0F);
  k.memset(whole, 2.0F);
  const runtime::ProgramBuffers found(k.finish());
  REQUIRE(found.buffers().size() == 2);
  CHECK(found.buffers()[0].bytes() == kRows * 8 * sizeof(float));
  CHECK(found.buffers()[1].bytes() == kTile);  // and never more than it spans
}

TEST_CASE("program buffers: waits and updates of an instruction do not affect its accesses", "[occupancy]") {
  isa::Instruction write;
  write.op = isa::Opcode::kMemset;
  write.shape.partitions = 128;
  write.shape.count = {1, 1, 1, 64};
  write.dst = {Space::kSbuf, DType::kFp32, 0, 0, {0, 0, 0, 4}};
  isa::Instruction later = write, beside = write;
  later.wait = {isa::Wait::Kind::kGe, 3, 7};
  later.update = {isa::Update::Kind::kAdd, 4, 1};
  beside.dst.offset = 4096;
  isa::Program program;
  auto& stream = program.streams[static_cast<std::size_t>(Queue::kGpSimd)];
  for (const isa::Instruction& i : {write, later, beside, later}) stream.push_back(i);
  const runtime::ProgramBuffers found(program);
  REQUIRE(found.buffers().size() == 2);
  const auto touched = [&](std::uint32_t index) {
    const auto accesses = found.of(static_cast<std::uint8_t>(Queue::kGpSimd), index);
    REQUIRE(accesses.size() == 1);
    CHECK(accesses[0].writes);
    return accesses[0].buffer;
  };
  CHECK(touched(0) == 0);
  CHECK(touched(1) == 0);
  CHECK(touched(2) == 1);
  CHECK(touched(3) == 0);
}

TEST_CASE("program buffers: variables that share bytes have a buffer each, and a write ends the other",
          "[occupancy]") {
  isa::Instruction write;
  write.op = isa::Opcode::kMemset;
  write.shape.partitions = 128;
  write.shape.count = {1, 1, 1, 64};
  write.dst = {Space::kSbuf, DType::kFp32, 0, 0, {0, 0, 0, 1}};
  isa::Instruction later = write;
  later.dst.offset = 128;  // the second half of the bytes, and as many behind them
  isa::Program program;
  constexpr auto kQueue = static_cast<std::size_t>(Queue::kGpSimd);
  for (const isa::Instruction& i : {write, write, later, write}) program.streams[kQueue].push_back(i);
  program.filled = {{"a"}, {"b"}, {""}};
  program.filled_marks[kQueue] = {{0, 0}, {1, 1}, {3, 2}};
  const runtime::ProgramBuffers found(program);
  REQUIRE(found.buffers().size() == 3);  // `b` is one: its writes overlap
  CHECK(found.footprint(Space::kSbuf) == 128 * (128 + 256));
  const auto name = [&](std::uint32_t buffer) { return found.fillers()[found.buffers()[buffer].filler]; };
  const auto at = [&](std::uint32_t index) {
    std::map<std::string, std::string> kinds;
    for (const auto& access : found.of(static_cast<std::uint8_t>(Queue::kGpSimd), index))
      kinds[name(access.buffer)] = access.writes ? "writes" : access.ends ? "ends" : "neither";
    return kinds;
  };
  using Kinds = std::map<std::string, std::string>;
  CHECK(at(0) == Kinds{{"a", "writes"}, {"b", "ends"}, {"memset", "ends"}});
  CHECK(at(1) == Kinds{{"a", "ends"}, {"b", "writes"}, {"memset", "ends"}});
  CHECK(at(2) == Kinds{{"a", "ends"}, {"b", "writes"}, {"memset", "ends"}});
  CHECK(at(3) == Kinds{{"a", "ends"}, {"b", "ends"}, {"memset", "writes"}});
}

TEST_CASE("program buffers: each result of an instruction has its own name", "[occupancy]") {
  isa::Instruction reduce;
  reduce.op = isa::Opcode::kActivationReduce;
  reduce.shape.partitions = 128;
  reduce.shape.count = {1, 1, 1, 64};
  reduce.src0 = {Space::kSbuf, DType::kFp32, 0, 0, {0, 0, 0, 4}};
  reduce.dst = {Space::kSbuf, DType::kFp32, 0, 4096, {0, 0, 0, 4}};
  reduce.result = {true, Space::kSbuf, DType::kFp32, 0, 8192};
  isa::Program program;
  constexpr auto kQueue = static_cast<std::size_t>(Queue::kScalar);
  program.streams[kQueue].push_back(reduce);
  program.filled = {{"scores", "row_sum"}};
  program.filled_marks[kQueue] = {{0, 0}};
  const runtime::ProgramBuffers found(program);
  REQUIRE(found.buffers().size() == 2);
  CHECK(found.fillers()[found.buffers()[0].filler] == "scores");
  CHECK(found.fillers()[found.buffers()[1].filler] == "row_sum");
}

TEST_CASE("instructions: those that differ only in their waits do the same work", "[occupancy]") {
  isa::Instruction a;
  isa::Instruction b = a;
  b.wait.value = 1;
  b.update.value = 2;
  CHECK(isa::hash_of_work(a) == isa::hash_of_work(b));
  CHECK(isa::hash_of(a) != isa::hash_of(b));
  CHECK(isa::same_work(a, b));
  b = a;
  b.dst.offset = 64;
  CHECK(isa::hash_of_work(a) != isa::hash_of_work(b));
  CHECK_FALSE(isa::same_work(a, b));
}
