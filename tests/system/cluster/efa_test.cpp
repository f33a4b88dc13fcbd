// SPDX-License-Identifier: Apache-2.0
// Links of EFA between small UltraServers: a message takes the flight time of two links more, and its bytes
// the rate of one; buffers that are too small for the flight time limit the rate.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;

namespace {

constexpr const char* kMessage =
    "kind: collective\n"
    "mode: timing\n"
    "machine: {extends: trainium2_efa_servers, torus: {x: 2, y: 1, z: 2}}\n"
    "workload: {operation: send_recv, algorithm: direct, ranks: chips, over: '0,2'}\n";

struct Messages {
  TempDir folder;
  Messages() { folder.write("message.yaml", kMessage); }
  double microseconds(std::uint64_t bytes, const std::string& set = "machine.link.efa.rate=25 GB/s") const {
    const Finished f =
        tahoma_in(folder.path().string(),
                  {"run", "message.yaml", "--no-report", "--out", "out", "--format", "json", "--set", set,
                   "--set", "workload.bytes=" + std::to_string(bytes >> 10) + " KiB"});
    INFO(f.err);
    REQUIRE(f.status == 0);
    return nlohmann::json::parse(f.out)["collectives"][0]["time_ns"].get<double>() * 1e-3;
  }
};

constexpr std::uint64_t kSmall = 64 << 10, kLarge = 16 << 20;

}  // namespace

TEST_CASE("efa: a message waits for the flight time of two links", "[cluster]") {
  const Messages messages;
  const double base = messages.microseconds(kSmall);
  CHECK(base > 2 * 6.5);
  CHECK(messages.microseconds(kSmall, "machine.link.efa.wire=16500 ns") - base == Approx(20).epsilon(0.001));
}

TEST_CASE("efa: bytes take the rate of the adapter, with their headers", "[cluster]") {
  const Messages messages;
  const double headers = (4096.0 + 32) / 4096, bytes = kLarge - kSmall;
  for (const double rate : {25.0, 12.5}) {
    const std::string set = "machine.link.efa.rate=" + std::to_string(rate) + " GB/s";
    CHECK(messages.microseconds(kLarge, set) - messages.microseconds(kSmall, set) ==
          Approx(bytes * headers / (rate * 1e3)).epsilon(0.01));
  }
}

TEST_CASE("efa: a buffer limits the rate to itself in each round trip", "[cluster]") {
  const Messages messages;
  const double buffer = 128 << 10, round_trip = 2 * 6.5;
  // A packet is one unit of the buffer that is late.
  CHECK(messages.microseconds(kLarge, "machine.link.efa.buffer=128 KiB") > kLarge / buffer * round_trip);
  CHECK(messages.microseconds(kLarge) < kLarge / buffer * round_trip);
}

TEST_CASE("efa: what such links cannot have is refused", "[cluster]") {
  const Messages messages;
  for (const auto& [set, path] : {std::pair{"machine.link.efa.buffer=1 KiB", "machine.link.efa.buffer"},
                                  {"machine.link.port.model=rtl", "machine.link.port.model"}}) {
    const Finished f = tahoma_in(messages.folder.path().string(), {"run", "message.yaml", "--set", set});
    CHECK(f.status == 2);
    CHECK_THAT(f.err, Catch::Contains("E-CFG-020") && Catch::Contains(path));
  }
}
