// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/steps/step_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "studies/serving/input/csv_stream.h"
#include "studies/serving/input/request.h"
#include "studies/serving/steps/step_grid.h"

namespace tahoma::runtime::serving {

using base::UserError;

namespace {

enum StepColumn : std::size_t { kPhase, kBatchSize, kCached, kNewTokens, kTime, kEnergy, kChunkCached };

std::vector<CsvColumn> step_columns() {
  return {{{"phase"}, true},   {{"batch"}, true},   {{"context"}, true},       {{"tokens"}, true},
          {{"seconds"}, true}, {{"joules"}, false}, {{"chunk_context"}, false}};
}

double number_in(const CsvStream& row, std::size_t column, double least, double most, const char* expected) {
  double value = -1;
  try {
    value = base::parse_number(row.field(column));
  } catch (const UserError&) {  // reported below, at the place of the field
  }
  if (!(value >= least && value <= most))
    throw UserError(
        "E-SRV-003", row.place(column),
        fmt::format("column '{}': expected {}, got '{}'", row.name(column), expected, row.field(column)));
  return value;
}

StepPhase phase_in(const CsvStream& row) {
  StepPhase phase{};
  const base::ChoiceRef choice(phase, base::Choice<StepPhase>(kStepPhaseNames));
  const std::string given(row.field(kPhase));
  if (!choice.set(given))
    throw UserError("E-SRV-010", row.place(kPhase),
                    fmt::format("column 'phase': expected {}, got '{}'{}", fmt::join(choice.names(), " or "),
                                given, base::did_you_mean(given, choice.names())));
  return phase;
}

[[noreturn]] void refuse_value(const CsvStream& row, std::size_t column, const char* expected) {
  throw UserError("E-SRV-010", row.place(column),
                  fmt::format("column '{}' of a {} step: expected {}, got '{}'", row.name(column),
                              row.field(kPhase), expected, row.field(column)));
}

double& on(StepPoint& at, StepAxis axis) { return at[static_cast<std::size_t>(axis)]; }

void check_phase(const CsvStream& row, ExecutedStep& step) {
  const double batch = on(step.at, StepAxis::kBatch), tokens = on(step.at, StepAxis::kTokens);
  if (step.phase == StepPhase::kPrefill && batch != 1) refuse_value(row, kBatchSize, "1");
  if (step.phase != StepPhase::kDecode && tokens < 1) refuse_value(row, kNewTokens, "at least 1");
  if (step.phase != StepPhase::kPrefill && batch < 1) refuse_value(row, kBatchSize, "at least 1");
  if (step.phase == StepPhase::kDecode && tokens != 0 && tokens != batch)
    refuse_value(row, kNewTokens, "0 or the batch");
  if (step.phase != StepPhase::kMixed && on(step.at, StepAxis::kChunkContext) != 0)
    refuse_value(row, kChunkCached, "0");
}

ExecutedStep step_in(const CsvStream& row) {
  constexpr auto kMost = static_cast<double>(kMostTokens);
  constexpr const char* kCount = "a number from 0 to 16777216";
  ExecutedStep step;
  step.phase = phase_in(row);
  step.place = row.place();
  on(step.at, StepAxis::kBatch) = number_in(row, kBatchSize, 0, kMost, kCount);
  on(step.at, StepAxis::kContext) = number_in(row, kCached, 0, kMost, kCount);
  on(step.at, StepAxis::kTokens) = number_in(row, kNewTokens, 0, kMost, kCount);
  if (row.has(kChunkCached))
    on(step.at, StepAxis::kChunkContext) = number_in(row, kChunkCached, 0, kMost, kCount);
  constexpr double kLeastSeconds = 1e-9, kMostSeconds = 1e6, kMostJoules = 1e12;
  step.cost.seconds = number_in(row, kTime, kLeastSeconds, kMostSeconds, "seconds from 1e-9 to 1e6");
  if (row.has(kEnergy)) step.cost.joules = number_in(row, kEnergy, 0, kMostJoules, "joules from 0 to 1e12");
  check_phase(row, step);
  return step;
}

}  // namespace

ExecutedSteps read_steps(const std::string& path) {
  CsvStream rows(path, step_columns(), OtherColumns::kRefused);
  ExecutedSteps read;
  read.has_energy = rows.has(kEnergy);
  while (rows.next()) {
    if (read.steps.size() == kMostSteps)
      throw UserError("E-SRV-008", rows.place(), fmt::format("expected at most {} steps", kMostSteps));
    read.steps.push_back(step_in(rows));
  }
  return read;
}

std::string step_text(StepPhase phase, const StepPoint& at) {
  std::vector<std::string> parts;
  for (const StepAxis axis : axes_of(phase))
    parts.push_back(
        fmt::format("{} {}", base::name_in(kStepAxisNames, axis), at[static_cast<std::size_t>(axis)]));
  return fmt::format("{} step of {}", base::name_in(kStepPhaseNames, phase), fmt::join(parts, ", "));
}

}  // namespace tahoma::runtime::serving
