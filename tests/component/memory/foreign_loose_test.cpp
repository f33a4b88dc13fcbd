// SPDX-License-Identifier: Apache-2.0
// External loosely timed models at the ports of HBM: the convenience sockets of TLM-2.0 convert their
// blocking calls into the base protocol.
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>

#include "model/memory/foreign/foreign_port.h"
#include "model/memory/foreign/foreign_stack.h"
#include "model/memory/hbm/flat_stack.h"
#include "model/system/machine/stack_maker.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using namespace tahoma::tests;
using namespace tahoma::base::literals;
using base::Duration, base::Time;

namespace {

// Stores bytes in no time except `wait`, and implements only the blocking calls: the convenience socket
// answers ours.
struct LooseMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<LooseMemory> port{"port"};
  std::map<std::uint64_t, unsigned char> bytes;
  std::uint64_t calls = 0;

  explicit LooseMemory(sc_core::sc_module_name name) : sc_module(name) {
    port.register_b_transport(this, &LooseMemory::transport);
    port.register_transport_dbg(this, &LooseMemory::debug);
  }

 private:
  void transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    debug(p);
    ++calls;
    delay += sc_core::sc_time(40, sc_core::SC_NS);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& p) {
    for (unsigned n = 0; n < p.get_data_length(); ++n) {
      unsigned char& here = bytes[p.get_address() + n];
      (p.is_write() ? here : p.get_data_ptr()[n]) = p.is_write() ? p.get_data_ptr()[n] : here;
    }
    return p.get_data_length();
  }
};

struct LooseStack : model::ForeignStack {
  LooseMemory memory{"memory"};
  LooseStack(sc_core::sc_module_name name, const model::StackSite& site)
      : ForeignStack(name, {site.params, site.meter, 64_B, 16}, site.faults) {
    bursts.bind(memory.port);
  }
};

}  // namespace

TEST_CASE("foreign memory: a loosely timed one serves a burst after the other", "[memory][tlm]") {
  std::vector<LooseStack*> theirs;
  model::System system(machine_of(2, 1, 1), model::Mode::kFunctional, true, {},
                       [&](const model::StackSite& site) {
                         auto stack = std::make_unique<LooseStack>(site.name, site);
                         theirs.push_back(stack.get());
                         return stack;
                       });
  REQUIRE(theirs.size() == 8);
  CHECK(std::string(theirs[6]->memory.name()) == "server0.chip01.hbm2.memory");
  // To the other chip, and back to this one when it is there.
  const std::string program = R"(.program p
.args a far b
sync:
  dma_copy shape=16x75 dst=sbuf[0, 0x0]:fp32 src=a:fp32 update=s0+=1
  dma_copy shape=16x75 dst=far:fp32 src=sbuf[0, 0x0]:fp32 wait=s0>=16 update=s1+=1
  dma_copy shape=16x75 dst=b:fp32 src=sbuf[0, 0x0]:fp32 wait=s1>=16 update=s2+=1
)";
  std::array<std::uint64_t, isa::kArguments> arguments{};
  arguments[1] = isa::GlobalAddress{1, 2, 1 << 20}.bits();
  arguments[2] = isa::GlobalAddress{0, 3, 1 << 20}.bits();
  std::vector<unsigned char> sent(16 * 75 * 4);
  for (std::size_t n = 0; n < sent.size(); ++n) sent[n] = static_cast<unsigned char>(n * 37 + n / 256);
  std::memcpy(system.hbm(0, sent.size()), sent.data(), sent.size());
  system.load(0, text_program(program), arguments);
  const auto run = system.run();
  for (const std::size_t stack : {0, 6, 3}) {
    CAPTURE(stack);
    LooseMemory& memory = theirs[stack]->memory;
    std::vector<unsigned char> held(sent.size());
    for (std::size_t n = 0; n < held.size(); ++n) held[n] = memory.bytes[(stack == 0 ? 0 : 1 << 20) + n];
    CHECK(held == sent);
    CHECK(memory.calls >= sent.size() / 64);
    // No END_REQ, so that each burst waits for the previous response.
    CHECK(run.hbm[stack].busy.ns() == Approx(static_cast<double>(memory.calls) * 40).epsilon(1e-9));
  }
}

namespace {

// Blocking transport and the debug transport, as a loosely timed initiator uses them.
struct Loose : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Loose> port{"port"};
  unsigned char written[5] = {1, 2, 3, 4, 5}, read[5] = {}, seen[5] = {};
  unsigned debugged = 0;
  Time took{0};

  explicit Loose(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(Loose);
    SC_THREAD(go);
  }

 private:
  static void fill(tlm::tlm_generic_payload& p, tlm::tlm_command command, unsigned char* data) {
    p.set_command(command);
    p.set_address(77);
    p.set_data_ptr(data);
    p.set_data_length(5);
    p.set_streaming_width(5);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  void go() {
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    fill(p, tlm::TLM_WRITE_COMMAND, written);
    port->b_transport(p, delay);
    const Time from = sim::now();
    fill(p, tlm::TLM_READ_COMMAND, read);
    port->b_transport(p, delay);
    took = sim::now() + sim::from_systemc(delay) - from;
    fill(p, tlm::TLM_READ_COMMAND, seen);
    debugged = port->transport_dbg(p);
  }
};

}  // namespace

TEST_CASE("foreign initiator: blocking and debug transport see the same bytes", "[memory][tlm]") {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const model::MachineParams machine = machine_of(1, 1, 1);
  const model::HbmParams& p = machine.chip.hbm;
  sim::PayloadPool pool;
  sim::Meter meter;
  model::FlatStack stack("stack", p, {});
  model::ForeignPort port("adaptor", {stack, 0, Duration{0}, 2, pool, meter});
  Loose loose("loose");
  loose.port.bind(port.foreign);
  sc_core::sc_start();
  meter.rethrow();
  CHECK(std::equal(std::begin(loose.read), std::end(loose.read), std::begin(loose.written)));
  CHECK(std::equal(std::begin(loose.seen), std::end(loose.seen), std::begin(loose.written)));
  CHECK(loose.debugged == 5);
  CHECK(loose.took == p.bandwidth.time_for(5_B) + p.read_latency);
}
