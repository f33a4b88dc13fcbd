// SPDX-License-Identifier: Apache-2.0
// How far the uncertainty of the machine's parameters (studies/whatif/uncertain.h) moves a figure: the cases
// run once more for each end of each parameter's range, and the changes of the model's value are combined.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "studies/validation/accuracy/suite.h"
#include "studies/whatif/uncertain.h"

namespace tahoma::runtime {

// One end of the range of one parameter.
struct ParameterEnd {
  std::size_t parameter = 0;
  bool upper = false;
  std::string override_text;  // as --set
};

// All ends that the machine of the cases accepts; none if the suite has no figure that is a probe.
std::vector<ParameterEnd> parameter_ends(const Suite& suite, const std::vector<std::string>& overrides,
                                         const std::vector<base::Provenance>& provenances);

// The moves of one figure, by parameter.
class FigureMoves {
 public:
  // A value of the model at one end of a range, relative to the value itself.
  void add(const ParameterEnd& end, double change);
  IntervalDistance distance() const;

 private:
  std::vector<std::pair<double, double>> moves_;
};

}  // namespace tahoma::runtime
