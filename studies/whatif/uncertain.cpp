// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/uncertain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "model/base/error.h"
#include "model/base/quantity.h"

namespace tahoma::runtime {

namespace {

using base::Param, base::Provenance, base::Uncertainty;

struct ProvenanceRange {
  Provenance of;
  Uncertainty range;
};
constexpr ProvenanceRange kRanges[] = {{Provenance::kAssumed, {0.5, 2}},
                                       {Provenance::kDerived, {0.95, 1.05}},
                                       {Provenance::kMeasured, {0.98, 1.02}}};

// A value times a factor, as text of --set; "" if its type has no scale, or if rounding gives the value
// itself.
struct Scaled {
  double factor;

  template <class Count>
  static Count rounded(Count count, double factor) {
    return static_cast<Count>(std::llround(static_cast<double>(count) * factor));
  }
  template <class T>
  std::string changed(T value, T scaled) const {
    return value == scaled ? std::string() : base::to_text(scaled);
  }
  std::string operator()(const bool*) const { return ""; }
  std::string operator()(const std::string*) const { return ""; }
  std::string operator()(const base::ChoiceRef&) const { return ""; }
  std::string operator()(const base::Energy*) const { return ""; }
  std::string operator()(const base::Power*) const { return ""; }
  std::string operator()(const std::uint64_t* v) const { return changed(*v, rounded(*v, factor)); }
  std::string operator()(const double* v) const { return changed(*v, *v * factor); }
  std::string operator()(const base::Duration* v) const {
    return changed(*v, base::Duration{rounded(v->fs, factor)});
  }
  std::string operator()(const base::Cycles* v) const {
    return changed(*v, base::Cycles{rounded(v->count, factor)});
  }
  std::string operator()(const base::Bytes* v) const {
    return changed(*v, base::Bytes{rounded(v->count, factor)});
  }
  std::string operator()(const base::Frequency* v) const {
    return changed(*v, base::Frequency{rounded(v->hz, factor)});
  }
  std::string operator()(const base::Bandwidth* v) const {
    return v->ideal ? "" : changed(*v, base::Bandwidth{rounded(v->bytes_per_second, factor), false});
  }
};

bool changes_times(const Param& param) {
  constexpr std::array kOfReports{"machine.chip.energy.", "machine.chip.area.", "machine.rack."};
  return std::none_of(kOfReports.begin(), kOfReports.end(),
                      [&](const char* group) { return param.path.starts_with(group); });
}

// A value that the configuration refuses is skipped.
std::string refusal(ConfigRequest request, const std::string& override_text) {
  request.overrides.push_back(override_text);
  request.mode = "timing";
  try {
    resolve_config(request);
    return "";
  } catch (const base::UserError& error) {
    return error.message;
  }
}

}  // namespace

std::optional<Uncertainty> uncertainty_of(const base::Source& source) {
  if (source.range) return source.range;
  for (const ProvenanceRange& known : kRanges)
    if (known.of == source.kind) return known.range;
  return std::nullopt;
}

const std::vector<ProvenanceGroup>& provenance_groups() {
  static const std::vector<ProvenanceGroup> all{
      {"assumed", {Provenance::kAssumed}},
      {"derived", {Provenance::kDerived}},
      {"measured", {Provenance::kMeasured}},
      {"all", {Provenance::kAssumed, Provenance::kDerived, Provenance::kMeasured}}};
  return all;
}

const ProvenanceGroup& provenance_group(const std::string& name) {
  const auto& all = provenance_groups();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ProvenanceGroup& group) { return group.name == name; });
  TAHOMA_INVARIANT(found != all.end(), "no provenances are called " + name);
  return *found;
}

std::vector<UncertainParameter> uncertain_parameters(const ConfigRequest& request,
                                                     const std::vector<Provenance>& provenances) {
  const auto end_of = [&](const Param& param, double factor) {
    UncertainEnd end{std::visit(Scaled{factor}, param.value), ""};
    end.skipped =
        end.value.empty() ? "the value does not change" : refusal(request, param.path + "=" + end.value);
    return end;
  };
  const auto resolved = resolve_config(request);
  std::vector<UncertainParameter> found;
  for (const Param& param : resolved->machine_tree.params()) {
    const std::optional<Uncertainty> range = uncertainty_of(param.source);
    const bool wanted =
        std::find(provenances.begin(), provenances.end(), param.source.kind) != provenances.end();
    // A value that the user has set is not uncertain.
    if (!range || !wanted || !changes_times(param) || !param.set_at.empty()) continue;
    found.push_back({param.path, param.default_text, param.doc, param.source.note, param.source.kind,
                     end_of(param, range->low), end_of(param, range->high)});
  }
  return found;
}

IntervalDistance combined_moves(std::span<const std::pair<double, double>> moves) {
  IntervalDistance squares;
  for (const auto& [a, b] : moves) {
    const double down = std::max({0.0, -a, -b}), up = std::max({0.0, a, b});
    squares.down += down * down;
    squares.up += up * up;
  }
  return {std::sqrt(squares.down), std::sqrt(squares.up)};
}

}  // namespace tahoma::runtime
