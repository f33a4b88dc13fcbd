// SPDX-License-Identifier: Apache-2.0
#include "runtime/whatif/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "runtime/whatif/shorter.h"

namespace tahoma::runtime {

namespace {

using base::Param, base::Provenance;

constexpr UncertaintyRange kRanges[] = {
    {Provenance::kAssumed, 0.5, 2}, {Provenance::kDerived, 0.95, 1.05}, {Provenance::kMeasured, 0.98, 1.02}};

// A value times a factor, as text of --set; "" if its type has no scale, or if rounding gives the value itself.
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
  return !param.path.starts_with("machine.chip.energy.") && !param.path.starts_with("machine.rack.");
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

SensitivityEnd end_of(const ConfigRequest& request, const Param& param, double factor) {
  SensitivityEnd end;
  end.value = std::visit(Scaled{factor}, param.value);
  if (end.value.empty())
    end.skipped = "the value does not change";
  else
    end.skipped = refusal(request, param.path + "=" + end.value);
  return end;
}

std::vector<SensitivityRow> rows_of(const ConfigRequest& request,
                                    const std::vector<Provenance>& provenances) {
  const auto resolved = resolve_config(request);
  std::vector<SensitivityRow> rows;
  for (const Param& param : resolved->machine_tree.params()) {
    const std::optional<UncertaintyRange> range = uncertainty_of(param.source.kind);
    const bool wanted =
        std::find(provenances.begin(), provenances.end(), param.source.kind) != provenances.end();
    // A value that the user has set is no guess.
    if (!range || !wanted || !changes_times(param) || !param.set_at.empty()) continue;
    rows.push_back({param.path, param.default_text, param.doc, param.source.note, param.source.kind,
                    end_of(request, param, range->low), end_of(request, param, range->high)});
  }
  return rows;
}

double percent_longer(base::Duration now, base::Duration before) { return -percent_shorter(before, now); }

void measure(const Repetition& before, SensitivityEnd& end) {
  end.skipped = end.run.failure;
  if (end.skipped.empty() && end.run.instructions != before.instructions)
    end.skipped = fmt::format("another program: {} instructions instead of {}", end.run.instructions,
                              before.instructions);
  if (!end.skipped.empty()) return;
  end.percent = percent_longer(end.run.time, before.time);
  if (before.regions.size() < 2) return;
  for (const auto& [name, time] : before.regions) {
    const base::Duration* now = end.run.of_region(name);
    const double change = now == nullptr || time.fs == 0 ? 0 : percent_longer(*now, time);
    if (std::abs(change) > std::max(kFeltPercent, std::abs(end.region_percent))) {
      end.region = name;
      end.region_percent = change;
    }
  }
}

// The root of the sum of the squares of all moves in one direction, as a share.
double combined(const std::vector<SensitivityRow>& rows, double direction) {
  double sum = 0;
  for (const SensitivityRow& row : rows) {
    const double move = std::max({0.0, direction * row.low.percent, direction * row.high.percent}) / 100;
    sum += move * move;
  }
  return std::sqrt(sum);
}

}  // namespace

std::optional<UncertaintyRange> uncertainty_of(Provenance provenance) {
  for (const UncertaintyRange& range : kRanges)
    if (range.of == provenance) return range;
  return std::nullopt;
}

double SensitivityRow::largest() const { return std::max(std::abs(low.percent), std::abs(high.percent)); }

std::size_t Sensitivity::felt() const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const SensitivityRow& row) { return row.largest() > kFeltPercent; }));
}

std::size_t Sensitivity::run_rows() const {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const SensitivityRow& row) {
    return row.low.skipped.empty() || row.high.skipped.empty();
  }));
}

double Sensitivity::interval_low() const {
  return run.time.seconds() * (1 - std::min(1.0, combined(rows, -1)));
}
double Sensitivity::interval_high() const { return run.time.seconds() * (1 + combined(rows, 1)); }

Sensitivity sensitivity(const std::string& name, const ConfigRequest& request,
                        const std::vector<Provenance>& provenances, std::size_t jobs,
                        const std::function<void(std::size_t, std::size_t)>& progress) {
  Sensitivity s{name, {}, rows_of(request, provenances)};
  std::vector<std::vector<std::string>> overrides{{}};
  std::vector<SensitivityEnd*> ends;
  for (SensitivityRow& row : s.rows)
    for (SensitivityEnd* end : {&row.low, &row.high}) {
      if (!end->skipped.empty()) continue;
      ends.push_back(end);
      overrides.push_back({row.path + "=" + end->value});
    }
  std::vector<Repetition> runs = repetitions(request, overrides, jobs, progress);
  s.run = std::move(runs.front());
  if (!s.run.failure.empty())
    throw base::UserError("E-CLI-006", name, "the run cannot be repeated: " + s.run.failure);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ends[i]->run = std::move(runs[i + 1]);
    measure(s.run, *ends[i]);
  }
  std::stable_sort(s.rows.begin(), s.rows.end(), [](const SensitivityRow& a, const SensitivityRow& b) {
    return a.largest() > b.largest();
  });
  return s;
}

}  // namespace tahoma::runtime
