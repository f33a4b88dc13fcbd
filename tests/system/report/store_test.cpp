// SPDX-License-Identifier: Apache-2.0
// stats.db: it gives back what was put in, its bytes depend on nothing else, and a damaged one is refused.
#include <bit>
#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>
#include <random>

#include "model/base/error.h"
#include "model/system/statistics/list_statistics.h"
#include "report/files/statistics_tables.h"
#include "report/files/stats_files.h"
#include "report/store/deflate.h"
#include "report/store/run_store.h"
#include "runtime/host/text/whole_file.h"
#include "tests/support/program/fake_run.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::Stat, base::Unit;
using Catch::Contains;

namespace {

// A folder with a store.
struct StoredFolder {
  explicit StoredFolder(const std::vector<Stat>& stats, const runtime::StoredFiles& files = {}) {
    dir.write("stats.db", runtime::store_bytes(stats, files));
  }
  runtime::RunStore store() const { return runtime::RunStore(dir.path()); }
  TempDir dir;
};

std::uint64_t bits(const Stat& stat) {
  const auto* count = std::get_if<std::uint64_t>(&stat.value);
  return count != nullptr ? *count : std::bit_cast<std::uint64_t>(std::get<double>(stat.value));
}

void check_same(const std::vector<Stat>& found, const std::vector<Stat>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t n = 0; n < found.size(); ++n) {
    INFO(expected[n].path);
    CHECK(found[n].path == expected[n].path);
    CHECK(found[n].value.index() == expected[n].value.index());
    CHECK(bits(found[n]) == bits(expected[n]));
    CHECK(found[n].unit == expected[n].unit);
    CHECK(std::string(found[n].doc) == expected[n].doc);
  }
}

void check_comes_back(const std::vector<Stat>& stats) {
  const StoredFolder folder(stats);
  check_same(folder.store().statistics(), stats);
  CHECK(runtime::stats_json(folder.store().statistics()) == runtime::stats_json(stats));
  CHECK(runtime::stats_csv(folder.store().statistics()) == runtime::stats_csv(stats));
  CHECK(runtime::stats_text(folder.store().statistics()) == runtime::stats_text(stats));
}

std::vector<Stat> stats_of_fake_run() {
  base::StatSink sink;
  model::list_statistics(fake_dram_run(), sink);
  return sink.stats();
}

// Returns the error code with which `read` fails; "" if it succeeds.
template <class Read>
std::string refusal_of_read(const Read& read) {
  try {
    read();
  } catch (const base::UserError& error) {
    return error.code;
  }
  return "";
}

std::string refusal_of_bytes(const std::string& bytes) {
  const TempDir dir;
  dir.write("stats.db", bytes);
  return refusal_of_read([&] {
    const runtime::RunStore store(dir.path());
    static_cast<void>(store.statistics());
    for (const std::string& name : store.names()) static_cast<void>(store.file(name));
  });
}

}  // namespace

TEST_CASE("store: statistics come back as they were, in their order", "[store]") {
  check_comes_back({});
  check_comes_back(stats_of_fake_run());
  check_comes_back(runtime::known_statistics());
  // Values at the ends of their ranges, numbers that compare equal, and places of any depth, some of them
  // twice.
  std::vector<Stat> odd{
      {"whole", std::uint64_t{1}, Unit::kCount, "a"},
      {"whole", 1.0, Unit::kCount, "a"},
      {"zero", 0.0, Unit::kRatio, "0"},
      {"zero", -0.0, Unit::kRatio, "0"},
      {"a.b.c.d.e", std::numeric_limits<std::uint64_t>::max(), Unit::kBytes, "quote \" and, comma"},
      {"a.b.c.d.f", std::numeric_limits<double>::denorm_min(), Unit::kNanoseconds, ""},
      {"a.b", 0.1 + 0.2, Unit::kPercent, "x"},
      {"a.b.c.d.e", std::numeric_limits<double>::max(), Unit::kBytes, "twice"}};
  for (int n = 0; n < 250; ++n)
    odd.push_back({"many.n" + std::to_string(n), static_cast<std::uint64_t>(n % 3), Unit::kCount,
                   "more than a class holds"});
  check_comes_back(odd);
  std::mt19937 random(7);  // NOLINT: the same list each time
  std::vector<Stat> list;
  for (int n = 0; n < 2000; ++n) {
    const std::string path = "server0.chip" + std::to_string(random() % 4) + ".part" +
                             std::to_string(n / 7 % 5) + ".v" + std::to_string(n % 7);
    if (random() % 2 == 0)
      list.push_back({path, std::uint64_t{random() % 3}, Unit::kCount, "count"});
    else
      list.push_back({path, static_cast<double>(random() % 3) / 3, Unit::kRatio, "ratio"});
  }
  check_comes_back(list);
}

