// SPDX-License-Identifier: Apache-2.0
#include "runtime/accuracy/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "runtime/accuracy/measure.h"
#include "runtime/output_dir.h"
#include "runtime/report/manifest.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> suites_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".yaml" && is_suite(entry.path().string()))
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty())
    throw base::UserError("E-ACC-001", folder, "no file in this folder has the key 'accuracy'");
  return files;
}

void write_folder(OutputDir& out, const Page& page, const AccuracyOptions& options, double seconds) {
  out.write("accuracy.txt", page_text(page));
  out.write("accuracy.json", page_json(page));
  out.write("accuracy.csv", page_csv(page));
  CheckManifest manifest{host_facts(), options.command_line, seconds, out.files()};
  manifest.files.emplace_back("manifest.json");
  out.write("manifest.json", manifest_json(manifest));
  out.commit();
}

Page check_file(const std::string& file, const std::string& folder, const AccuracyOptions& options) {
  const Clock::time_point start = Clock::now();
  const Suite suite = load_suite(file, options.families);
  const std::unique_ptr<OutputDir> out = folder.empty() ? nullptr : std::make_unique<OutputDir>(folder);
  Page page = measure(suite, options.overrides, options.jobs);
  if (out) write_folder(*out, page, options, std::chrono::duration<double>(Clock::now() - start).count());
  return page;
}

}  // namespace

std::vector<Page> check_accuracy(const std::string& path, const AccuracyOptions& options) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return {check_file(path, options.out, options)};
  std::vector<Page> pages;
  for (const std::string& file : suites_in(path)) {
    const std::string folder =
        options.out.empty() ? "" : (fs::path(options.out) / fs::path(file).stem()).string();
    pages.push_back(check_file(file, folder, options));
  }
  return pages;
}

}  // namespace tahoma::runtime
