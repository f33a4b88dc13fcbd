// SPDX-License-Identifier: Apache-2.0
// Cores that stream from and to HBM, and the measurements of the memory. A stream is a series of large
// transfers on the rings of two queues, each of 128 rows, one for every partition of SBUF, with its own
// tensor.
#pragma once

#include <algorithm>
#include <map>
#include <memory>

#include "model/base/activity.h"
#include "model/system/system.h"
#include "tests/support/bench/machine_fixture.h"

namespace tahoma::tests {

// One chip whose stacks have DRAM.
inline model::MachineParams dram_machine() {
  model::MachineParams m = machine_of(1, 1, 1);
  m.chip.hbm.model = model::HbmModel::kDram;
  return m;
}

struct Stream {
  unsigned loads = 0, stores = 0;  // transfers on ring 0 and on ring 1; a single kind alternates between both
  std::uint32_t row = 4096;        // bytes of a partition in one transfer
  std::uint64_t bytes_of_one() const { return std::uint64_t{128} * row; }
};

// Argument 0 is the source of loads, argument 1 the destination of stores. Loads and stores have separate
// SBUF.
inline std::shared_ptr<const isa::Program> stream_program(const Stream& s) {
  auto program = std::make_shared<isa::Program>();
  program->args = {"in", "out"};
  const auto columns = static_cast<std::int32_t>(s.row / 4);
  const auto add = [&](bool store, unsigned n, std::uint8_t ring) {
    isa::DmaSide hbm{isa::Space::kHbm, isa::DType::kFp32, 0, 0, 0, 0, {columns, 0, 0, 1}};
    hbm.arg = store ? 1 : 0;
    hbm.offset = n * s.bytes_of_one();
    isa::DmaSide sbuf{isa::Space::kSbuf, isa::DType::kFp32, 0, isa::kNone, 0, 0, {0, 0, 0, 1}};
    sbuf.offset = store ? 0 : 0x10000;
    isa::Descriptor d;
    d.count = {128, 1, 1, s.row / 4};
    d.src = store ? sbuf : hbm;
    d.dst = store ? hbm : sbuf;
    isa::Instruction i;
    i.op = isa::Opcode::kDmaCopy;
    i.ring = ring;
    i.descriptor = static_cast<std::uint32_t>(program->descriptors.size());
    program->descriptors.push_back(d);
    program->stream(ring == 0 ? isa::Queue::kSync : isa::Queue::kScalar).push_back(i);
  };
  const bool both = s.loads > 0 && s.stores > 0;
  for (unsigned n = 0; n < s.loads; ++n) add(false, n, static_cast<std::uint8_t>(both ? 0 : n % 2));
  for (unsigned n = 0; n < s.stores; ++n) add(true, n, static_cast<std::uint8_t>(both ? 1 : n % 2));
  return program;
}

// Packets of all cores, by the time at which an engine has read them.
struct PacketTimes : base::ProbeObserver {
  struct Packet {
    base::Time start, read, written;
    std::uint64_t bytes;
  };
  std::map<std::uint32_t, std::vector<Packet>> cores;
  void packet(const base::PacketActivity& p) override {
    cores[p.core].push_back({p.start, p.read_done, p.write_done, p.bytes});
  }
  void semaphore(const base::SemaphoreActivity&) override {}

  // Bytes per nanosecond of a core between two times.
  double rate(std::uint32_t core, base::Time from, base::Time to) const {
    std::uint64_t bytes = 0;
    for (const Packet& p : cores.at(core))
      if (p.read > from && p.read <= to) bytes += p.bytes;
    return static_cast<double>(bytes) / (to - from).ns();
  }
};

struct PlacedTraffic {
  std::uint32_t core = 0, stack = 0;
  Stream stream;
};

struct Streamed {
  base::RunMeasurement run;
  PacketTimes packets;

  // Measures the middle half of the run, in which every stream is active.
  double rate(std::uint32_t core) const {
    const base::Time from{run.elapsed.fs / 4}, to{run.elapsed.fs / 4 * 3};
    return packets.rate(core, from, to);
  }
};

// Tensors of 1 GiB in the stacks: two for each core, one to load from and one to store to.
inline Streamed stream(const model::MachineParams& machine, const std::vector<PlacedTraffic>& all,
                       model::Mode mode = model::Mode::kTiming, bool run_ahead = true) {
  model::System system(machine, mode, run_ahead);
  Streamed r;
  system.observe(&r.packets);
  for (const PlacedTraffic& p : all) {
    std::array<std::uint64_t, isa::kArguments> arguments{};
    for (std::uint64_t a = 0; a < 2; ++a)
      arguments[a] = isa::GlobalAddress{0, p.stack, (2 * p.core + a) << 30}.bits();
    system.load(p.core, stream_program(p.stream), arguments);
  }
  r.run = system.run();
  return r;
}

}  // namespace tahoma::tests
