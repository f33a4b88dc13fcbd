// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/output/output_dir.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "model/base/error.h"
#include "runtime/host/output/manifest.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;
using base::UserError;

namespace {

constexpr const char* kManifest = "manifest.json";

[[noreturn]] void refuse_unwritable(const fs::path& path, const std::string& reason,
                                    base::ExitStatus status = base::ExitStatus::kUsage) {
  throw UserError("E-OUT-001", path.string(), "cannot write the output folder: " + reason, status);
}

void create_folder(const fs::path& folder, const fs::path& for_output) {
  std::error_code error;
  if (fs::create_directory(folder, error)) return;
  if (!error) refuse_unwritable(for_output, "name in use");
  refuse_unwritable(for_output, error.message(), status_of_write(error.value()));
}

// Absolute, without a trailing '/', with symbolic links resolved, as required by rename.
fs::path resolved(const std::string& path) {
  if (path.empty()) refuse_unwritable("--out", "expected a folder's name");
  std::error_code error;
  fs::path full = fs::absolute(behind_links(path), error);
  if (!error) full = fs::weakly_canonical(full, error);
  if (error) refuse_unwritable(path, error.message());
  if (!full.has_filename()) full = full.parent_path();
  if (full == full.root_path()) refuse_unwritable(path, "the root of the file system");
  return full;
}

std::vector<std::string> listed_files(const fs::path& folder) {
  std::ifstream file(folder / kManifest, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return files_of_manifest(text.str());
}

// The first entry that tahoma did not write, or "".
std::string foreign_entry(const fs::path& folder) {
  const std::vector<std::string> ours = listed_files(folder);
  std::vector<std::string> foreign;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool listed = std::find(ours.begin(), ours.end(), name) != ours.end();
    const fs::file_type type = entry.symlink_status().type();
    // A link, device or FIFO of a listed name is not what tahoma wrote, either.
    if (!listed || (type != fs::file_type::regular && type != fs::file_type::directory))
      foreign.push_back(name);
  }
  return foreign.empty() ? "" : *std::min_element(foreign.begin(), foreign.end());
}

void check_replaceable(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) refuse_unwritable(folder, "a file has that name");
  std::string foreign;
  try {
    foreign = foreign_entry(folder);
  } catch (const fs::filesystem_error& failure) {
    refuse_unwritable(folder, failure.code().message());
  }
  if (!foreign.empty())
    throw UserError(
        "E-OUT-002", folder.string(),
        fmt::format("the folder contains '{}', which tahoma did not write: choose another --out or an empty "
                    "folder",
                    foreign));
}

}  // namespace

OutputDir::OutputDir(const std::string& path) : target_(resolved(path)) {
  const std::string hidden = fmt::format(".{}.partial-{}", target_.filename().string(), getpid());
  staging_ = target_.parent_path() / hidden;
  check_replaceable(target_);
  try {
    probe();
  } catch (...) {
    for (auto parent = made_parents_.rbegin(); parent != made_parents_.rend(); ++parent)
      ::rmdir(parent->c_str());
    throw;
  }
}

// Creates missing parents and checks that the folder can be created.
void OutputDir::probe() {
  std::vector<fs::path> missing;
  for (fs::path p = target_.parent_path(); !fs::exists(fs::symlink_status(p)); p = p.parent_path())
    missing.push_back(p);
  for (auto parent = missing.rbegin(); parent != missing.rend(); ++parent) {
    create_folder(*parent, target_);
    made_parents_.push_back(*parent);
  }
  unfinished_.emplace(staging_.string(), made_parents_.size());
  create_folder(staging_, target_);
  std::error_code ignored;
  fs::remove(staging_, ignored);
}

OutputDir::~OutputDir() {
  if (kept_) return;
  std::error_code ignored;  // a leftover folder cannot be handled any further
  if (begun_) fs::remove_all(staging_, ignored);
  // rmdir is used instead of remove_all, because another process may have created something there in the
  // meantime.
  for (auto parent = made_parents_.rbegin(); parent != made_parents_.rend(); ++parent)
    ::rmdir(parent->c_str());
}

void OutputDir::begin() {
  if (begun_) return;
  begun_ = true;  // also if this fails
  create_folder(staging_, target_);
}

std::string OutputDir::file(const std::string& name) {
  begin();
  if (std::find(files_.begin(), files_.end(), name) == files_.end()) files_.push_back(name);
  return (staging_ / name).string();
}

std::string OutputDir::folder(const std::string& name) {
  std::string path = file(name);
  create_folder(path, target_ / name);
  return path;
}

void OutputDir::write(const std::string& name, std::string_view bytes) {
  const std::string path = file(name);
  try {
    write_new_file(path, {bytes});
  } catch (const UserError& error) {
    throw UserError(error.code, (target_ / name).string(), error.message, error.status);
  }
}

void OutputDir::commit() {
  begin();
  const auto keep_and_refuse = [this](const std::string& reason) {
    kept_ = true;
    throw UserError(
        "E-OUT-004", target_.string(),
        fmt::format("cannot rename the folder: {}; the results are in {}", reason, staging_.string()));
  };
  try {
    // another process may have written here in the meantime, and must not lose anything
    check_replaceable(target_);
  } catch (const UserError& error) {
    keep_and_refuse(error.message);
  }
  const DelayedSignals delayed;  // between the two names there is no folder
  unfinished_.reset();
  const fs::path old =
      target_.parent_path() / fmt::format(".{}.old-{}", target_.filename().string(), getpid());
  std::error_code error;
  const bool replaces = fs::exists(fs::symlink_status(target_));
  if (replaces) {
    fs::rename(target_, old, error);
    if (error) keep_and_refuse(error.message());
  }
  fs::rename(staging_, target_, error);
  if (error) {
    std::error_code ignored;
    if (replaces) fs::rename(old, target_, ignored);
    keep_and_refuse(error.message());
  }
  kept_ = true;
  if (replaces) fs::remove_all(old, error);
}

}  // namespace tahoma::runtime
