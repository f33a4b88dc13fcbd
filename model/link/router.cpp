// SPDX-License-Identifier: Apache-2.0
#include "model/link/router.h"

#include <algorithm>
#include <string>

#include "isa/program.h"
#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::model {
namespace {

base::Bandwidth rate_of(const LinkParams& params, Port port) {
  const std::array<base::Bandwidth, 3> rates{params.x, params.y, params.z};
  return rates[axis_of(port)];
}

}  // namespace

Router::Router(sc_core::sc_module_name name, std::uint32_t chip, const Torus& torus, const LinkParams& params,
               sim::Meter& meter)
    : sc_module(name), chip_(chip), torus_(torus), meter_(meter) {
  in.register_nb_transport_fw(this, &Router::on_request);
  for (std::size_t p = 0; p < kPorts; ++p) {
    const Port port = static_cast<Port>(p);
    if (!torus.has(port)) continue;
    const LinkPort::Place place{port, chip, torus.neighbour(chip, port)};
    ports_[p] = std::make_unique<LinkPort>(std::string(name_of(port)).c_str(), place, rate_of(params, port),
                                           params, static_cast<PlaceWatcher&>(*this), meter);
  }
  SC_HAS_PROCESS(Router);
  SC_METHOD(wake);
  sensitive << due_;
  dont_initialize();
}

void Router::expect_input(std::optional<Port> travelling) { inputs_.push_back(travelling); }

tlm::tlm_sync_enum Router::on_request(int input, sim::Payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time&) {
  TAHOMA_INVARIANT(phase == tlm::BEGIN_REQ, std::string(name()) + ": unexpected phase");
  const std::uint32_t to = isa::GlobalAddress::from(payload.get_address()).chip;
  phase = tlm::END_REQ;
  if (to == chip_) {
    eject(payload);
    return tlm::TLM_UPDATED;
  }
  const Port out = torus_.route(chip_, to);
  LinkPort& next = *port(out);
  auto& waiting = refused_[static_cast<std::size_t>(out)];
  if (next.has_place(continuing(input, out))) {
    next.put(payload);
    return tlm::TLM_UPDATED;
  }
  waiting.push_back({input, &payload});
  next.refused(true);
  phase = tlm::BEGIN_REQ;
  return tlm::TLM_ACCEPTED;
}

void Router::place_free(Port out) {
  auto& waiting = refused_[static_cast<std::size_t>(out)];
  LinkPort& next = *port(out);
  for (std::size_t n = 0; n < waiting.size();) {
    if (!next.has_place(continuing(waiting[n].input, out))) {
      ++n;
      continue;
    }
    const Refused r = waiting[n];
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(n));
    r.payload->acquire();  // the sender lets go of it in the grant
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    in[r.input]->nb_transport_bw(*r.payload, phase, delay);
    next.put(*r.payload);
    r.payload->release();
  }
  next.refused(!waiting.empty());
}

void Router::eject(sim::Payload& payload) {
  payload.acquire();
  const auto tail = [](const sim::Payload* p) { return sim::info_of(*const_cast<sim::Payload*>(p)).tail; };
  const auto after =
      std::upper_bound(ejecting_.begin(), ejecting_.end(), &payload,
                       [&](const sim::Payload* a, const sim::Payload* b) { return tail(a) < tail(b); });
  ejecting_.insert(after, &payload);
  sim::notify_at(due_, std::max(sim::info_of(*ejecting_.front()).tail, sim::now()));
}

void Router::wake() {
  meter_.guard(name(), [this] { deliver_due(); });
}

void Router::deliver_due() {
  ++meter_.link_activations;
  while (!ejecting_.empty() && sim::info_of(*ejecting_.front()).tail <= sim::now()) {
    sim::Payload* p = ejecting_.front();
    ejecting_.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    deliver->nb_transport_fw(*p, phase, delay);
    p->release();
  }
  if (!ejecting_.empty()) sim::notify_at(due_, sim::info_of(*ejecting_.front()).tail);
}

}  // namespace tahoma::model
