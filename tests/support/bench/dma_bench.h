// SPDX-License-Identifier: Apache-2.0
// The DMA engines of one core and the network of its chip between memories that answer at once or late, as
// the test wants, with the same times. One chip has two cores, two stacks and two dies; core 0 is on die 0
// next to stack 0. There is no other chip: packets to one are counted and dropped.
#pragma once

#include <fmt/format.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <random>
#include <sstream>

#include "model/base/error.h"
#include "model/engine/dma/dma_rings.h"
#include "model/link/on_chip_network.h"
#include "model/memory/scratchpad/scratchpad.h"
#include "model/sim/time.h"
#include "tests/support/bench/recorded_activity.h"

namespace tahoma::tests {

enum class Answers { kAtOnce, kInOrder, kAnyTime, kLast };

// A memory whose latencies depend only on the address.
struct SlowMemory : sc_core::sc_module {
  struct Access {
    bool write = false;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0, engine = 0, rows = 0;
    base::Time arrival{0}, last{0};
  };
  tlm_utils::multi_passthrough_target_socket<SlowMemory> port{"port"};
  std::vector<Access> accesses;  // in order of arrival

  SlowMemory(sc_core::sc_module_name name, Answers answers) : sc_module(name), answers_(answers), random_(7) {
    port.register_nb_transport_fw(this, &SlowMemory::on_request);
    SC_HAS_PROCESS(SlowMemory);
    SC_METHOD(answer);
    sensitive << due_;
    dont_initialize();
  }

 private:
  struct Pending {
    sim::Payload* payload;
    base::Time when;
  };

  tlm::tlm_sync_enum on_request(int, sim::Payload& p, tlm::tlm_phase&, sc_core::sc_time& delay) {
    const base::Time arrival = sim::now() + sim::from_systemc(delay);
    sim::PacketInfo& info = sim::info_of(p);
    std::mt19937_64 law(p.get_address() * 2 + (p.is_read() ? 1 : 0));
    const base::Duration wait{static_cast<std::int64_t>(law() % 600'000'000)};  // below 600 ns
    if (p.is_read()) {
      info.first = arrival + wait;
      info.last = info.first + base::Duration{static_cast<std::int64_t>(p.get_data_length()) * 10'000};
    } else {
      info.held += wait;
      info.last = std::max(info.last, arrival + wait);
    }
    accesses.push_back({!p.is_read(), p.get_address(), p.get_data_length(), info.engine, info.rows.rows(),
                        arrival, info.last});
    if (answers_ == Answers::kAtOnce) return tlm::TLM_COMPLETED;
    const std::int64_t until = (info.last - sim::now()).fs;
    const std::int64_t after = answers_ == Answers::kLast      ? until
                               : answers_ == Answers::kInOrder ? std::min<std::int64_t>(until, 1)
                                                               : static_cast<std::int64_t>(random_()) % until;
    pending_.push_back({&p, sim::now() + base::Duration{std::abs(after)}});
    sim::notify_at(due_, pending_.back().when);
    return tlm::TLM_ACCEPTED;
  }

  void answer() {
    for (std::size_t n = 0; n < pending_.size();) {
      if (pending_[n].when > sim::now()) {
        ++n;
        continue;
      }
      sim::Payload* p = pending_[n].payload;
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(n));
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      port[0]->nb_transport_bw(*p, phase, delay);
      n = 0;
    }
    for (const Pending& p : pending_) sim::notify_at(due_, p.when);
  }

  Answers answers_;
  std::mt19937_64 random_;
  std::vector<Pending> pending_;
  sc_core::sc_event due_;
};

struct DmaBench : sc_core::sc_module, sim::BackdoorIf, sim::RetireIf {
  const Answers answers;
  model::MachineParams machine;
  sim::PayloadPool pool;
  sim::Meter meter;
  ActivityLog log;
  SlowMemory near{"near", answers}, far{"far", answers};  // stacks 0 and 1
  model::Scratchpad sbuf{128, 1 << 16}, psum{128, 1 << 14};
  sim::SemaphoreFile semaphores{"semaphores", 0, &meter}, others{"others", 1, &meter};
  model::OnChipNetwork network;
  model::DmaRings dma, neighbour;  // of cores 0 and 1
  tlm_utils::simple_target_socket<DmaBench> fabric{"fabric"};
  tlm_utils::simple_initiator_socket<DmaBench> arriving{"arriving"};
  std::uint64_t sent = 0;  // packets into the fabric

