// SPDX-License-Identifier: Apache-2.0
#include "report/energy/energy_terms.h"

namespace tahoma::runtime {

namespace {

using P = model::ChipEnergyParams;
using C = EnergyComponent;
using E = EnergyEvent;
using S = Supply;

struct ComponentText {
  const char *name, *doc;
};

constexpr std::array<ComponentText, kEnergyComponents> kComponents{
    {{"tensor", "multiply-accumulates and cells of the tensor engines"},
     {"vector", "elements of the vector engines"},
     {"scalar", "elements of the scalar engines"},
     {"gpsimd", "elements of the GpSimd engines"},
     {"sequencer", "instructions fetched, decoded and dispatched"},
     {"sbuf", "bytes read from and written to SBUF"},
     {"psum", "bytes read from and written to PSUM"},
     {"dma", "bytes and packets of the DMA engines"},
     {"network", "on-chip network and crossings between dies"},
     {"hbm", "bits, rows, refresh and background of the HBM stacks"},
     {"link", "NeuronLink: bits carried, and transceivers that are always on"},
     {"clock", "clocks of the engines"},
     {"leakage", "leakage of the cores and of the rest of the chip"}}};

constexpr std::array<EnergyTerm, kEnergyEvents> kTerms{{
    {E::kMacFp8, C::kTensor, S::kLogic, false, "tensor.fp8",
     [](const P& p) { return p.tensor.fp8.joules(); }},
    {E::kMacBf16, C::kTensor, S::kLogic, false, "tensor.bf16",
     [](const P& p) { return p.tensor.bf16.joules(); }},
    {E::kMacFp16, C::kTensor, S::kLogic, false, "tensor.fp16",
     [](const P& p) { return p.tensor.fp16.joules(); }},
    {E::kMacFp32, C::kTensor, S::kLogic, false, "tensor.fp32",
     [](const P& p) { return p.tensor.fp32.joules(); }},
    {E::kCellCycle, C::kTensor, S::kLogic, false, "tensor.cell",
     [](const P& p) { return p.tensor.cell.joules(); }},
    {E::kVectorElement, C::kVector, S::kLogic, false, "lane.vector",
     [](const P& p) { return p.lane.vector.joules(); }},
    {E::kScalarElement, C::kScalar, S::kLogic, false, "lane.scalar",
     [](const P& p) { return p.lane.scalar.joules(); }},
    {E::kGpSimdElement, C::kGpSimd, S::kLogic, false, "lane.gpsimd",
     [](const P& p) { return p.lane.gpsimd.joules(); }},
    {E::kInstruction, C::kSequencer, S::kLogic, false, "instruction",
     [](const P& p) { return p.instruction.joules(); }},
    {E::kSbufRead, C::kSbuf, S::kLogic, false, "sram.sbuf_read",
     [](const P& p) { return p.sram.sbuf_read.joules(); }},
    {E::kSbufWrite, C::kSbuf, S::kLogic, false, "sram.sbuf_write",
     [](const P& p) { return p.sram.sbuf_write.joules(); }},
    {E::kPsumRead, C::kPsum, S::kLogic, false, "sram.psum_read",
     [](const P& p) { return p.sram.psum_read.joules(); }},
    {E::kPsumWrite, C::kPsum, S::kLogic, false, "sram.psum_write",
     [](const P& p) { return p.sram.psum_write.joules(); }},
    {E::kDmaByte, C::kDma, S::kLogic, false, "transfer.byte",
     [](const P& p) { return p.transfer.byte.joules(); }},
    {E::kDmaPacket, C::kDma, S::kLogic, false, "transfer.packet",
     [](const P& p) { return p.transfer.packet.joules(); }},
    {E::kNetworkBit, C::kNetwork, S::kLogic, false, "transfer.network_bit",
     [](const P& p) { return p.transfer.network_bit.joules(); }},
    {E::kBusyCycle, C::kClock, S::kLogic, false, "idle.clock",
     [](const P& p) { return p.idle.clock.joules(); }},
    {E::kCrossBit, C::kNetwork, S::kOther, false, "transfer.cross_bit",
     [](const P& p) { return p.transfer.cross_bit.joules(); }},
    {E::kHbmBit, C::kHbm, S::kOther, false, "hbm.bit", [](const P& p) { return p.hbm.bit.joules(); }},
    {E::kActivate, C::kHbm, S::kOther, false, "hbm.activate",
     [](const P& p) { return p.hbm.activate.joules(); }},
    {E::kLinkBit, C::kLink, S::kOther, false, "link.bit", [](const P& p) { return p.link.bit.joules(); }},
    {E::kRefresh, C::kHbm, S::kOther, true, "hbm.refresh", [](const P& p) { return p.hbm.refresh.joules(); }},
    {E::kStackSecond, C::kHbm, S::kOther, true, "hbm.background",
     [](const P& p) { return p.hbm.background.watts(); }},
    {E::kLinkCapacityBit, C::kLink, S::kOther, true, "link.idle_bit",
     [](const P& p) { return p.link.idle_bit.joules(); }},
    {E::kUngatedCycle, C::kClock, S::kLogic, true, "idle.clock",
     [](const P& p) { return p.idle.clock.joules() * (1 - p.idle.gated); }},
    {E::kCoreSecond, C::kLeakage, S::kLeakage, true, "idle.core",
     [](const P& p) { return p.idle.core.watts(); }},
    {E::kChipSecond, C::kLeakage, S::kLeakage, true, "idle.uncore",
     [](const P& p) { return p.idle.uncore.watts(); }},
}};

constexpr bool ordered() {
  for (std::size_t n = 0; n < kTerms.size(); ++n)
    if (kTerms[n].event != static_cast<EnergyEvent>(n)) return false;
  return true;
}
static_assert(ordered(), "one term for each event, in their order");

}  // namespace

const char* name_of(EnergyComponent component) {
  return kComponents[static_cast<std::size_t>(component)].name;
}
const char* doc_of(EnergyComponent component) { return kComponents[static_cast<std::size_t>(component)].doc; }

double supply_factor(Supply supply, double voltage) {
  switch (supply) {
    case Supply::kLogic:
      return voltage * voltage;
    case Supply::kLeakage:
      return voltage;
    case Supply::kOther:
      return 1;
  }
  return 1;
}

std::span<const EnergyTerm> energy_terms() { return kTerms; }

double joules_of(const EnergyTerm& term, double count, const model::ChipEnergyParams& energy) {
  return count * term.joules(energy) * supply_factor(term.supply, energy.voltage);
}

}  // namespace tahoma::runtime
