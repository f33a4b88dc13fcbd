// SPDX-License-Identifier: Apache-2.0
// The law for the times of a card: a roofline with launch overheads. A part of a layer, on each of n devices,
// takes
//
//   t = max(flops / (compute * peak), bytes / (memory * bandwidth)) + kernels * launch + all_reduce
//
// and an all_reduce of B bytes over n > 1 devices takes
//
//   collective + 2 (n - 1) / n * B / (links * rate of one direction)
//
// with the shares and overheads of CardEfficiency. Parts follow each other: nothing overlaps. Not modelled:
// tile shapes that do not fill the device, caches, clocks that drop under load, imbalance, the host. With
// CardEfficiency::peak() the law is a lower bound of every implementation that runs the parts one after
// another.
#pragma once

#include <string>
#include <vector>

#include "studies/cards/card.h"

namespace tahoma::runtime {

// These are for one device.
struct CardWork {
  std::string part;
  double flops = 0, bytes = 0;
  double kernels = 0;
  double reduced_bytes = 0;  // of an all_reduce over all devices behind it
};

double all_reduce_seconds(const Card& card, const CardEfficiency& efficiency, double devices, double bytes);
double seconds_of(const Card& card, const CardEfficiency& efficiency, double devices, const CardWork& work);
double seconds_of(const Card& card, const CardEfficiency& efficiency, double devices,
                  const std::vector<CardWork>& parts);

}  // namespace tahoma::runtime
