// SPDX-License-Identifier: Apache-2.0
// Transfers that read other chips' memory or add to it, against a network that answers for those chips late.
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>

#include "isa/core/program.h"
#include "model/engine/dma/dma_rings.h"
#include "model/memory/scratchpad/scratchpad.h"
#include "model/sim/time.h"
#include "tests/support/bench/recorded_activity.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using base::Duration, base::Time;
using isa::DType, isa::Space;

namespace {

constexpr Duration kNear = 100_ns;

// Chip 0's memory answers at once; a remote one answers long after the request, in any order.
struct Network : sc_core::sc_module, sim::BackdoorIf, sim::RetireIf {
  struct Access {
    bool write, far;
    std::uint64_t address;
    std::uint32_t bytes;
    Time at, last, needed;
  };
  const Duration latency;
  model::MachineParams machine = tests::machine_of(2, 1, 1);
  sim::PayloadPool pool;
  sim::Meter meter;
  tests::ActivityLog log;
  model::Scratchpad sbuf{128, 1 << 16}, psum{128, 1 << 14};
  sim::SemaphoreFile semaphores{"semaphores", 0, &meter};
  tlm_utils::multi_passthrough_target_socket<Network> port{"port"};
  std::unique_ptr<model::DmaRings> dma;
  std::vector<Access> accesses;

  // Answers stay in order: they do not overtake each other.
  explicit Network(Duration far, bool in_order = false, sc_core::sc_module_name name = "network")
      : sc_module(name), latency(far), in_order_(in_order) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    port.register_nb_transport_fw(this, &Network::on_request);
    SC_HAS_PROCESS(Network);
    SC_METHOD(answer);
    sensitive << due_;
    dont_initialize();
    log.watch(meter);
    dma = std::make_unique<model::DmaRings>("dma", model::DmaRings::Place{0, 0, false}, machine.chip.core.dma,
                                            pool, meter);
    dma->network.bind(port);
    dma->semaphores(semaphores);
    dma->hbm(*this);
    dma->sbuf(sbuf);
    dma->psum(psum);
    dma->retire(*this);
  }

  void run(const model::TransferRequest& request) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    dma->ring(request);
    sc_core::sc_start();
    sc_core::sc_start(sim::to_systemc(10_us));  // until the last increments are visible
    meter.rethrow();
  }
  std::vector<Access> those(bool write, bool far) const {
    std::vector<Access> some;
    std::copy_if(accesses.begin(), accesses.end(), std::back_inserter(some),
                 [&](const Access& a) { return a.write == write && a.far == far; });
    return some;
  }
  static std::uint64_t bytes(const std::vector<Access>& list) {
    std::uint64_t sum = 0;
    for (const Access& a : list) sum += a.bytes;
    return sum;
  }

  void check(std::uint64_t, std::uint64_t) const override {}
  std::byte* at(std::uint64_t, std::uint64_t) override { return nullptr; }
  sim::KnownBytes& known() override { return known_; }
  void something_ended() override {}

 private:
  tlm::tlm_sync_enum on_request(int, sim::Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const Time arrival = sim::now() + sim::from_systemc(delay);
    const bool far = isa::GlobalAddress::from(p.get_address()).chip != 0;
    sim::PacketInfo& info = sim::info_of(p);
    const bool waits = far && p.is_read();
    info.first = info.last = arrival + (waits ? latency - Duration{latency.fs / 3} * turn_ : kNear);
    if (waits && !in_order_) turn_ = (turn_ + 1) % 3;
    accesses.push_back(
        {p.is_write(), far, p.get_address(), p.get_data_length(), arrival, info.last, info.needed});
    if (waits) {
      pending_.push_back(&p);
      sim::notify_at(due_, info.last);
      return tlm::TLM_ACCEPTED;
    }
    phase = far ? tlm::END_REQ : phase;
    return far ? tlm::TLM_UPDATED : tlm::TLM_COMPLETED;
  }

  void answer() {
    for (std::size_t n = 0; n < pending_.size();) {
      sim::Payload* p = pending_[n];
      if (sim::info_of(*p).last > sim::now()) {
        ++n;
        continue;
      }
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(n));
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      port[0]->nb_transport_bw(*p, phase, delay);
      n = 0;
    }
    for (sim::Payload* p : pending_) sim::notify_at(due_, sim::info_of(*p).last);
  }

  bool in_order_;
  std::int64_t turn_ = 0;
  std::vector<sim::Payload*> pending_;
  sc_core::sc_event due_;
  sim::KnownBytes known_;
};

constexpr std::uint32_t kElements = 1 << 18;
constexpr std::uint64_t kBytes = 4 * kElements;

