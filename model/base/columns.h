// SPDX-License-Identifier: Apache-2.0
// A table of a report is declared once, as its columns: name, unit, sentence, and the value as a function of
// the record. CSV, JSON and `tahoma stats` are rendered from the declaration (report/tables).
//
//   Columns<Measured<DmaMeasurement>>("dma.csv", "dma.*")
//       .text("name", "instance", [](const auto& row) { return row.of.path; })
//       .statistic(&DmaMeasurement::packets)          // name, unit and sentence are those of the counter
//       .share(&DmaMeasurement::busy);                // busy_percent of the elapsed time
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/shares.h"
#include "model/base/statistics_walk.h"

namespace tahoma::base {

// Rounds once, so that the number prints cleanly.
inline double clean_nanoseconds(Duration time) { return static_cast<double>(time.fs) / 1e6; }

// std::monostate means no value: an empty field in CSV and null in JSON.
using Cell = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;

template <class Value>
Cell cell_of(const Value& value) {
  if constexpr (detail::IsOptional<Value>::value)
    return value ? Cell(*value) : Cell();
  else
    return value;
}

// Describes a column.
struct ColumnText {
  std::string csv;   // name in the CSV file; "": not there
  std::string json;  // key in the JSON object, a dot between levels; "": not there
  std::string unit, doc;
  Better better = Better::kLess;
};

template <class Record>
struct Column {
  ColumnText text;
  std::function<Cell(const Record&)> value;
  bool last_in_csv = false;      // free text, behind the numbers
  bool null_is_omitted = false;  // no key in JSON where there is no value
};

// An instance of a measured component; columns of statistics and of shares need it.
template <class Instance>
struct Measured {
  const Instance& of;
  Duration elapsed;
};

// The declaration of a statistic in declared.h.
struct StatisticText {
  std::string name;
  Unit unit = Unit::kCount;
  std::string doc;
  Better better = Better::kLess;
};
template <class Owner, class Value>
StatisticText text_of(Value Owner::*member) {
  StatisticText found;
  for_each_declaration<Owner>([&](const auto& declared) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(declared)>, DeclaredCounter<Owner, Value>>)
      if (declared.member == member) found = {declared.name, declared.unit, declared.doc, declared.better};
  });
  TAHOMA_INVARIANT(!found.name.empty(), "a column of a member that is no statistic");
  return found;
}

template <class Record>
class Columns {
 public:
  using Value = std::function<Cell(const Record&)>;

  // `csv` is the file, `json` the object's place in summary.json, where '*' stands for any key or number. ""
  // means none.
  explicit Columns(std::string csv, std::string json = "") : csv_(std::move(csv)), json_(std::move(json)) {}

  Columns& column(Column<Record> column) {
    columns_.push_back(std::move(column));
    return *this;
  }
  Columns& text(const std::string& name, const std::string& doc, Value value) {
    return column({{name, name, "text", doc}, std::move(value)});
  }
  Columns& flag(const std::string& name, const std::string& doc, Value value) {
    return column({{name, name, "flag", doc}, std::move(value)});
  }
  // `better` is needed if the unit does not say it (stats.h).
  Columns& number(const std::string& name, Unit unit, const std::string& doc, Value value,
                  std::optional<Better> better = std::nullopt) {
    return number(name, name, unit, doc, std::move(value), better);
  }
  Columns& text(const std::string& csv, const std::string& json, const std::string& doc, Value value) {
    return column({{csv, json, "text", doc}, std::move(value)});
  }
  // A number of JSON only, without a key where there is no value.
  Columns& number_if(const std::string& json, Unit unit, const std::string& doc, Value value,
                     std::optional<Better> better = std::nullopt) {
    return column({{"", json, name_of(unit), doc, better.value_or(usually_better(unit))},
                   std::move(value),
                   false,
                   true});
  }
  // A number that has another name, or another depth, in JSON than in CSV.
  Columns& number(const std::string& csv, const std::string& json, Unit unit, const std::string& doc,
                  Value value, std::optional<Better> better = std::nullopt) {
    return column({{csv, json, name_of(unit), doc, better.value_or(usually_better(unit))}, std::move(value)});
  }

  template <class Owner, class Number>
  Columns& statistic(Number Owner::*member) {
    const StatisticText text = text_of(member);
    return number(
        text.name, text.unit, text.doc, [member](const Record& row) -> Cell { return row.of.*member; },
        text.better);
  }
  // A declared figure (TAHOMA_FIGURE).
  template <class Instance>
  Columns& figure(const std::string& name) {
    ColumnText text;
    Value value;
    for_each_declaration<Instance>([&](const auto& declared) {
      if constexpr (requires { declared.value; })
        if (declared.name == name) {
          text = {name, name, name_of(declared.unit), declared.doc, declared.better};
          value = [of = declared.value](const Record& row) { return cell_of(of(row.of, row.elapsed)); };
        }
    });
    TAHOMA_INVARIANT(value != nullptr, "no figure " + name);
    return column({text, std::move(value)});
  }
  // A time of an instance, in nanoseconds that print cleanly.
  template <class Owner>
  Columns& time(Duration Owner::*member) {
    const StatisticText text = text_of(member);
    return number(text.name + "_ns", text.unit, text.doc,
                  [member](const Record& row) -> Cell { return clean_nanoseconds(row.of.*member); });
  }
  // The column has the statistic in percent of the elapsed time, with the same direction. `name` omits
  // "_percent" if it is not the statistic's.
  template <class Owner>
  Columns& share(Duration Owner::*member, std::string name = "") {
    const StatisticText text = text_of(member);
    if (name.empty()) name = text.name;
    return number(
        name + "_percent", Unit::kPercent, text.doc,
        [member](const Record& row) -> Cell { return percent_of(row.of.*member, row.elapsed); }, text.better);
  }

  const std::string& csv() const { return csv_; }
  const std::string& json() const { return json_; }
  const std::vector<Column<Record>>& columns() const { return columns_; }
  std::vector<ColumnText> texts() const {
    std::vector<ColumnText> texts;
    for (const Column<Record>& column : columns_) texts.push_back(column.text);
    return texts;
  }

 private:
  std::string csv_, json_;
  std::vector<Column<Record>> columns_;
};

}  // namespace tahoma::base
