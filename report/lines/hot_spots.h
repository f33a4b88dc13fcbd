// SPDX-License-Identifier: Apache-2.0
// The lines and functions of a source with the largest shares of the time of the limiting engine: the kind of
// engine that is busy longest, or the DMA engines if they are busy longer. The share of a line is its part of
// that engine's time, stalls included and idle time not; for DMA, of the time in which DMA engines moved
// data. All call chains of a line are one hot spot. The shares of all lines add up to 100.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/lines/line_recorder.h"

namespace tahoma::runtime {

struct HotSpot : LineTime {
  double share_percent = 0;
  // The engine and the reason of the largest stall of the line; "" without any.
  std::string stalled_engine, stall;
  base::Duration stall_time;
};

struct HotSpots {
  bool of_dma = false;             // the DMA engines limit
  std::string limit;               // "vector", ..., or "dma"; "" for programs without lines
  std::vector<HotSpot> lines;      // largest share first
  std::vector<HotSpot> functions;  // without line and callers
};

HotSpots hot_spots(const LineTimes& times);

}  // namespace tahoma::runtime
