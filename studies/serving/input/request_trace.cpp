// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/input/request_trace.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "studies/serving/input/arrival_time.h"

namespace tahoma::runtime::serving {

using base::UserError;

namespace {

enum TraceColumn : std::size_t { kSeconds, kTimestamp, kPrompt, kOutput };

std::vector<CsvColumn> trace_columns() {
  return {{{"arrival_s"}, false},
          {{"TIMESTAMP"}, false},
          {{"prompt_tokens", "ContextTokens"}, true},
          {{"output_tokens", "GeneratedTokens"}, true}};
}

// Adds the place of the field to errors.
Nanoseconds time_in(const CsvStream& row, std::size_t column) {
  try {
    return column == kSeconds ? parse_seconds(row.field(column)) : parse_timestamp(row.field(column));
  } catch (const UserError& error) {
    throw UserError(error.code, row.place(column),
                    fmt::format("column '{}': {}", row.name(column), error.message));
  }
}

std::size_t time_column(const CsvStream& trace) {
  if (trace.has(kSeconds) != trace.has(kTimestamp)) return trace.has(kSeconds) ? kSeconds : kTimestamp;
  throw UserError("E-SRV-002", trace.place(),
                  trace.has(kSeconds) ? "expected one of the columns 'arrival_s' and 'TIMESTAMP', got both"
                                      : "column 'arrival_s' or 'TIMESTAMP' is missing");
}

}  // namespace

std::uint32_t tokens_in(const CsvStream& row, std::size_t column) {
  std::uint64_t tokens = 0;
  try {
    tokens = base::parse_count(row.field(column));
  } catch (const UserError&) {  // reported below, at the place of the field
  }
  if (tokens < 1 || tokens > kMostTokens)
    throw UserError("E-SRV-005", row.place(column),
                    fmt::format("column '{}': expected a whole number of tokens from 1 to {}, got '{}'",
                                row.name(column), kMostTokens, row.field(column)));
  return static_cast<std::uint32_t>(tokens);
}

Requests read_trace(const std::string& path) {
  CsvStream trace(path, trace_columns(), OtherColumns::kIgnored);
  const std::size_t time = time_column(trace);
  Requests requests;
  Nanoseconds origin, last;
  while (trace.next()) {
    if (requests.size() == kMostRequests)
      throw UserError("E-SRV-008", trace.place(), fmt::format("expected at most {} requests", kMostRequests));
    const Nanoseconds given = time_in(trace, time);
    if (requests.empty() && time == kTimestamp) origin = given;
    if (!requests.empty() && given < last)
      throw UserError(
          "E-SRV-004", trace.place(time),
          fmt::format("column '{}': expected a time that is not before that of the previous request, got "
                      "'{}': sort the trace by arrival",
                      trace.name(time), trace.field(time)));
    last = given;
    requests.push_back({given - origin, tokens_in(trace, kPrompt), tokens_in(trace, kOutput)});
  }
  return requests;
}

}  // namespace tahoma::runtime::serving
