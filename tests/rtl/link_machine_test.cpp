// SPDX-License-Identifier: Apache-2.0
// Collectives on machines whose links run in lock-step with ports in SystemVerilog.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "tests/support/in_child.h"
#include "tests/support/program/workload_run.h"
#include "workloads/collective/collective.h"

using namespace tahoma;
using namespace base::literals;
using tests::Settings;

namespace {

model::MachineParams machine_with(model::PortModel port) {
  model::MachineParams m = tests::machine_of(2, 2, 2);  // links of 128 and of 64 GB/s
  m.link.port.model = port;
  return m;
}

// The end of the run, and the traffic of every link.
std::string trace_of(const model::MachineParams& params, const Settings& settings, model::Mode mode) {
  const auto workload = tests::workload_with(workloads::make_collective, settings);
  workload->check(params);
  runtime::Machine machine(params, mode);
  workload->prepare(machine, 1);
  const base::RunMeasurement run = machine.run();
  if (mode == model::Mode::kFunctional && !workload->verify(machine).passed())
    return "the golden check failed";
  std::string trace = std::to_string(run.elapsed.fs);
  for (const base::LinkMeasurement& l : run.links)
    trace += fmt::format(" {}:{}:{}:{}", l.path, l.packets, l.wire_bytes, l.busy.fs);
  return trace;
}

std::string run(model::PortModel port, const Settings& settings, model::Mode mode) {
  return tests::in_child([&] { return trace_of(machine_with(port), settings, mode); });
}

// The ports' lock-step throws at the first difference.
void check_same(const Settings& settings, model::Mode mode) {
  const std::string clocked = run(model::PortModel::kClocked, settings, mode);
  CHECK(clocked.find(".link.zp:") != std::string::npos);
  CHECK(run(model::PortModel::kRtl, settings, mode) == clocked);
}

const Settings kAllReduce{
    {"operation", "all_reduce"}, {"bytes", "64 KiB"}, {"ranks", "chips"}, {"over", "machine"}};

}  // namespace

TEST_CASE("port=rtl: an all-reduce ends when it does on clocked ports, and every link carries the same",
          "[rtl][machine]") {
  check_same(kAllReduce, model::Mode::kFunctional);
}

TEST_CASE("port=clocked: packets wait for the edges of the clock", "[rtl][machine]") {
  CHECK(run(model::PortModel::kClocked, kAllReduce, model::Mode::kTiming) !=
        run(model::PortModel::kBehavioural, kAllReduce, model::Mode::kTiming));
}

TEST_CASE("port=rtl: an all-to-all ends when it does on clocked ports, and every link carries the same",
          "[rtl][machine]") {
  check_same({{"operation", "all_to_all"}, {"bytes", "256 KiB"}, {"ranks", "chips"}, {"over", "machine"}},
             model::Mode::kTiming);
}

TEST_CASE("port=rtl: links that the SystemVerilog does not support are refused", "[rtl][machine]") {
  const auto refusal = [](auto&& change) {
    model::MachineParams m = machine_with(model::PortModel::kRtl);
    change(m.link);
    return tests::in_child([&] {
      try {
        const runtime::Machine machine(m, model::Mode::kTiming);
      } catch (const base::UserError& e) {
        return e.code + " " + e.place;
      }
      return std::string("taken");
    });
  };
  using Link = model::LinkParams;
  CHECK(refusal([](Link&) {}) == "taken");
  CHECK(refusal([](Link& l) { l.port.word = 64_B; }) == "E-CFG-020 machine.link.port.word");
  CHECK(refusal([](Link& l) { l.header = 64_B; }) == "E-CFG-020 machine.link.header");
  CHECK(refusal([](Link& l) { l.packet = 100_B; }) == "E-CFG-020 machine.link.packet");
  CHECK(refusal([](Link& l) { l.vcs = 6; }) == "E-CFG-020 machine.link.vcs");
  CHECK(refusal([](Link& l) { l.vcs = 3, l.routing = model::Routing::kAdaptive; }) ==
        "E-CFG-020 machine.link.routing");
  CHECK(refusal([](Link& l) { l.x.ideal = true; }) == "E-CFG-020 machine.link");
  CHECK(refusal([](Link& l) { l.buffer = 4_MiB; }) == "E-CFG-020 machine.link.buffer");
  CHECK(refusal([](Link& l) { l.wire = 1_ns; }) == "E-CFG-020 machine.link.wire");
  CHECK(refusal([](Link& l) { l.wire = 200_ns; }) == "E-CFG-020 machine.link.wire");
}
