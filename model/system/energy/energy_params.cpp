// SPDX-License-Identifier: Apache-2.0
#include "model/system/energy/energy_params.h"

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::derived, base::documented;

namespace {

constexpr base::Range<base::Energy> kEvent{{0}, {1'000'000'000'000'000}};
constexpr base::Range<base::Power> kPower{{0}, {10'000'000'000}};

}  // namespace

void TensorEnergy::declare(base::ParamTree& t) {
  t.add("fp8", fp8, 0.34_pJ, kEvent, "energy of a multiply-accumulate of fp8, without its cell",
        derived(
            "Jouppi 2021, 7 nm: an 8-bit multiplier 0.07 pJ; two products are added in fp16, 0.16 pJ, and to "
            "the sum in fp32, 0.38 pJ: 0.07 + (0.16 + 0.38) / 2"));
  t.add("bf16", bf16, 0.59_pJ, kEvent, "energy of a multiply-accumulate of bf16, without its cell",
        documented("Jouppi 2021, 7 nm: bf16 multiplier 0.21 pJ, fp32 adder 0.38 pJ"));
  t.add("fp16", fp16, 0.72_pJ, kEvent, "energy of a multiply-accumulate of fp16 or tf32, without its cell",
        documented(
            "Jouppi 2021, 7 nm: fp16 multiplier 0.34 pJ, fp32 adder 0.38 pJ; tf32 has the same significand"));
  t.add("fp32", fp32, 1.69_pJ, kEvent, "energy of a multiply-accumulate of fp32, without its cells",
        documented("Jouppi 2021, 7 nm: fp32 multiplier 1.31 pJ, fp32 adder 0.38 pJ"));
  t.add("cell", cell, 0.48_pJ, kEvent,
        "energy of a cell and cycle beyond arithmetic: registers of weight, row and sum, and their clock",
        derived(
            "what is left of 500 W for a chip at full bf16 load (trainium2.md, section 7: SemiAnalysis, not "
            "confirmed by AWS)"));
}

void LaneEnergy::declare(base::ParamTree& t) {
  t.add("vector", vector, 1.69_pJ, kEvent, "energy of an element of an instruction of the vector engine",
        derived("an fp32 multiplication and an addition, Jouppi 2021, 7 nm: 1.31 + 0.38 pJ"));
  t.add("scalar", scalar, 5.07_pJ, kEvent, "energy of an element of an instruction of the scalar engine",
        derived(
            "a cubic polynomial, three fp32 multiplications and additions, Jouppi 2021, 7 nm: 3 x 1.69 pJ"));
  t.add(
      "gpsimd", gpsimd, 3.4_pJ, kEvent, "energy of an element of an instruction of GpSimd",
      derived(
          "1.69 pJ of arithmetic, and 1/16 of an instruction of a processor, 70 pJ at 45 nm (Horowitz 2014) "
          "less the factor 2.6 to 7 nm (Jouppi 2021)"));
}

void SramEnergy::declare(base::ParamTree& t) {
  const base::Source
      large = derived("Jouppi 2021, 7 nm: 14 pJ for 8 bytes of an SRAM of 1 MiB"),
      small = derived("Jouppi 2021, 7 nm: 8.5 pJ for 8 bytes of an SRAM of 32 KiB; a partition has 16 KiB");
  t.add("sbuf_read", sbuf_read, 1.75_pJ, kEvent, "energy of a byte read from SBUF", large);
  t.add("sbuf_write", sbuf_write, 1.75_pJ, kEvent, "energy of a byte written to SBUF", large);
  t.add("psum_read", psum_read, 1.0625_pJ, kEvent, "energy of a byte read from PSUM", small);
  t.add("psum_write", psum_write, 1.0625_pJ, kEvent, "energy of a byte written to PSUM", small);
}

void TransferEnergy::declare(base::ParamTree& t) {
  t.add("byte", byte, 1.9_pJ, kEvent, "energy of a byte through a DMA engine",
        assumed("into and out of a buffer of 8 KiB at 7.5 pJ for 8 bytes (Jouppi 2021, 7 nm); no figure is "
                "published"));
  t.add("packet", packet, 100_pJ, kEvent, "energy of a packet of a DMA engine beside its bytes",
        assumed("a descriptor of 64 bytes read and written in small SRAM; no figure is published"));
  t.add("network_bit", network_bit, 0.8_pJ, kEvent, "energy of a bit through the on-chip network",
        assumed("10 mm of wires and repeaters at 80 fJ for a bit and millimetre; no figure is published"));
  t.add("cross_bit", cross_bit, 0.5_pJ, kEvent, "energy of a bit from one die to the other",
        assumed("upper end of what UCIe states for advanced packages; no figure is published for this chip"));
}

void HbmEnergy::declare(base::ParamTree& t) {
  t.add(
      "bit", bit, 3.48_pJ, kEvent, "energy of a bit read from or written to HBM, without opening its row",
      derived(
          "HBM2: 3.92 pJ a bit, 0.44 of them activates (O'Connor et al., MICRO 2017); HBM3e is unpublished"));
  t.add("activate", activate, 909_pJ, kEvent, "energy of opening and closing one row of HBM",
        derived("a row of 1 KiB of HBM2 (O'Connor et al., MICRO 2017); HBM3e is unpublished. The flat model "
                "of HBM opens a "
                "row for each machine.chip.hbm.dram.page of data"));
  t.add("refresh", refresh, 7.3_nJ, kEvent, "energy of a refresh command",
        assumed("eight rows at the energy of an activate; no figure is published"));
  t.add("background", background, 5_W, kPower, "power of a stack without traffic or refresh",
        assumed("a sixth of what a stack draws at its full rate; no figure is published"));
}

void NeuronLinkEnergy::declare(base::ParamTree& t) {
  t.add("bit", bit, 2_pJ, kEvent, "energy of a bit on a NeuronLink, both ends together, beyond idle_bit",
        assumed("with idle_bit 5 pJ, as long-reach transceivers of 112 Gb/s; no figure is published"));
  t.add("idle_bit", idle_bit, 3_pJ, kEvent,
        "energy for each bit that a NeuronLink could carry, whether it does or not, both ends together",
        assumed("clocks, equalisers and drivers run without data: 3/5 of a transceiver's power"));
}

void StaticEnergy::declare(base::ParamTree& t) {
  t.add("clock", clock, 0.5_nJ, kEvent,
        "energy of a cycle of the clock of a tensor, vector, scalar or GpSimd engine",
        assumed("2 % of a chip at full load; the clock inside the array is in tensor.cell"));
  t.add("gated", gated, 0.8, {0.0, 1.0},
        "share of the clock's energy that an engine saves while it is not busy",
        assumed("clock gating of idle blocks; no figure is published"));
  t.add("core", core, 8_W, kPower, "leakage of a NeuronCore at nominal voltage",
        assumed(
            "with uncore a sixth of the chip's 500 W, as other chips of such nodes; no figure is published"));
  t.add("uncore", uncore, 20_W, kPower, "leakage of a chip outside its cores at nominal voltage",
        assumed("DMA engines, network, PHYs and PCIe; no figure is published"));
}

void ChipEnergyParams::declare(base::ParamTree& t) {
  t.add("voltage", voltage, 1.0, {0.3, 1.5},
        "supply of the chip's logic over its nominal voltage: energies of logic and SRAM grow with its "
        "square, leakage with it",
        assumed("nominal; clocks do not follow it"));
  t.add("limit", limit, 500_W, kPower, "most power that a chip may draw for long, its TDP",
        documented("trainium2.md, section 7: about 500 W (SemiAnalysis, not confirmed by AWS)"));
  t.add("instruction", instruction, 27_pJ, kEvent, "energy to fetch, decode and dispatch an instruction",
        derived("70 pJ at 45 nm (Horowitz 2014) less the factor 2.6 to 7 nm (Jouppi 2021)"));
  t.group("tensor", tensor);
  t.group("lane", lane);
  t.group("sram", sram);
  t.group("transfer", transfer);
  t.group("hbm", hbm);
  t.group("link", link);
  t.group("idle", idle);
}

void RackParams::declare(base::ParamTree& t) {
  t.add("host", host, 50_W, kPower,
        "power of the server's processors, memory and network cards, for each of its chips",
        assumed("800 W for 192 vCPU, 2 TiB and 16 network cards of a trn2.48xlarge; no figure is published"));
  t.add("fans", fans, 0.05, {0.0, 1.0}, "power of the fans over the power of chips and hosts",
        assumed("air-cooled servers of this class; no figure is published"));
  t.add(
      "supply", supply, 0.94, {0.5, 1.0}, "efficiency of the power supplies from the wall to the boards",
      assumed(
          "80 PLUS Titanium requires 94 to 96 % between 20 and 100 % load at 230 V; no figure is published"));
}

}  // namespace tahoma::model
