// SPDX-License-Identifier: Apache-2.0
#include "model/system/statistics/fabric_traffic.h"

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <random>

#include "model/base/error.h"
#include "model/sim/time.h"
#include "model/system/machine/fabric.h"

namespace tahoma::model {
namespace {

using base::Duration, base::Time;

struct Slots {
  Duration length;
  std::uint64_t first_measured, end;
  bool measures(Time made) const {
    return made >= Time{0} + length * static_cast<std::int64_t>(first_measured);
  }
};

struct Tally {
  std::uint64_t packets = 0, bytes = 0;  // measured; and arrived while measuring
  Duration sum{0}, longest{0};
  std::uint64_t links = 0;
  Time last{0};  // byte at any sink
};

// Takes the position of a chip.
class Endpoint : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Endpoint> inject{"inject"};
  tlm_utils::simple_target_socket<Endpoint> landed{"landed"};

  struct Shared {
    const Fabric& fabric;
    const LinkParams& params;
    const FabricTraffic& traffic;
    Slots slots;
    sim::PayloadPool& pool;
    sim::Meter& meter;
    Tally& tally;
  };
  Endpoint(sc_core::sc_module_name name, std::uint32_t chip, const Shared& shared)
      : sc_module(name), chip_(chip), shared_(shared), random_(shared.traffic.seed * 1'000'003 + chip) {
    inject.register_nb_transport_bw(this, &Endpoint::on_credit);
    landed.register_nb_transport_fw(this, &Endpoint::on_landed);
    SC_HAS_PROCESS(Endpoint);
    SC_METHOD(wake);
    sensitive << wake_;
  }

 private:
  // A probability as 64 bits, which is the same on every host.
  bool makes_one() {
    const double p = shared_.traffic.injection / static_cast<double>(shared_.traffic.flits);
    return static_cast<double>(random_() >> 11) * 0x1p-53 < p;
  }

  std::uint32_t destination() {
    const base::Topology& t = shared_.fabric.topology;
    if (shared_.traffic.pattern == FabricPattern::kUniform)
      return static_cast<std::uint32_t>(random_() % t.chips());
    if (shared_.traffic.pattern == FabricPattern::kBitcomp) return t.chips() - 1 - chip_;
    auto place = t.at(chip_);
    for (unsigned axis = 0; axis < t.axes().size(); ++axis) {
      const std::uint32_t n = t.size(axis);
      const std::uint32_t step = shared_.traffic.pattern == FabricPattern::kNeighbor ? 1 : n / 2;
      place[axis] = (place[axis] + step) % n;
    }
    return t.chip(place);
  }

  void wake() {
    shared_.meter.guard(name(), [this] {
      for (; slot_ < shared_.slots.end; ++slot_) {
        const Time now = Time{0} + shared_.slots.length * static_cast<std::int64_t>(slot_);
        if (now > sim::now()) break;
        if (makes_one()) make(destination());
      }
      if (slot_ < shared_.slots.end)
        sim::notify_at(wake_, Time{0} + shared_.slots.length * static_cast<std::int64_t>(slot_));
      offer();
    });
  }

  void make(std::uint32_t to) {
    const std::uint64_t bytes = shared_.traffic.flit.count * shared_.traffic.flits;
    sim::Payload* p = shared_.pool.take(tlm::TLM_WRITE_COMMAND, 0, static_cast<std::uint32_t>(bytes));
    sim::PacketInfo& info = sim::info_of(*p);
    info.from_chip = info.source_core = chip_;
    info.to_chip = to;
    info.carried = static_cast<std::uint32_t>(bytes);
    info.engine = static_cast<std::uint32_t>(made_++);
    info.first = sim::now();
    queue_.push(p);
  }

  void offer() {
    while (!queue_.empty() && !waits_) {
      sim::PacketInfo& info = sim::info_of(*queue_.front());
      info.head = info.tail = sim::now() + shared_.params.router;
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      waits_ = inject->nb_transport_fw(*queue_.front(), phase, delay) != tlm::TLM_UPDATED;
      if (!waits_) sent();
    }
  }

