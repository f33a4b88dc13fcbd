// SPDX-License-Identifier: Apache-2.0
#include "report/tables/column_csv.h"

#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

struct CsvText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(bool flag) const { return flag ? "1" : "0"; }
  std::string operator()(std::uint64_t count) const { return std::to_string(count); }
  std::string operator()(double number) const { return shortest(number); }
  std::string operator()(const std::string& text) const { return csv_field(text); }
};

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string cell_text(const base::Cell& cell) { return std::visit(CsvText{}, cell); }

}  // namespace tahoma::runtime
