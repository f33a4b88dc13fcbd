// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/config_files.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "model/base/error.h"
#include "runtime/host/text/text_file.h"

namespace tahoma::runtime {
namespace {

namespace fs = std::filesystem;

// Candidate paths of `name` in `folder`; directories of that name are skipped.
fs::path file_in(const fs::path& folder, const std::string& name) {
  for (const std::string& file : {name, name + ".yaml"}) {
    fs::path path = (folder / file).lexically_normal();
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    if (fs::exists(status) && !fs::is_directory(status)) return path;
  }
  return {};
}

struct PresetPlaces {
  const char* variable;  // of the environment
  const char* installed;
  const char* source;  // in the tree that this build is from
};

#ifndef TAHOMA_CONFIG_DIR
#define TAHOMA_CONFIG_DIR ""
#endif
#ifndef TAHOMA_PRICE_DIR
#define TAHOMA_PRICE_DIR ""
#endif
#ifndef TAHOMA_CARD_DIR
#define TAHOMA_CARD_DIR ""
#endif
// The rows follow the order of PresetKind.
constexpr PresetPlaces kPlaces[] = {{"TAHOMA_CONFIGS", "share/tahoma/configs", TAHOMA_CONFIG_DIR},
                                    {"TAHOMA_PRICES", "share/tahoma/prices", TAHOMA_PRICE_DIR},
                                    {"TAHOMA_CARDS", "share/tahoma/cards", TAHOMA_CARD_DIR}};

// The prefix of the installation that this code is in: PREFIX/bin/tahoma, or
// PREFIX/lib/python3*/*-packages/_tahoma.*.so, whose process is an interpreter at another place.
fs::path installation() {
  if (Dl_info found{}; dladdr(kPlaces, &found) != 0 && found.dli_fname != nullptr) {
    const fs::path loaded = fs::absolute(found.dli_fname);
    if (loaded.filename().string().starts_with("_tahoma.")) return loaded / "../../../..";
  }
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  return failed ? fs::path() : program / "../..";
}

}  // namespace

base::NamedText read_config_text(const fs::path& path) {
  // One byte more than is legal is enough for the loader to refuse the text.
  return {name_of_file(path.string()), read_text(path.string(), base::kMostText + 1),
          path.parent_path().string()};
}

std::string path_from(const std::string& folder, const std::string& path) {
  if (fs::path(path).is_absolute()) return path;
  // The path is made absolute first: weakly_canonical() leaves a relative path relative if it does not begin
  // with a folder that exists.
  const auto canonical = [](const std::string& name) { return fs::weakly_canonical(fs::absolute(name)); };
  return canonical(path).lexically_relative(canonical(folder)).string();
}

std::vector<fs::path> preset_directories(PresetKind kind) {
  const PresetPlaces& places = kPlaces[static_cast<std::size_t>(kind)];
  std::vector<fs::path> wanted;
  if (const char* configured = std::getenv(places.variable); configured != nullptr && *configured != '\0')
    wanted.emplace_back(configured);
  if (const fs::path prefix = installation(); !prefix.empty())
    wanted.push_back((prefix / places.installed).lexically_normal());
  wanted.emplace_back(places.source);
  std::erase_if(wanted, [](const fs::path& folder) {
    std::error_code ignored;
    return !fs::is_directory(folder, ignored);
  });
  return wanted;
}

std::vector<std::string> preset_names(PresetKind kind) {
  std::vector<std::string> names;
  for (const fs::path& folder : preset_directories(kind)) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

fs::path find_config(const std::string& name, const fs::path& beside, PresetKind kind) {
  if (name.empty()) return {};
  if (fs::path path = file_in(beside, name); !path.empty()) return path;
  for (const fs::path& folder : preset_directories(kind))
    if (fs::path path = file_in(folder, name); !path.empty()) return path;
  return {};
}

std::string find_machine(const std::string& name, const fs::path& beside, const std::string& place) {
  if (const fs::path path = find_config(name, beside); !path.empty()) return path.string();
  const std::vector<std::string> names = preset_names();
  throw base::UserError("E-CFG-021", place,
                        fmt::format("no machine '{}': expected a path or one of {}{}", name,
                                    fmt::join(names, ", "), base::did_you_mean(name, names)));
}

base::NamedText read_extended(const std::string& name, const std::string& extended_by) {
  const fs::path path = find_config(name, fs::path(extended_by).parent_path());
  if (path.empty())
    throw base::UserError("E-CFG-016", "",
                          fmt::format("'extends': no file '{}' next to this one or among the presets{}", name,
                                      base::did_you_mean(name, preset_names())));
  return read_config_text(path);
}

}  // namespace tahoma::runtime
