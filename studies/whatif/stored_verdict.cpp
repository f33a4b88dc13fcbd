// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/stored_verdict.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "report/page/page.h"
#include "report/summary/run_headline.h"
#include "report/summary/summary_json.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;

namespace {

using VerdictJson = nlohmann::ordered_json;

constexpr const char* kExplanation = "explain.json";

VerdictJson json_of(const std::string& file, const char* key) {
  VerdictJson json;
  const std::optional<std::string> fault = fault_of_json(read_file(file), json);
  if (fault || !json.is_object() || !json.contains(key))
    throw base::UserError("E-CLI-006", file,
                          "not a file of this version's `tahoma run`: " +
                              fault.value_or(std::string("it has no key '") + key + "'"));
  return json;
}

// The text up to the first empty line is the headline.
std::string with_headline(const std::string& text, const std::string& headline) {
  const std::size_t end = text.find("\n\n");
  return headline + (end == std::string::npos ? "" : text.substr(end + 1));
}

}  // namespace

void store_verdict(const std::string& folder, const Explanation& explanation) {
  const auto in_folder = [&](const char* name) { return (fs::path(folder) / name).string(); };
  const auto has = [&](const char* name) { return fs::is_regular_file(in_folder(name)); };
  VerdictJson summary = json_of(in_folder("summary.json"), "headline");
  set_verdict(summary, explanation.bottlenecks());
  const std::string summary_text = dump_json(summary, 2) + "\n";

  std::vector<std::pair<const char*, std::string>> files{{kExplanation, explanation_json(explanation)},
                                                         {"summary.json", summary_text}};
  if (has("summary.txt"))
    files.emplace_back("summary.txt",
                       with_headline(read_file(in_folder("summary.txt")), stored_headline(summary).block()));
  if (has("report.html"))
    files.emplace_back("report.html", page_with_summary(read_file(in_folder("report.html")), summary_text));
  if (has("manifest.json")) {
    VerdictJson manifest = json_of(in_folder("manifest.json"), "files");
    VerdictJson& listed = manifest["files"];
    if (std::find(listed.begin(), listed.end(), kExplanation) == listed.end())
      listed.insert(listed.empty() ? listed.end() : listed.end() - 1,
                    kExplanation);  // the manifest is the last one
    files.emplace_back("manifest.json", dump_json(manifest, 2) + "\n");
  }
  for (const auto& [name, text] : files) write_file(in_folder(name), text);
}

}  // namespace tahoma::runtime
