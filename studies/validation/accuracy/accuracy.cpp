// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/accuracy.h"

#include <chrono>
#include <memory>

#include "runtime/host/output/manifest.h"
#include "runtime/host/output/output_dir.h"
#include "studies/validation/accuracy/measure.h"
#include "studies/whatif/uncertain.h"

namespace tahoma::runtime {

namespace {

using Clock = std::chrono::steady_clock;

void write_folder(OutputDir& out, const Page& page, const AccuracyOptions& options, double seconds) {
  out.write("accuracy.txt", page_text(page));
  out.write("accuracy.json", page_json(page));
  out.write("accuracy.csv", page_csv(page));
  CommandManifest manifest{host_facts(), options.command_line, seconds, out.files()};
  manifest.files.emplace_back("manifest.json");
  out.write("manifest.json", manifest_json(manifest));
  out.commit();
}

}  // namespace

Page check_accuracy(const std::string& file, const AccuracyOptions& options) {
  const Clock::time_point start = Clock::now();
  const Suite suite = load_suite(file, options.families);
  const std::unique_ptr<OutputDir> out =
      options.out.empty() ? nullptr : std::make_unique<OutputDir>(options.out);
  Page page = measure(suite, options.overrides, options.jobs,
                      options.intervals.empty() ? std::vector<base::Provenance>{}
                                                : provenance_group(options.intervals).provenances);
  if (out) write_folder(*out, page, options, std::chrono::duration<double>(Clock::now() - start).count());
  return page;
}

}  // namespace tahoma::runtime