TEST_CASE("store: its view of the statistics is their list", "[store]") {
  const std::vector<Stat> stats = stats_of_fake_run();
  const StoredFolder folder(stats);
  runtime::Database database(folder.dir / "stats.db", runtime::Database::Access::kRead);
  const auto rows = database.rows("SELECT path, value, unit, description FROM statistics");
  REQUIRE(rows.size() == stats.size());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    CHECK(std::get<std::string>(rows[n][0]) == stats[n].path);
    if (const auto* count = std::get_if<std::uint64_t>(&stats[n].value))
      CHECK(std::get<std::int64_t>(rows[n][1]) == static_cast<std::int64_t>(*count));
    else
      CHECK(std::get<double>(rows[n][1]) == std::get<double>(stats[n].value));
    CHECK(std::get<std::string>(rows[n][2]) == base::name_of(stats[n].unit));
    CHECK(std::get<std::string>(rows[n][3]) == stats[n].doc);
  }
}

TEST_CASE("store: files come back byte for byte", "[store]") {
  std::mt19937 random(1);  // NOLINT
  std::string noise(5000, '\0'), long_text;
  for (char& byte : noise) byte = static_cast<char>(random());
  for (int n = 0; n < 50'000; ++n) long_text += "line " + std::to_string(n) + "\n";
  const runtime::StoredFiles files{
      {"empty.csv", ""}, {"a.csv", "x"}, {"noise", noise}, {"long.csv", long_text}};
  const StoredFolder folder({}, files);
  const runtime::RunStore store = folder.store();
  REQUIRE(store.names().size() == files.size());
  for (std::size_t n = 0; n < files.size(); ++n) {
    CHECK(store.names()[n] == files[n].first);
    CHECK(store.file(files[n].first) == files[n].second);
  }
  CHECK(store.file("other.csv") == std::nullopt);
  CHECK(std::filesystem::file_size(folder.dir / "stats.db") < long_text.size() / 2);
  // The archive is one that the program of SQLite unpacks.
  if (run_program({"/usr/bin/sqlite3", "stats.db", "-Ax"}, folder.dir.path()).status == 0)
    for (const auto& [name, bytes] : files) CHECK(contents(folder.dir / name) == bytes);
}

TEST_CASE("store: the same run gives the same bytes, in which no version of SQLite is named", "[store]") {
  const std::string a = runtime::store_bytes(stats_of_fake_run(), {{"a.csv", "b"}}),
                    b = runtime::store_bytes(stats_of_fake_run(), {{"a.csv", "b"}});
  CHECK(a == b);
  CHECK(a.substr(0, 15) == "SQLite format 3");
  CHECK(a.substr(96, 4) == std::string(4, '\0'));
}

TEST_CASE("store: a damaged one, a foreign one and a newer one are refused", "[store][bad-input]") {
  const std::string whole = runtime::store_bytes(stats_of_fake_run(), {{"a.csv", std::string(20'000, 'a')}});
  CHECK(refusal_of_bytes(whole) == "");
  for (const std::size_t size : {std::size_t{1}, std::size_t{50}, std::size_t{100}, std::size_t{4096},
                                 whole.size() / 2, whole.size() - 4096, whole.size() - 1}) {
    INFO(size);
    CHECK(refusal_of_bytes(whole.substr(0, size)) == "E-REP-004");
  }
  CHECK(refusal_of_bytes("") == "E-REP-004");
  CHECK(refusal_of_bytes("path,value\n") == "E-REP-004");
  CHECK(refusal_of_bytes(std::string(8192, 'x')) == "E-REP-004");
  std::string newer = whole;
  newer[63] = 2;  // the last byte of user_version
  CHECK(refusal_of_bytes(newer) == "E-REP-005");
  // Any other damage is refused or changes a value; it never ends the program.
  std::mt19937 random(3);  // NOLINT
  for (int n = 0; n < 300; ++n) {
    std::string damaged = whole;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    const std::string code = refusal_of_bytes(damaged);
    CHECK((code.empty() || code == "E-REP-004" || code == "E-REP-005" || code == "E-REP-006"));
  }
}

TEST_CASE("store: a folder without statistics says so", "[store][bad-input]") {
  const TempDir dir;
  CHECK(refusal_of_read([&] { static_cast<void>(runtime::RunStore(dir.path()).statistics()); }) ==
        "E-REP-006");
  dir.write("stats.json", "[{\"path\": 1}]");
  CHECK(refusal_of_read([&] { static_cast<void>(runtime::RunStore(dir.path()).statistics()); }) ==
        "E-REP-004");
}

TEST_CASE("deflate: any bytes come back, and damaged ones do not", "[store]") {
  std::mt19937 random(5);  // NOLINT
  for (const std::size_t size : {0, 1, 2, 1000, 70'000}) {
    std::string bytes(size, 'a');
    for (std::size_t n = 0; n < size; n += 3) bytes[n] = static_cast<char>(random());
    const std::string packed = runtime::deflated(bytes);
    CHECK(runtime::inflated(packed, size) == bytes);
    CHECK(runtime::inflated(packed, size + 1) == std::nullopt);
    CHECK(runtime::inflated(packed.substr(0, packed.size() - 1), size) == std::nullopt);
  }
  CHECK(runtime::inflated("x", 1'000'000'000) == std::nullopt);  // no memory is taken for it
}
