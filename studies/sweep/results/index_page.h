// SPDX-License-Identifier: Apache-2.0
// index.html of a sweep: its points over metrics and parameters, the Pareto front, the sensitivity to each
// axis, and links to the pages of the points. It is made from sweep.db and the folders of the points.
//
// Data of the page: title, axes [{path, values [text], numbers or null}], metrics [{name, better: less or
// more}], points [{number, workload, status, reason, bound, link (null: no page), parameters [by axis: index
// of its value], values [by metric, null: none]}], effects
// [{axis, text}] (axis_effects.h). The first `objectives` metrics are those of --pareto; the
// first `own` include the sweep's own. Of the others, only metrics that differ between points are included,
// at most kMostIndexMetrics, the headline metrics first; `left_out` counts the rest.
#pragma once

#include <string>

namespace tahoma::runtime {

inline constexpr std::size_t kMostIndexMetrics = 40;

// UserError E-SWP-050.
std::string sweep_page(const std::string& folder);

}  // namespace tahoma::runtime
