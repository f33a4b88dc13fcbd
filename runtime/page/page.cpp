// SPDX-License-Identifier: Apache-2.0
#include "runtime/page/page.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "runtime/page/assets.h"
#include "runtime/whole_file.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;
using base::UserError;

namespace {

constexpr const char *kSummary = "summary.json", *kDetail = "report.json";

// Inside a script element nothing may look like markup; in JSON '<' only stands in texts.
std::string without_markup(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) html += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return html;
}

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string checked(const std::filesystem::path& folder, const char* name, const char* key) {
  const std::string file = (folder / name).string();
  std::string text = read_file(file);
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("schema_version") || !json.contains(key))
    throw UserError("E-REP-002", file, fmt::format("not what tahoma run writes: expected the key '{}'", key));
  return text;
}

std::string title_of(const std::vector<PageRun>& runs) {
  const auto workload = [](const PageRun& run) {
    const Json json = Json::parse(run.summary, nullptr, false);
    return json.is_object() ? json.value("workload", "run") : "run";
  };
  const std::string first = workload(runs.front());
  return runs.size() == 1 ? first + " - Tahoma" : fmt::format("{} and {} - Tahoma", first, workload(runs[1]));
}

}  // namespace

std::string page_of(std::string_view title, std::string_view data) {
  std::string page;
  std::string_view rest = assets::kTemplate;
  const auto part = [&](std::string_view name) -> std::string {
    if (name == "title") return escaped(title);
    if (name == "style") return std::string(assets::kStyle);
    if (name == "library") return std::string(assets::kLibrary);
    if (name == "script") return std::string(assets::kScript);
    TAHOMA_INVARIANT(name == "data", fmt::format("the template of the pages names '{}'", name));
    return without_markup(data);
  };
  while (true) {
    const std::size_t open = rest.find("{{");
    page += rest.substr(0, open);
    if (open == std::string_view::npos) return page;
    const std::size_t close = rest.find("}}", open);
    page += part(rest.substr(open + 2, close - open - 2));
    rest.remove_prefix(close + 2);
  }
}

std::string run_page(const std::vector<PageRun>& runs) {
  std::string data = fmt::format("{{\"kind\":\"{}\",\"runs\":[", runs.size() == 1 ? "run" : "compare");
  for (std::size_t i = 0; i < runs.size(); ++i)
    data += fmt::format("{}{{\"name\":{},\"summary\":{},\"detail\":{}}}", i == 0 ? "" : ",",
                        quoted(runs[i].name), runs[i].summary, runs[i].detail);
  return page_of(title_of(runs), data + "]}");
}

PageRun read_page_run(const std::string& folder) {
  std::error_code ignored;
  for (const char* name : {kSummary, kDetail})
    if (!std::filesystem::is_regular_file(std::filesystem::path(folder) / name, ignored))
      throw UserError("E-REP-001", folder,
                      fmt::format("holds no run with a page: expected the folder of a `tahoma run` without "
                                  "--no-report, with {} and {}",
                                  kSummary, kDetail));
  return {folder, checked(folder, kSummary, "simulated_time_ns"), checked(folder, kDetail, "window_ns")};
}

}  // namespace tahoma::runtime
