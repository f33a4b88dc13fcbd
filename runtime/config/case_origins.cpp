// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/case_origins.h"

#include <cctype>
#include <string_view>

namespace tahoma::runtime {

namespace {

constexpr std::string_view kSet = "--set ", kWorkload = "workload.", kMachine = "machine.";

bool is_at_or_below(std::string_view path, std::string_view above) {
  return path.starts_with(above) &&
         (path.size() == above.size() || path[above.size()] == '.' || path[above.size()] == '[');
}

bool continues_path(char c) {
  return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_' || c == '.';
}

// The path of a parameter that begins at `at`, without the full stop of a sentence; "" if none does.
std::string_view path_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (!rest.starts_with(kWorkload) && !rest.starts_with(kMachine)) return {};
  if (at > 0 && continues_path(text[at - 1])) return {};
  std::size_t end = 0;
  while (end < rest.size() && continues_path(rest[end])) ++end;
  while (rest[end - 1] == '.') --end;
  return rest.substr(0, end);
}

// "machine.chip.hbm.model" of the place "--set machine.chip.hbm.model=flat".
std::string path_of_place(const std::string& place) {
  return place.starts_with(kSet) ? place.substr(kSet.size(), place.find('=') - kSet.size()) : place;
}

}  // namespace

const CaseOrigin* CaseOrigins::of(const std::string& path) const {
  const CaseOrigin* found = nullptr;
  for (const CaseOrigin& origin : origins_)
    if (is_at_or_below(path, origin.path) && (found == nullptr || origin.path.size() > found->path.size()))
      found = &origin;
  return found;
}

std::string CaseOrigins::text_in_words(const std::string& text, const std::string& place) const {
  std::string words;
  for (std::size_t at = 0; at < text.size();) {
    const std::string path(path_at(text, at));
    if (path.empty()) {
      words += text[at++];
      continue;
    }
    at += path.size();
    const bool given = words.ends_with(kSet) || place.starts_with(std::string(kSet) + path + "=");
    if (const CaseOrigin* origin = given ? nullptr : of(path)) {
      words += origin->given;
    } else {
      words += (given || !path.starts_with(kWorkload) ? "" : std::string(kSet)) + path;
    }
  }
  return words;
}

base::UserError CaseOrigins::in_words(const base::UserError& error) const {
  std::string place = error.place;
  const std::string path = path_of_place(place);
  // A value that the command sets itself, or else the user: then the place is the user's.
  const bool overrides = place.starts_with(kSet);
  if (const CaseOrigin* origin = of(path); origin != nullptr && (!overrides || origin->path == path)) {
    place = origin->place;
  } else if (place.starts_with(kWorkload)) {
    place = std::string(kSet) + place;
  }
  std::string message = text_in_words(error.message, place);
  // "--batch 30: '--batch': expected ..." says it twice.
  for (const CaseOrigin& origin : origins_)
    if (const std::string twice = "'" + origin.given + "': ";
        origin.place == place && message.starts_with(twice))
      message.erase(0, twice.size());
  return base::UserError(error.code, place, message, error.status);
}

}  // namespace tahoma::runtime
