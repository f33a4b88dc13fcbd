// SPDX-License-Identifier: Apache-2.0
#include "model/system/machine/machine_params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "model/base/error.h"
#include "model/link/flits/flit_law.h"

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::chosen, base::derived, base::documented;

void TorusParams::declare(base::ParamTree& t) {
  const char* doc = "chips along this axis of the torus; z counts servers";
  t.add("x", x, std::uint64_t{4}, {1, 16}, doc, documented("trn2-arch.rst: 4x4 torus in a server"));
  t.add("y", y, std::uint64_t{4}, {1, 16}, doc, documented("trn2-arch.rst: 4x4 torus in a server"));
  t.add(
      "z", z, std::uint64_t{4}, {1, 64}, doc,
      documented(
          "trn2-arch.rst: 4 servers in an UltraServer, z rings of 4; Trainium3 has up to 36: trn3-arch.rst"));
}

void NocParams::declare(base::ParamTree& t) {
  const char* share =
      "half of the 104 ns that an unloaded read takes, less the stack's 36; even split assumed";
  t.add("request", request, 34_ns, {{0}, 100_us}, "a request from a DMA engine to a stack", assumed(share));
  t.add("response", response, 34_ns, {{0}, 100_us}, "data from a stack to a DMA engine", assumed(share));
  t.add("cross_die", cross_die, 100_ns, {{0}, 100_us}, "added to accesses of a stack on the other die",
        assumed("die-to-die links of this class; the measured 5.9 us of a sendrecv is a software handshake"));
  t.add("cross_die_bandwidth", cross_die_bandwidth, 1450_GBps, {{1'000'000, false}, 100'000_GBps},
        "data from one die to the other, each direction",
        assumed("what the two stacks of one die deliver; nothing is published"));
}

void ChipParams::declare(base::ParamTree& t) {
  t.add("cores", cores, std::uint64_t{8}, {1, 64}, "NeuronCores of one chip", documented("trainium2.rst"));
  t.add("dies", dies, std::uint64_t{2}, {1, 8}, "compute dies of one chip", documented("driver headers"));
  t.add("lnc", lnc, std::uint64_t{1}, {1, 2},
        "cores of one logical core; 2 lets cores 2 i and 2 i + 1 meet by sendrecv and core_barrier",
        assumed("workloads here place work on physical cores; Trn2 instances start with 2"));
  t.group("core", core);
  t.group("hbm", hbm);
  t.group("noc", noc);
  t.group("energy", energy);
  t.group("area", area);
}

void MachineParams::declare(base::ParamTree& t) {
  t.add("name", name, std::string("trainium2_ultraserver"), {}, "name of this machine in reports", chosen());
  t.group("torus", torus);
  t.group("chip", chip);
  t.group("link", link);
  t.group("rack", rack);
  t.add("time_limit", time_limit, 0_ns, {{0}, {3'600'000'000'000'000'000}},
        "simulated time after which a run is aborted; ideal: never",
        assumed("no limit unless the user sets one"));
  instances.declare(t, *this);
}

namespace {

template <class Faults>
Faults named(const std::map<std::string, Faults>& faults, const std::string& name) {
  const auto found = faults.find(name);
  return found == faults.end() ? Faults{} : found->second;
}

}  // namespace

void MachineParams::record(const base::WavesWindow& waves) {
  chip.core.tensor.waves = chip.core.dma.waves = link.port.waves = waves;
}

StackFaults MachineParams::faults_of(std::uint64_t chip_number, std::uint64_t stack) const {
  return named(instances.stacks, stack_name(*this, chip_number, stack));
}

LinkFaults MachineParams::faults_of_link(std::uint64_t chip_number, std::string_view port) const {
  LinkFaults faults = named(instances.links, link_name(*this, chip_number, port));
  faults.dead = faults.dead || is_dead(chip_number);
  return faults;
}

LinkFaults MachineParams::faults_of_switch_link(std::string_view switch_name, std::string_view port) const {
  return named(instances.switch_links, switch_link_name(switch_name, port));
}

double MachineParams::slowdown_of(std::uint64_t chip_number) const {
  return named(instances.chips, chip_name(*this, chip_number)).slow;
}

bool MachineParams::is_dead(std::uint64_t chip_number) const {
  return named(instances.chips, chip_name(*this, chip_number)).dead;
}

void MachineParams::refuse_dead(std::uint64_t chip_number, const std::string& what) const {
  if (!is_dead(chip_number)) return;
  throw base::UserError("E-RUN-055", fmt::format("machine.instances.{}.dead", chip_name(*this, chip_number)),
                        fmt::format("{}, but its chip is dead; expected programs and tensors on chips that "
                                    "work",
                                    what));
}

namespace {

void refuse(const std::string& path, const std::string& text) {
  throw base::UserError("E-CFG-020", path, text);
}

// The topologies for which adaptive routing is legal.
std::string adaptive_topologies(const base::MachineSize& size) {
  std::vector<std::string> names;
  for (const base::TopologyRow& row : base::topologies())
    if (row.refusal(size).empty() && row.make(size)->allows_adaptive()) names.emplace_back(row.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Every link of a network of flits carries one flit per cycle.
void check_healthy_links(const InstanceParams& instances) {
  const auto refuse_faults = [](const std::string& name) {
    refuse("machine.instances." + name, "expected links without faults (machine.link.port.model: flits)");
  };
  for (const auto& [name, faults] : instances.links)
    if (faults.dead || faults.rate < 1) refuse_faults(name);
  for (const auto& [name, faults] : instances.chips)
    if (faults.dead) refuse_faults(name);
}

// Checks virtual channels for the classes that keep the fabric free of deadlock, and buffers for whole
// packets.
void check_link(const LinkParams& link, const base::MachineSize& size, const DmaParams& dma) {
  const auto topology = link.fabric().make(size);
  const unsigned classes = topology->vc_classes();
  if (link.adaptive() && !topology->allows_adaptive())
    refuse("machine.link.routing", fmt::format("not on {}; adaptive routing needs one of {}",
                                               name_of(link.topology), adaptive_topologies(size)));
  if (link.adaptive() && link.vcs < classes + 1)
    refuse("machine.link.vcs", fmt::format("{} of them; adaptive routing on a {} needs at least {}", link.vcs,
                                           name_of(link.topology), classes + 1));
  if (!link.adaptive() && link.vcs % classes != 0)
    refuse("machine.link.vcs",
           fmt::format("{} of them; a {} needs a multiple of {}", link.vcs, name_of(link.topology), classes));
  if (link.sends_flits()) check_flits(link, *topology);
  const base::Bytes largest = link.on_wire(std::max(dma.packet.count, dma.collective_packet.count));
  const auto check_buffer = [&](const char* path, base::Bytes buffer) {
    if (buffer.count < largest.count)
      refuse(path, fmt::format("{} B do not hold the largest packet, {} B with its headers", buffer.count,
                               largest.count));
  };
  check_buffer("machine.link.buffer", link.buffer);
  for (base::PortIndex p = 0; p < topology->ports(0); ++p) {
    if (topology->port(0, p).rate != base::LinkRate::kEfa) continue;
    check_buffer("machine.link.efa.buffer", link.efa.buffer);
    if (link.in_rtl())
      refuse("machine.link.port.model",
             "the port in SystemVerilog is one of NeuronLink; expected another model "
             "where chips have network adapters (topology rails)");
  }
}

}  // namespace

namespace {

base::MachineSize size_of(const MachineParams& machine) {
  const TorusParams& torus = machine.torus;
  return {.x = static_cast<std::uint32_t>(torus.x),
          .y = static_cast<std::uint32_t>(torus.y),
          .z = static_cast<std::uint32_t>(torus.z),
          .links = machine.link.links};
}

}  // namespace

std::unique_ptr<const base::Topology> topology_of(const MachineParams& machine) {
  return machine.link.fabric().make(size_of(machine));
}

namespace {

// Checks the parameters that depend on the version of the core.
void check_core(const ChipParams& chip) {
  const CoreParams& core = chip.core;
  const bool v4 = core.version == isa::CoreVersion::kV4;
  if (core.tensor.moving_columns * 4 > (v4 ? core.psum.per_partition : core.psum.bank).count)
    refuse("machine.chip.core.tensor.moving_columns", v4 ? "a matmul's fp32 row must fit a partition of PSUM"
                                                         : "a matmul's fp32 row must fit one PSUM bank");
  if (v4 && core.tensor.model == BlockModel::kRtl)
    refuse("machine.chip.core.tensor.model", "the RTL is that of NeuronCore-v3; expected behavioural");
  if (v4 && core.dma.model == BlockModel::kRtl)
    refuse("machine.chip.core.dma.model", "the RTL has no classes of service; expected behavioural");
  if (core.version == isa::CoreVersion::kV2 && chip.lnc != 1)
    refuse("machine.chip.lnc", "NeuronCore-v2 has no logical cores of two; expected 1");
}

}  // namespace

void MachineParams::check() const {
  if (chip.cores % chip.lnc != 0)
    refuse("machine.chip.lnc", fmt::format("{} cores do not form pairs", chip.cores));
  chip.hbm.check();
  if (!std::has_single_bit(chip.core.dma.collective_engines))
    refuse("machine.chip.core.dma.collective_engines", "expected 1, 2, 4, 8 or 16");
  if (chip.core.sbuf.usable > chip.core.sbuf.per_partition)
    refuse("machine.chip.core.sbuf.usable", "more than a partition holds");
  if (chip.core.psum.per_partition.count % chip.core.psum.bank.count != 0)
    refuse("machine.chip.core.psum.bank", "banks do not divide a partition");
  check_core(chip);
  const bool listed = link.topology == base::fabric_named("listed");
  if (listed != !link.links.empty())
    refuse("machine.link.links",
           listed ? "expected the file with the links of topology listed"
                  : fmt::format("topology {} reads no file; expected listed", name_of(link.topology)));
  base::check_size(link.fabric(), size_of(*this));
  check_link(link, size_of(*this), chip.core.dma);
  instances.check(*this);
  if (link.sends_flits()) check_healthy_links(instances);
}

}  // namespace tahoma::model
