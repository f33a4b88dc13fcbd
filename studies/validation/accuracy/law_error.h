// SPDX-License-Identifier: Apache-2.0
// The 95 % intervals of held-out figures: the error of the laws, and what the uncertainty of parameters adds.
//
// The error of the laws is estimated by split conformal prediction (Papadopoulos et al., "Inductive
// confidence machines for regression", 2002): of the n calibrated figures of a family, the distance between
// model and silicon, relative to the model, is sorted; the bound is the ceil(0.95 (n + 1))-th smallest. A
// held-out figure exceeds it with a probability of 5 % if its errors are distributed as those of the
// calibrated figures. That is an assumption: constants were derived from the calibrated figures, so their
// errors may be smaller. Fewer than 19 figures have no such bound. A family with fewer calibrated figures
// takes the larger of two: the bound of the calibrated figures of all families of the page, and the largest
// distance of its own. A page with fewer has none.
//
// The moves of a figure by the uncertain parameters (figure_intervals.h) are independent of it; squares add
// up.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "studies/validation/accuracy/accuracy_page.h"

namespace tahoma::runtime {

// `distances` are those of calibrated figures, at least zero; the bound is unset if there are fewer than 19.
std::optional<double> conformal_bound(std::vector<double> distances);

// Sets the law errors of the families, and the intervals of the held-out rows that have a value. Rows of a
// family without a law error get an interval only if their parameters were varied.
void set_intervals(std::vector<FamilyPage>& families);

}  // namespace tahoma::runtime
