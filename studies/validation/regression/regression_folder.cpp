// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/regression_folder.h"

#include <chrono>
#include <memory>

#include "runtime/host/output/manifest.h"
#include "runtime/host/output/output_dir.h"
#include "studies/validation/regression/page_writers.h"

namespace tahoma::runtime {

RegressionPage check_into(const std::string& file, const RegressionOptions& options, const std::string& out,
                          const std::vector<std::string>& command_line) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  // Created before the runs, so that an unwritable folder is reported at once.
  const auto folder = out.empty() ? nullptr : std::make_unique<OutputDir>(out);
  RegressionPage page = check_cases(file, options);
  if (!folder) return page;
  folder->write("cases.txt", regression_text(page));
  folder->write("cases.json", regression_json(page));
  folder->write("cases.md", regression_markdown(page));
  const std::chrono::duration<double> seconds = Clock::now() - start;
  CommandManifest manifest{host_facts(), command_line, seconds.count(), folder->files()};
  manifest.files.emplace_back("manifest.json");
  folder->write("manifest.json", manifest_json(manifest));
  folder->commit();
  return page;
}

}  // namespace tahoma::runtime
