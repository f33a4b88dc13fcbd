// SPDX-License-Identifier: Apache-2.0
// Source lines as text and as a table.
#pragma once

#include <cstddef>
#include <string>

#include "model/base/columns.h"
#include "report/lines/hot_spots.h"
#include "report/text/text_layout.h"

namespace tahoma::runtime {

inline constexpr std::size_t kMostHotSpots = 8;  // of summary.json

// Returns the columns of lines.csv: a line with one of its call chains.
const base::Columns<LineTime>& line_columns();
// Returns the columns of `lines` and `functions` in summary.json.
const base::Columns<HotSpot>& hot_spot_columns();

// The text is "" without lines.
std::string lines_csv(const LineTimes& times);
std::string hot_spots_text(const HotSpots& spots, const RowLimits& most);

}  // namespace tahoma::runtime
