// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "report/page/assets.h"
#include "report/store/run_store.h"
#include "report/summary/summary_json.h"
#include "runtime/host/json/json_text.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;
using base::UserError;

namespace {

constexpr const char *kSummary = "summary.json", *kDetail = "report.json";

// Inside a script element nothing may look like markup; in JSON '<' occurs only in texts.
void append_without_markup(std::string& text, std::string_view json) {
  for (std::size_t open = json.find('<'); open != std::string_view::npos; open = json.find('<')) {
    text += json.substr(0, open);
    text += "\\u003c";
    json.remove_prefix(open + 1);
  }
  text += json;
}

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) html += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return html;
}

std::string quoted(const std::string& text) { return dump_json(Json(text)); }

// One of the two texts of a page, as written and as parsed.
struct PagePart {
  std::string text;
  Json json;
};
PagePart checked(const RunStore& store, const char* name, const char* key) {
  const std::string file = (store.folder() / name).string();
  PagePart part{store.file(name).value(), {}};
  if (const auto fault = fault_of_json(part.text, part.json))
    throw UserError("E-REP-002", file, "not a file of tahoma run: " + *fault);
  if (!part.json.is_object() || !part.json.contains("schema_version") || !part.json.contains(key))
    throw UserError("E-REP-002", file, fmt::format("not a file of tahoma run: expected the key '{}'", key));
  return part;
}

// A page shows the keys of one version of the summary only.
void check_version(const std::filesystem::path& folder, const Json& summary) {
  if (summary["schema_version"] != kSummarySchemaVersion)
    throw UserError(
        "E-REP-002", (folder / kSummary).string(),
        fmt::format("written by another version of tahoma: expected schema_version {}, got {}; run "
                    "config.resolved.yaml of the folder again",
                    kSummarySchemaVersion, brief_json(summary["schema_version"])));
}

std::string title_of(const std::vector<PageRun>& runs) {
  const std::string& first = runs.front().workload;
  return runs.size() == 1 ? first + " - Tahoma" : fmt::format("{} and {} - Tahoma", first, runs[1].workload);
}

}  // namespace

std::string page_of(std::string_view title, std::string_view data) {
  const std::string head = escaped(title);
  const std::array<std::pair<std::string_view, std::string_view>, 5> parts{{{"title", head},
                                                                            {"style", assets::kStyle},
                                                                            {"library", assets::kLibrary},
                                                                            {"script", assets::kScript},
                                                                            {"data", data}}};
  std::size_t size = assets::kTemplate.size();
  for (const auto& part : parts) size += part.second.size();
  std::string page;
  page.reserve(size + size / 16);  // room for escapes
  const auto append = [&](std::string_view name) {
    const auto* part =
        std::find_if(parts.begin(), parts.end(), [&](const auto& known) { return known.first == name; });
    TAHOMA_INVARIANT(part != parts.end(),
                     fmt::format("the template of the pages names the unknown part '{}'", name));
    if (name == "data")
      append_without_markup(page, data);
    else
      page += part->second;
  };
  std::string_view rest = assets::kTemplate;
  while (true) {
    const std::size_t open = rest.find("{{");
    page += rest.substr(0, open);
    if (open == std::string_view::npos) return page;
    const std::size_t close = rest.find("}}", open);
    append(rest.substr(open + 2, close - open - 2));
    rest.remove_prefix(close + 2);
  }
}

std::string run_page(const std::vector<PageRun>& runs) {
  std::string data = fmt::format("{{\"kind\":\"{}\",\"runs\":[", runs.size() == 1 ? "run" : "compare");
  for (std::size_t i = 0; i < runs.size(); ++i)
    data += fmt::format("{}{{\"name\":{},\"summary\":{},\"detail\":{}}}", i == 0 ? "" : ",",
                        quoted(runs[i].name), runs[i].summary, runs[i].detail);
  data += "]}";
  return page_of(title_of(runs), data);
}

std::string page_with_summary(const std::string& page, const std::string& summary) {
  constexpr std::string_view kOpen = "id=\"data\">", kClose = "</script>";
  const std::size_t open = page.find(kOpen), begin = open == std::string::npos ? open : open + kOpen.size(),
                    end = begin == std::string::npos ? begin : page.find(kClose, begin);
  Json data;
  const bool known = end != std::string::npos && !fault_of_json(page.substr(begin, end - begin), data) &&
                     data.is_object() && data.contains("runs") && data["runs"].is_array() &&
                     data["runs"].size() == 1;
  if (!known) throw UserError("E-REP-002", "report.html", "not the page of a run that tahoma wrote");
  const Json& run = data["runs"][0];
  return run_page(
      {{run.at("name"), run.at("summary").at("workload"), summary, dump_json(run.at("detail")) + "\n"}});
}

PageRun read_page_run(const std::string& folder) {
  const RunStore store(folder);
  for (const char* name : {kSummary, kDetail})
    if (!store.has(name))
      throw UserError(
          "E-REP-001", folder,
          fmt::format(
              "contains no run with a page: expected the folder of a `tahoma run` without --slim, with "
              "{} and {}",
              kSummary, kStoreName));
  PagePart summary = checked(store, kSummary, "simulated_time_ns"),
           detail = checked(store, kDetail, "window_ns");
  check_version(folder, summary.json);
  const Json workload = summary.json.value("workload", Json());
  return {folder, workload.is_string() ? workload.get<std::string>() : "run", std::move(summary.text),
          std::move(detail.text)};
}

}  // namespace tahoma::runtime
