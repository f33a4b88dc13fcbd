// SPDX-License-Identifier: Apache-2.0
#include "report/checkpoint/tensor_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "isa/table/table_names.h"
#include "model/base/columns.h"
#include "model/base/error.h"
#include "report/checkpoint/elements.h"
#include "runtime/host/npy_dtype.h"

namespace tahoma::runtime {

namespace {

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

// Describes what is wrong with a checkpoint; "" if it matches.
std::string difference(const Checkpoint& got, const NpyArray& reference, const DumpTolerance& tolerance) {
  const NpyArray own = to_npy(got.dtype, got.shape, got.values);
  if (own.shape != reference.shape)
    return fmt::format("shape: got {}, the reference has {}", shape_text(own.shape),
                       shape_text(reference.shape));
  const std::vector<std::string> types = npy_types_of(got.dtype);
  if (std::find(types.begin(), types.end(), reference.descr) == types.end())
    return fmt::format("element type: the reference has {}, expected {} for {}", reference.descr,
                       fmt::join(types, " or "), isa::name_of(got.dtype));
  if (own.descr == reference.descr && own.bytes == reference.bytes) return "";
  return difference_text(
      elements_of(own, got.dtype), elements_of(reference, got.dtype), got.shape,
      limits_of(elements_of(reference, got.dtype), got.dtype, tolerance.relative, tolerance.absolute));
}

std::string place_text(const Checkpoint& c) {
  std::string text = fmt::format("first difference: {} at {:.3f} ns\n", c.name, c.time.ns());
  const auto line = [&](const char* what, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<12}{}\n", what, value);
  };
  line("instance", c.instance);
  if (c.instruction)
    line("instruction", fmt::format("{}[{}], execution {}: {}", isa::name_of(c.instruction->queue),
                                    c.instruction->index, c.instruction->occurrence, c.instruction->text));
  line("region", c.region);
  line("tile", c.tile.empty() ? c.memory : fmt::format("{} in {}", c.memory, c.tile));
  return text;
}

nlohmann::ordered_json place_json(const Checkpoint& c) {
  nlohmann::ordered_json json{{"name", c.name}, {"time_ns", base::clean_nanoseconds(c.time - base::Time{})}};
  json["instance"] = c.instance;
  if (c.instruction)
    json["instruction"] = {{"queue", isa::name_of(c.instruction->queue)},
                           {"index", c.instruction->index},
                           {"execution", c.instruction->occurrence},
                           {"text", c.instruction->text}};
  json["region"] = c.region;
  json["tile"] = c.tile;
  json["memory"] = c.memory;
  return json;
}

}  // namespace

void check_tolerance(const DumpTolerance& tolerance, bool compares, const char* needs) {
  for (const std::optional<double>& value : {tolerance.relative, tolerance.absolute}) {
    if (!value) continue;
    if (!compares)
      throw base::UserError("E-CKP-008", "--rtol, --atol", fmt::format("a tolerance needs {}", needs));
    if (!(*value >= 0) || !std::isfinite(*value))
      throw base::UserError("E-CKP-008", "--rtol, --atol",
                            fmt::format("{} is not a valid tolerance; expected a number from 0 on", *value));
  }
}

DumpComparison::DumpComparison(Dumps reference, const DumpTolerance& tolerance)
    : reference_(std::move(reference)), tolerance_(tolerance) {
  for (const Checkpoint& c : reference_.checkpoints) seen_[c.name] = false;
}

void DumpComparison::differ(const Checkpoint& where, const std::string& what) {
  ++different_;
  if (first_ && first_->where.order() <= where.order()) return;
  first_ = Difference{where, what};
  first_->where.values = {};
}

void DumpComparison::add(const Checkpoint& got, bool expected) {
  const auto found = seen_.find(got.name);
  if (found == seen_.end()) {
    if (expected) return differ(got, "the reference does not have it");
    ++beside_;
    return;
  }
  found->second = true;
  ++compared_;
  const std::string what = difference(got, reference_.values(got.name), tolerance_);
  if (!what.empty()) differ(got, what);
}

void DumpComparison::finish() {
  for (const Checkpoint& c : reference_.checkpoints)
    if (!seen_.at(c.name)) missing_.push_back(c.name);
  different_ += missing_.size();
}

std::string DumpComparison::text() const {
  std::string text = fmt::format("{} checkpoints compared with {}: ", compared_, reference_.folder);
  if (equal()) {
    text += "all equal within the tolerance";
    return text + (beside_ == 0 ? "\n" : fmt::format("; {} are not in the reference\n", beside_));
  }
  text += fmt::format("{} differ\n", different_);
  if (first_) text += place_text(first_->where) + fmt::format("  {:<12}{}\n", "difference", first_->what);
  if (!missing_.empty())
    text += fmt::format("{} checkpoints of the reference do not occur in this run; the first is {}\n",
                        missing_.size(), missing_.front());
  return text;
}

std::string DumpComparison::json() const {
  nlohmann::ordered_json json{{"schema_version", 1},     {"reference", reference_.folder},
                              {"equal", equal()},        {"compared", compared_},
                              {"different", different_}, {"not_in_reference", beside_}};
  json["first_difference"] = nullptr;
  if (first_) {
    json["first_difference"] = place_json(first_->where);
    json["first_difference"]["difference"] = first_->what;
  }
  json["missing"] = missing_;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

DumpComparison compare_dumps(const std::string& reference, const std::string& got,
                             const DumpTolerance& tolerance) {
  check_tolerance(tolerance, true, "");
  DumpComparison comparison(read_dumps(reference), tolerance);
  const Dumps dumps = read_dumps(got);
  if (!dumps.indexed)
    throw base::UserError("E-CKP-006", got,
                          "has no index.json: expected a folder written by tahoma run --dump");
  for (Checkpoint c : dumps.checkpoints) {
    NpyArray array = dumps.values(c.name);
    c.shape = array.shape;
    c.values = from_npy(std::move(array), c.dtype);
    comparison.add(c, true);
  }
  comparison.finish();
  return comparison;
}

}  // namespace tahoma::runtime
