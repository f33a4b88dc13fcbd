// SPDX-License-Identifier: Apache-2.0
// The part of report.json about source lines, with the text of the source.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "model/base/error.h"
#include "report/lines/line_tables.h"
#include "report/page/detail.h"
#include "report/tables/column_json.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostSpots = 2000;           // on the page; lines.csv has all
constexpr std::uintmax_t kMostSource = 4'000'000;  // bytes of a file
constexpr std::uint64_t kContext = 10;             // lines of text around a line with time

// Writes the times of a line's engines by reason, those that took any.
Json engines_json(const KindTimes& engines) {
  Json json = Json::object();
  for (std::size_t kind = 0; kind < base::kEngineKinds; ++kind) {
    if (engines[kind].total().fs == 0) continue;
    Json stalls = Json::object();
    for (std::size_t n = 0; n < base::kStallReasons; ++n)
      if (engines[kind].time[n].fs > 0)
        stalls[base::name_of(static_cast<base::StallReason>(n))] = engines[kind].time[n].ns();
    json[base::name_of(static_cast<base::EngineKind>(kind))] = {{"time_ns", engines[kind].total().ns()},
                                                                {"stalls", std::move(stalls)}};
  }
  return json;
}

Json spots_json(const std::vector<HotSpot>& spots) {
  Json list = Json::array();
  for (std::size_t n = 0; n < std::min(kMostSpots, spots.size()); ++n) {
    Json spot = columns_json(hot_spot_columns(), spots[n]);
    spot["engines"] = engines_json(spots[n].engines);
    list.push_back(std::move(spot));
  }
  return list;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Writes the text around these lines (from 1), in parts of consecutive lines.
Json parts_json(const std::vector<std::string>& text, const std::set<std::uint64_t>& lines) {
  Json parts = Json::array();
  std::uint64_t shown = 0;  // up to this line
  for (const std::uint64_t line : lines) {
    if (line > text.size()) continue;
    const std::uint64_t first = line > kContext ? line - kContext : 1,
                        last = std::min<std::uint64_t>(line + kContext, text.size());
    if (parts.empty() || first > shown + 1) {
      parts.push_back({{"first", first}, {"text", Json::array()}});
      shown = first - 1;
    }
    for (; shown < last; ++shown) parts.back()["text"].push_back(text[shown]);
  }
  return parts;
}

Json source_json(const std::string& file, const std::set<std::uint64_t>& lines) {
  Json json{{"file", file}, {"parts", Json::array()}, {"problem", ""}};
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    json["problem"] = "no such file when the page was written";
  } else if (std::filesystem::file_size(file, error) > kMostSource || error) {
    json["problem"] = "too large for the page";
  } else {
    try {
      json["parts"] = parts_json(lines_of(read_file(file)), lines);
      if (json["parts"].empty()) json["problem"] = "the file has fewer lines than when the kernel was traced";
    } catch (const base::UserError& e) {
      json["problem"] = e.message;
    }
  }
  return json;
}

}  // namespace

Json lines_detail(const HotSpots& spots) {
  std::map<std::string, std::set<std::uint64_t>> files;
  for (const HotSpot& spot : spots.lines)
    if (spot.line > 0) files[spot.file].insert(spot.line);
  Json sources = Json::array();
  for (const auto& [file, lines] : files) sources.push_back(source_json(file, lines));
  return {{"share_of", spots.limit},
          {"spots", spots_json(spots.lines)},
          {"functions", spots_json(spots.functions)},
          {"sources", std::move(sources)}};
}

}  // namespace tahoma::runtime
