// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/tables/traffic_table.h"

#include <fmt/format.h>

#include <array>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "studies/validation/accuracy/tables/table_reader.h"

namespace tahoma::runtime {

using base::UserError, model::MemoryTraffic, model::TrafficPattern;

namespace {

constexpr std::array<const char*, 3> kTrafficPatterns{"sequential", "stride", "random"};
const std::vector<std::string> kTrafficPatternWords{kTrafficPatterns.begin(), kTrafficPatterns.end()};

const std::vector<std::string> kTrafficColumns{"id",       "what",      "machine",       "pattern",
                                               "stride",   "request",   "read_fraction", "block",
                                               "requests", "reference", "source"};

constexpr std::uint64_t kMostRequests = 100'000'000;

[[noreturn]] void contradicts(const RowReader& row, const char* column, const std::string& expected) {
  throw UserError(
      "E-ACC-015", row.field(column).place,
      fmt::format("column '{}': expected {}, got '{}'", column, expected, row.field(column).text));
}

base::Bytes read_bytes(const RowReader& row, const char* column) {
  const std::string& given = row.text(column);
  try {
    if (const base::Bytes bytes = base::parse_bytes(given); bytes.count > 0) return bytes;
  } catch (const UserError&) {  // reported below
  }
  throw UserError("E-ACC-004", row.field(column).place,
                  fmt::format("column '{}': expected bytes such as '4 KiB', got '{}'", column, given));
}

// Share of the requests: 0 to 1.
double read_share(const RowReader& row, const char* column) {
  const std::string& given = row.text(column);
  try {
    if (const double share = base::parse_number(given); share >= 0 && share <= 1) return share;
  } catch (const UserError&) {  // reported below
  }
  throw UserError("E-ACC-004", row.field(column).place,
                  fmt::format("column '{}': expected a share from 0 to 1, got '{}'", column, given));
}

base::Bytes read_stride(const RowReader& row, TrafficPattern pattern) {
  if (pattern == TrafficPattern::kStride) return read_bytes(row, "stride");
  if (!row.field("stride").text.empty()) contradicts(row, "stride", "nothing for patterns other than stride");
  return {};
}

MemoryTraffic read_traffic(const RowReader& row) {
  MemoryTraffic traffic;
  traffic.pattern = static_cast<TrafficPattern>(row.word("pattern", kTrafficPatternWords));
  traffic.stride = read_stride(row, traffic.pattern);
  traffic.request = read_bytes(row, "request");
  traffic.read_fraction = read_share(row, "read_fraction");
  traffic.block = row.count("block");
  traffic.requests = row.count("requests");
  if (traffic.block > 1 && traffic.read_fraction != 0.5)
    contradicts(row, "read_fraction", "0.5, as reads and writes take turns of equal length");
  if (traffic.requests > kMostRequests)
    contradicts(row, "requests", fmt::format("at most {}", kMostRequests));
  return traffic;
}

}  // namespace

const char* name_of(TrafficPattern pattern) { return kTrafficPatterns.at(static_cast<std::size_t>(pattern)); }

std::vector<Figure> parse_traffic(const base::NamedText& table) {
  return read_figures(table, kTrafficColumns, [](const RowReader& row) {
    Figure figure = named_figure(row, "machine");
    figure.traffic = read_traffic(row);
    figure.reference = 100 * row.positive("reference");
    if (figure.reference > 100) contradicts(row, "reference", "a share of the peak");
    figure.unit = FigureUnit::kOfPeak;
    figure.source = row.text("source");
    return figure;
  });
}

}  // namespace tahoma::runtime
