// SPDX-License-Identifier: Apache-2.0
// The energy law: every kind of event of a run, the component that it belongs to, and its parameter below
// machine.chip.energy. Energy is the sum over events of count x energy x supply factor. Counts of powers are
// seconds.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "model/system/energy/energy_params.h"

namespace tahoma::runtime {

enum class EnergyComponent : std::uint8_t {
  kTensor,
  kVector,
  kScalar,
  kGpSimd,
  kSequencer,
  kSbuf,
  kPsum,
  kDma,
  kNetwork,
  kHbm,
  kLink,
  kClock,
  kLeakage
};
inline constexpr std::size_t kEnergyComponents = 13;
const char* name_of(EnergyComponent component);
const char* doc_of(EnergyComponent component);

enum class EnergyEvent : std::uint8_t {
  // These are counted by instruction and transfer (work_counts.h).
  kMacFp8,
  kMacBf16,
  kMacFp16,
  kMacFp32,
  kCellCycle,
  kVectorElement,
  kScalarElement,
  kGpSimdElement,
  kInstruction,
  kSbufRead,
  kSbufWrite,
  kPsumRead,
  kPsumWrite,
  kDmaByte,
  kDmaPacket,
  kNetworkBit,
  // Counted by the measurement of the run.
  kBusyCycle,
  kCrossBit,
  kHbmBit,
  kActivate,
  kLinkBit,
  // These are proportional to time.
  kRefresh,
  kStackSecond,
  kLinkCapacityBit,
  kUngatedCycle,
  kCoreSecond,
  kChipSecond
};
inline constexpr std::size_t kEnergyEvents = 27;
inline constexpr std::size_t kWorkEvents = 16;  // the first of them
using EventCounts = std::array<double, kEnergyEvents>;

// Energies of logic and SRAM change with the square of the voltage, leakage with the voltage, other supplies
// not at all.
enum class Supply : std::uint8_t { kLogic, kLeakage, kOther };
double supply_factor(Supply supply, double voltage);

struct EnergyTerm {
  EnergyEvent event;
  EnergyComponent component;
  Supply supply;
  bool standing;                                     // flows with time, whatever the program does
  const char* parameter;                             // below machine.chip.energy
  double (*joules)(const model::ChipEnergyParams&);  // of one event at nominal voltage
};
std::span<const EnergyTerm> energy_terms();  // ordered by event

// Returns the joules at the voltage of the chip.
double joules_of(const EnergyTerm& term, double count, const model::ChipEnergyParams& energy);

}  // namespace tahoma::runtime
