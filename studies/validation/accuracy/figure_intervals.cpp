// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/figure_intervals.h"

namespace tahoma::runtime {

namespace {

// The case of the first figure that is a probe; any will do, because the machine replaces its own.
const Figure* first_probe(const Suite& suite) {
  for (const Family& family : suite.families)
    if (family.kind == FigureKind::kProbe && !family.figures.empty()) return &family.figures.front();
  return nullptr;
}

}  // namespace

std::vector<ParameterEnd> parameter_ends(const Suite& suite, const std::vector<std::string>& overrides,
                                         const std::vector<base::Provenance>& provenances) {
  const Figure* probe = first_probe(suite);
  if (probe == nullptr) return {};
  ConfigRequest request;
  request.workload = probe->case_path;
  request.machine = suite.machine_path;
  request.overrides = overrides;
  request.mode = "timing";
  std::vector<ParameterEnd> ends;
  std::size_t parameter = 0;
  for (const UncertainParameter& p : uncertain_parameters(request, provenances)) {
    if (p.low.skipped.empty()) ends.push_back({parameter, false, p.path + "=" + p.low.value});
    if (p.high.skipped.empty()) ends.push_back({parameter, true, p.path + "=" + p.high.value});
    ++parameter;
  }
  return ends;
}

void FigureMoves::add(const ParameterEnd& end, double change) {
  if (end.parameter >= moves_.size()) moves_.resize(end.parameter + 1);
  (end.upper ? moves_[end.parameter].second : moves_[end.parameter].first) = change;
}

IntervalDistance FigureMoves::distance() const { return combined_moves(moves_); }

}  // namespace tahoma::runtime
