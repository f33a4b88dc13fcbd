// SPDX-License-Identifier: Apache-2.0
#include "studies/cards/roofline.h"

#include <algorithm>

namespace tahoma::runtime {

namespace {
double rate(base::Bandwidth bandwidth) { return static_cast<double>(bandwidth.bytes_per_second); }
}  // namespace

double all_reduce_seconds(const Card& card, const CardEfficiency& e, double devices, double bytes) {
  if (devices <= 1 || bytes <= 0) return 0;
  const double one_direction = rate(card.links) / 2;
  return e.collective.seconds() + 2 * (devices - 1) / devices * bytes / (e.links * one_direction);
}

double seconds_of(const Card& card, const CardEfficiency& e, double devices, const CardWork& work) {
  const double arithmetic = work.flops / (e.compute * card.bf16_tflops * 1e12),
               memory = work.bytes / (e.memory * rate(card.hbm_bandwidth));
  return std::max(arithmetic, memory) + work.kernels * e.launch.seconds() +
         all_reduce_seconds(card, e, devices, work.reduced_bytes);
}

double seconds_of(const Card& card, const CardEfficiency& e, double devices,
                  const std::vector<CardWork>& parts) {
  double seconds = 0;
  for (const CardWork& work : parts) seconds += seconds_of(card, e, devices, work);
  return seconds;
}

}  // namespace tahoma::runtime