isa::Descriptor descriptor() {
  const isa::DmaSide side{Space::kHbm, DType::kFp32, 0, 0, 0, 0, {0, 0, 0, 1}};
  return {{1, 1, 1, kElements}, side, side, false};
}
std::uint64_t on_chip(std::uint32_t chip, std::uint64_t offset) {
  return isa::GlobalAddress{chip, 0, offset}.bits();
}
model::TransferRequest request_of(const std::vector<isa::Descriptor>& sources, std::uint64_t dst,
                                  std::uint64_t src) {
  model::TransferRequest r;
  r.sources = sources;
  r.dst = dst;
  r.src = src;
  r.notify = sim::Notify{0, 1, 0, 1};
  return r;
}

}  // namespace

TEST_CASE("dma remote: a transfer from another chip requests data there and writes them here on arrival",
          "[dma]") {
  Network net(2_us);
  const std::vector<isa::Descriptor> d{descriptor()};
  net.run(request_of(d, on_chip(0, 0), on_chip(1, 1 << 30)));
  const auto far = net.those(false, true), near = net.those(true, false);
  CHECK(Network::bytes(far) == kBytes);
  CHECK(Network::bytes(near) == kBytes);
  CHECK(net.accesses.size() == far.size() + near.size());
  CHECK(std::all_of(far.begin(), far.end(), [](const auto& a) { return a.needed == Time{0}; }));
  for (const auto& w : near) {  // at the earliest when its read was answered
    const auto r = std::find_if(far.begin(), far.end(),
                                [&](const auto& a) { return a.address - on_chip(1, 1 << 30) == w.address; });
    REQUIRE(r != far.end());
    CHECK(w.at >= r->last);
  }
  CHECK(net.log.changes.at(1).size() == 16);
  CHECK(net.dma->idle());
}

TEST_CASE("dma remote: the read window limits an engine's requests to another chip", "[dma]") {
  Network net(20_us, true);
  const std::vector<isa::Descriptor> d{descriptor()};
  net.run(request_of(d, on_chip(0, 0), on_chip(1, 0)));
  // 64 KiB per engine, 24 KiB at a time: three times the latency.
  const Time end = *std::max_element(net.log.changes.at(1).begin(), net.log.changes.at(1).end());
  CHECK(end > Time{0} + 60_us);
  CHECK(end < Time{0} + 65_us);
}

TEST_CASE("dma remote: an accumulation into another chip reads there and sends the sum", "[dma]") {
  Network net(2_us);
  isa::Descriptor adds = descriptor();
  adds.accumulate = true;
  const std::vector<isa::Descriptor> d{adds};
  net.run(request_of(d, on_chip(1, 0), on_chip(0, 0)));
  const auto held = net.those(false, true), sent = net.those(true, true);
  CHECK(Network::bytes(net.those(false, false)) == kBytes);
  CHECK(Network::bytes(held) == kBytes);
  CHECK(Network::bytes(sent) == kBytes);
  CHECK(net.those(true, false).empty());
  for (const auto& s : sent) {
    const auto r =
        std::find_if(held.begin(), held.end(), [&](const auto& a) { return a.address == s.address; });
    REQUIRE(r != held.end());
    CHECK(s.at >= r->last);
  }
  CHECK(net.dma->idle());
}

TEST_CASE("dma remote: a fold takes sources from several chips", "[dma]") {
  Network net(2_us);
  const std::vector<isa::Descriptor> d{descriptor(), descriptor(), descriptor()};
  model::TransferRequest r = request_of(d, on_chip(0, 1 << 30), on_chip(0, 0));
  r.more_src = {on_chip(1, 0), on_chip(1, 1 << 30)};
  net.run(r);
  CHECK(Network::bytes(net.those(false, true)) == 2 * kBytes);
  CHECK(Network::bytes(net.those(false, false)) == kBytes);
  CHECK(Network::bytes(net.those(true, false)) == kBytes);
}

TEST_CASE("dma: a separate update on read occurs when an engine has read, independently of the data",
          "[dma]") {
  Network net(2_us);
  const std::vector<isa::Descriptor> d{descriptor()};
  model::TransferRequest r = request_of(d, on_chip(0, 1 << 30), on_chip(0, 0));
  r.notify_read = sim::Notify{0, 2, 0, 3};
  net.run(r);
  const model::DmaParams& p = net.machine.chip.core.dma;
  std::vector<Time> read, told = net.log.changes.at(2);
  for (const auto& [engine, packets] : net.log.engines)
    read.push_back(model::semaphore_visible(packets.back().read_done, p));
  std::sort(read.begin(), read.end());
  std::sort(told.begin(), told.end());
  REQUIRE(told.size() == 16);
  Time free{0};  // increments keep their spacing
  for (std::size_t n = 0; n < 16; ++n) {
    free = std::max(read[n], free);
    CHECK(told[n] == free);
    free = free + 12.5_ns;
  }
  CHECK(net.semaphores.value(2) == 48);
  CHECK(net.semaphores.value(1) == 16);
}
