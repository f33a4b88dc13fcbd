// SPDX-License-Identifier: Apache-2.0
// The card of an accelerator: its published peaks, its price, and how much of the peaks software reaches.
// Tahoma emulates none of these machines; roofline.h says what is computed from a card. A YAML file with the
// keys
//
//   card:
//     name: NVIDIA H200 SXM
//     bf16_tflops: 989            dense, of one device
//     fp8_tflops: 1979            0: not stated
//     hbm: 141GB                  of one device
//     hbm_bandwidth: 4.8TB/s
//     links: 900GB/s              of one device, both directions together
//     devices: 8                  the most that these links connect
//     power: 700W                 of one device at full load; without it there are no joules
//     source: ...                 where these were read
//     price: {instance: p5e.48xlarge, devices: 8, dollars_per_hour: 39.80, date: 2026-01-05, source: ...}
//     efficiency: {...}           see CardEfficiency
//
// `price` may be absent; then there are no dollars. The file may have the key `extends:` with another card.
//
// UserError: E-CRD-001 no such card; E-CRD-002 a required key is missing; E-CRD-003 the date is invalid.
// Errors of keys, numbers and ranges have the codes of model/base/error_codes.md and name the line.
#pragma once

#include <string>
#include <vector>

#include "model/base/params.h"

namespace tahoma::runtime {

// How much of the peaks software reaches, and what a kernel and a collective cost beside their bytes and
// FLOPs. One setting holds for all parts of a model. The defaults are those of Hopper; no measurement was at
// hand for the other accelerators, so theirs are assumed to be equal.
struct CardEfficiency {
  double compute = 1, memory = 1, links = 1;  // shares of the peaks
  base::Duration launch, collective;          // of a kernel; of a collective in addition to its bytes
  void declare(base::ParamTree& t);

  // Peaks have this efficiency: no time can be shorter.
  static CardEfficiency peak() { return {}; }
};

struct CardPrice {
  std::string instance, date, source;
  std::uint64_t devices = 1;
  double dollars_per_hour = 0;  // of the instance; 0: no price
  void declare(base::ParamTree& t);
};

struct Card {
  std::string key;  // the name of the file, without folder and suffix
  std::string name, source;
  double bf16_tflops = 0, fp8_tflops = 0;
  base::Bytes hbm;
  base::Bandwidth hbm_bandwidth, links;
  std::uint64_t devices = 1;
  base::Power power;
  CardPrice price;
  CardEfficiency efficiency;
  void declare(base::ParamTree& t);

  // Returns the price of one device; 0: no price.
  double dollars_per_hour() const { return price.dollars_per_hour / static_cast<double>(price.devices); }
};

// `name`: a shipped card or a path.
Card read_card(const std::string& name);
// All shipped cards, sorted by name.
std::vector<Card> shipped_cards();

}  // namespace tahoma::runtime