  DmaBench(const model::MachineParams& m, Answers a, sc_core::sc_module_name name = "bench")
      : sc_module(name),
        answers(a),
        machine(in_femtoseconds(m)),
        network("network", place_of(machine), pool, meter),
        dma("dma", {0, 0, false}, machine.chip.core.dma, pool, meter),
        neighbour("neighbour", {1, 0, false}, machine.chip.core.dma, pool, meter) {
    log.watch(meter);
    network.stack(0).bind(near.port);
    network.stack(1).bind(far.port);
    network.semaphores(semaphores);
    network.semaphores(others);
    for (model::DmaRings* rings : {&dma, &neighbour}) {
      rings->network.bind(network.dma);
      rings->semaphores(rings == &dma ? semaphores : others);
      rings->hbm(*this);
      rings->sbuf(sbuf);
      rings->psum(psum);
      rings->retire(*this);
    }
    network.inject.bind(fabric);
    arriving.bind(network.landed);
    fabric.register_nb_transport_fw(this, &DmaBench::into_fabric);
  }

  // Call it when everything is bound: rings core 0's doorbell at time zero.
  void ring(const model::TransferRequest& request) {
    start();
    dma.ring(request);
  }

  // Runs and returns the events as text: equal text means equal times.
  std::string run() {
    sc_core::sc_start();
    meter.rethrow();
    std::ostringstream text;
    for (const auto& [engine, packets] : log.engines)
      for (const auto& p : packets)
        text << fmt::format("{} {} {} {} {} {}\n", engine, p.ring, p.bytes, p.start.fs, p.read_done.fs,
                            p.write_done.fs);
    for (auto [semaphore, times] : log.changes) {
      std::sort(times.begin(), times.end());
      for (const base::Time t : times) text << fmt::format("s{} {}\n", semaphore, t.fs);
    }
    const auto d = dma.measure();
    text << fmt::format("{} {} {} {} {}\n", meter.last_effect.fs, d.packets, d.active.fs, d.busy.fs,
                        d.blocked_memory.fs);
    return text.str();
  }

  // A write from another chip, followed by a semaphore of core 0, which arrives now.
  void land(std::uint64_t address, std::uint32_t bytes, std::uint8_t semaphore,
            const sim::Checksum& checksum = {}) {
    start();
    sim::Payload* p = pool.take(tlm::TLM_WRITE_COMMAND, address, bytes);
    sim::PacketInfo& info = sim::info_of(*p);
    info.notify = sim::Notify{0, semaphore, 0, 1};
    info.rows.start(bytes);
    info.carried = bytes;
    info.checksum = checksum;
    info.from_chip = 1;
    info.engine = semaphore;  // the first of each engine
    info.tail = sim::now();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    arriving->nb_transport_fw(*p, phase, delay);
    p->release();
  }

  void check(std::uint64_t, std::uint64_t) const override {}
  std::byte* at(std::uint64_t, std::uint64_t) override { return nullptr; }
  sim::KnownBytes& known() override { return known_; }
  void something_ended() override {}

 private:
  // Call it before the first module is constructed.
  static const model::MachineParams& in_femtoseconds(const model::MachineParams& m) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    return m;
  }
  static model::OnChipNetwork::Place place_of(const model::MachineParams& m) {
    const model::NocParams& noc = m.chip.noc;
    return {0, 2, 2, 2, 2, noc.request, noc.response, noc.cross_die, m.link.router, noc.cross_die_bandwidth};
  }
  tlm::tlm_sync_enum into_fabric(sim::Payload&, tlm::tlm_phase& phase, sc_core::sc_time&) {
    ++sent;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void start() {
    if (!started_) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    started_ = true;
  }
  bool started_ = false;
  sim::KnownBytes known_;
};

}  // namespace tahoma::tests