  void sent() {
    queue_.front()->release();
    queue_.pop();
  }

  tlm::tlm_sync_enum on_credit(sim::Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    sim::PacketInfo& info = sim::info_of(payload);
    info.head = info.tail = std::max(info.head, sim::now() + shared_.params.router);
    waits_ = false;
    sent();
    if (!queue_.empty()) sim::notify_at(wake_, sim::now());
    return tlm::TLM_ACCEPTED;
  }

  tlm::tlm_sync_enum on_landed(sim::Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    const sim::PacketInfo& info = sim::info_of(payload);
    TAHOMA_INVARIANT(info.to_chip == chip_, std::string(name()) + ": packet landed on the wrong chip");
    Tally& t = shared_.tally;
    t.last = std::max(t.last, info.tail);
    const Time end = Time{0} + shared_.slots.length * static_cast<std::int64_t>(shared_.slots.end);
    if (shared_.slots.measures(info.tail) && info.tail <= end) t.bytes += info.carried;
    if (!shared_.slots.measures(info.first)) return tlm::TLM_ACCEPTED;
    const Duration latency = info.tail - info.first;
    ++t.packets;
    t.sum += latency;
    t.longest = std::max(t.longest, latency);
    if (info.from_chip != chip_) t.links += shared_.fabric.routes.hops(info.from_chip, chip_);
    return tlm::TLM_ACCEPTED;
  }

  std::uint32_t chip_;
  const Shared shared_;
  std::mt19937_64 random_;
  std::uint64_t slot_ = 0, made_ = 0;
  sim::Fifo<sim::Payload*> queue_;
  bool waits_ = false;  // for the router to take the first of the queue
  sc_core::sc_event wake_;
};

}  // namespace

FabricResult run_fabric_traffic(const MachineParams& params, const FabricTraffic& traffic) {
  TAHOMA_INVARIANT(!params.link.local.ideal, "traffic of a share of a rate without limit");
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  sim::PayloadPool pool;
  sim::Meter meter;
  Tally tally;
  Fabric fabric(params);
  const Slots slots{params.link.local.time_for(traffic.flit), traffic.warm_up,
                    traffic.warm_up + traffic.measured};
  const Endpoint::Shared shared{fabric, params.link, traffic, slots, pool, meter, tally};
  std::vector<std::unique_ptr<FabricNode>> nodes;
  std::vector<std::unique_ptr<Endpoint>> endpoints;
  std::vector<const FabricNode*> chips;
  for (std::uint32_t n = 0; n < fabric.topology.chips(); ++n) {
    nodes.push_back(fabric.make_node(fmt::format("router{}", n).c_str(), n, meter));
    chips.push_back(nodes.back().get());
  }
  fabric.connect(chips, meter);
  for (std::uint32_t n = 0; n < fabric.topology.chips(); ++n) {
    endpoints.push_back(std::make_unique<Endpoint>(fmt::format("endpoint{}", n).c_str(), n, shared));
    nodes[n]->bind_chip(endpoints.back()->inject, endpoints.back()->landed);
  }
  sc_core::sc_start();
  meter.rethrow();
  TAHOMA_INVARIANT(pool.in_use() == 0, "packets are left in the fabric");

  FabricResult result;
  const double slot = slots.length.seconds();
  const auto packets = static_cast<double>(std::max<std::uint64_t>(1, tally.packets));
  result.packets = tally.packets;
  result.latency = tally.sum.seconds() / slot / packets;
  result.longest = tally.longest.seconds() / slot;
  result.links = static_cast<double>(tally.links) / packets;
  result.accepted = static_cast<double>(tally.bytes) / static_cast<double>(traffic.flit.count) /
                    static_cast<double>(traffic.measured * fabric.topology.chips());
  result.measurements = fabric.measure(std::max(sim::now(), tally.last));
  return result;
}

}  // namespace tahoma::model
