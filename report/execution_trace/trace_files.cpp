// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <set>

#include "model/base/error.h"
#include "report/execution_trace/execution_trace.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime::chakra {

using base::UserError;

namespace {

// Returns the number N of a file PREFIX.N.et; unset for others.
std::optional<std::uint64_t> rank_of(const std::string& file, const std::string& beginning) {
  constexpr std::string_view kEnd = ".et";
  if (!file.starts_with(beginning) || !file.ends_with(kEnd) || file.size() <= beginning.size() + kEnd.size())
    return std::nullopt;
  const char *first = file.data() + beginning.size(), *last = file.data() + file.size() - kEnd.size();
  std::uint64_t rank = 0;
  const auto [end, error] = std::from_chars(first, last, rank);
  const bool plain = error == std::errc() && end == last && (*first != '0' || last - first == 1);
  return plain ? std::optional(rank) : std::nullopt;
}

// The numbers of all files PREFIX.N.et, in order.
std::set<std::uint64_t> ranks_of_files(const std::string& prefix) {
  const std::filesystem::path path(prefix + ".");
  std::set<std::uint64_t> ranks;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(
           path.has_parent_path() ? path.parent_path() : std::filesystem::path("."), none))
    if (const auto rank = rank_of(entry.path().filename().string(), path.filename().string()))
      ranks.insert(*rank);
  return ranks;
}

}  // namespace

std::vector<RankTrace> read_traces(const std::string& prefix) {
  const std::set<std::uint64_t> ranks = ranks_of_files(prefix);
  std::vector<RankTrace> traces;
  for (const std::uint64_t rank : ranks) {
    if (rank != traces.size())
      throw UserError(
          "E-ETR-001", prefix,
          fmt::format("there is no file {0}.{1}.et, but {0}.{2}.et; expected one file for each rank "
                      "from 0 on",
                      prefix, traces.size(), rank));
    const std::string name = fmt::format("{}.{}.et", prefix, rank);
    traces.push_back(parse_trace(read_file(name), name));
  }
  if (traces.empty())
    throw UserError(
        "E-ETR-001", prefix,
        fmt::format("there is no file {}.0.et; expected the common beginning of the names of traces, one "
                    "file for each rank",
                    prefix));
  return traces;
}

}  // namespace tahoma::runtime::chakra
