// SPDX-License-Identifier: Apache-2.0
// The part of a run that a timeline shows, the memory of its writer, and bad requests. Contents of whole
// timelines: tests/trace.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "report/trace/packet_writer.h"
#include "report/trace/selection.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/refusal_of.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using runtime::TraceFate, runtime::TraceKind, runtime::TraceRequest;

namespace {

const model::MachineParams& two_chips() {
  static const model::MachineParams machine = machine_of(2, 1, 1);
  return machine;
}

TraceRequest request() {
  TraceRequest request;
  request.wanted = true;
  return request;
}

std::string refusal(const TraceRequest& request) {
  return refusal_of([&] { runtime::trace_selection(request, two_chips()); });
}

std::string refusal_of_cores(const std::string& text) {
  TraceRequest r = request();
  r.cores = {text};
  return refusal(r);
}

std::vector<std::size_t> cores_of(const std::vector<std::string>& words) {
  TraceRequest r = request();
  r.cores = words;
  const auto selection = runtime::trace_selection(r, two_chips());
  std::vector<std::size_t> cores;
  for (std::size_t core = 0; core < selection.cores.size(); ++core)
    if (selection.cores[core]) cores.push_back(core);
  return cores;
}

// Every slice has a text that no earlier slice has.
void write_slices(runtime::PacketWriter& writer, runtime::PacketWriter::Track track, std::uint64_t first,
                  std::uint64_t count) {
  for (std::uint64_t n = first; n < first + count; ++n) {
    const std::string text =
        "matmul dst=psum[0, " + std::to_string(n) + "] and as much text as an instruction has";
    const base::Time start{static_cast<std::int64_t>(n) * 1'000'000};
    const std::array values{runtime::TraceValue{runtime::TraceArgument::kInstruction, std::string_view(text)},
                            runtime::TraceValue{runtime::TraceArgument::kBytes, n}};
    writer.begin(track, TraceKind::kEngines, "matmul", start, values);
    writer.end(track, start + base::Duration{500'000});
  }
}

}  // namespace

TEST_CASE("trace: options without --trace are refused", "[trace]") {
  for (const auto& [option, set] : std::vector<std::pair<std::string, void (*)(TraceRequest&)>>{
           {"--trace-from", [](TraceRequest& r) { r.from = "1us"; }},
           {"--trace-until", [](TraceRequest& r) { r.until = "1us"; }},
           {"--trace-cores", [](TraceRequest& r) { r.cores = {"0"}; }},
           {"--trace-kinds", [](TraceRequest& r) { r.kinds = {"dma"}; }},
           {"--trace-limit", [](TraceRequest& r) { r.limit = "5"; }},
           {"--trace-flows", [](TraceRequest& r) { r.flows = true; }}}) {
    TraceRequest r;
    set(r);
    CHECK_THAT(refusal(r), Contains(option) && Contains("E-TRC-001") && Contains("expected --trace"));
  }
  CHECK(refusal(TraceRequest{}) == "accepted");
}

TEST_CASE("trace: a time needs a unit, and a window an end behind its beginning", "[trace]") {
  TraceRequest r = request();
  r.from = "12";
  CHECK_THAT(refusal(r), Contains("--trace-from") && Contains("E-TRC-002") && Contains("like 12.5us"));
  r.from = "2us";
  r.until = "2us";
  CHECK_THAT(refusal(r), Contains("--trace-until") && Contains("E-TRC-002") && Contains("a later end"));
  r.until = "2001ns";
  CHECK(refusal(r) == "accepted");
}

TEST_CASE("trace: cores that the machine does not have are refused with the nearest name", "[trace]") {
  CHECK_THAT(refusal_of_cores("server0.chip01.cor3"),
             Contains("E-TRC-003") && Contains("did you mean 'server0.chip01.core3'"));
  for (const std::string text : {"16", "3-16", "5-2", "3-", "-3", "x", "", "1-2-3", "99999999999999999999"})
    CHECK_THAT(refusal_of_cores(text), Contains("E-TRC-003") && Contains("from 0 to 15"));
}

TEST_CASE("trace: cores are chosen by number, range and name of an instance", "[trace]") {
  CHECK(cores_of({"3"}) == std::vector<std::size_t>{3});
  CHECK(cores_of({"3", "0-1"}) == std::vector<std::size_t>{0, 1, 3});
  CHECK(cores_of({"server0.chip01.core2"}) == std::vector<std::size_t>{10});
  CHECK(cores_of({"server0.chip01"}) == std::vector<std::size_t>{8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(cores_of({"server0"}).size() == 16);
  CHECK(cores_of({}).size() == 16);
}

TEST_CASE("trace: an unknown kind is refused with the nearest one", "[trace]") {
  TraceRequest r = request();
  r.kinds = {"engines", "link"};
  CHECK_THAT(refusal(r), Contains("E-TRC-004") && Contains("did you mean 'links'") && Contains("occupancy"));
}

TEST_CASE("trace: a limit is a number of events", "[trace]") {
  for (const std::string text : {"0", "-1", "many", "1.5"}) {
    TraceRequest r = request();
    r.limit = text;
    CHECK_THAT(refusal(r), Contains("--trace-limit") && Contains("E-TRC-005"));
  }
}

TEST_CASE("trace: bad options end the command before the simulation", "[trace]") {
  const Finished run = tahoma_in(TAHOMA_SOURCE_DIR, {"run", "workloads/gemm/chip.yaml", "--out", "never",
                                                     "--trace", "--trace-kinds", "engine"});
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("E-TRC-004") && Contains("did you mean 'engines'"));
  CHECK_FALSE(std::filesystem::exists(std::string(TAHOMA_SOURCE_DIR) + "/never"));
}

TEST_CASE("trace: every event is written or counted under one reason", "[trace]") {
  runtime::TraceSelection selection;
  selection.from = {100};
  selection.until = {200};
  selection.kinds.fill(true);
  selection.kinds[static_cast<std::size_t>(TraceKind::kWaits)] = false;
  selection.limit = 2;
  runtime::TraceTally tally(selection);
  CHECK_FALSE(tally.admits(TraceKind::kWaits, true, {100}, {150}));
  CHECK_FALSE(tally.admits(TraceKind::kDma, false, {100}, {150}));
  CHECK_FALSE(tally.admits(TraceKind::kDma, true, {0}, {99}));
  CHECK_FALSE(tally.admits(TraceKind::kDma, true, {200}, {300}));
  CHECK(tally.admits(TraceKind::kDma, true, {0}, {100}));
  CHECK(tally.admits(TraceKind::kLinks, true, {199}, {300}));
  CHECK_FALSE(tally.admits(TraceKind::kLinks, true, {150}, {160}));
  CHECK(tally.count(TraceKind::kDma, TraceFate::kOutsideWindow) == 2);
  CHECK(runtime::tally_text(tally) ==
        "2 events; omitted: 1 of other kinds, 1 of other cores, 2 outside the window, 1 beyond the limit");
}

// Any number of new texts leaves the tables at their maximum size.
TEST_CASE("trace: the writer's memory does not grow with the events", "[trace]") {
  constexpr std::uint64_t kStep = 200'000;
  constexpr std::size_t kMost = 16 << 20;  // bytes
  runtime::PacketWriter writer("trace.pftrace");
  const auto track = writer.add_track(runtime::PacketWriter::kRoot, "engine");
  std::size_t largest = 0;
  for (std::uint64_t n = 0; n < 3; ++n) {
    write_slices(writer, track, n * kStep, kStep);
    largest = std::max(largest, writer.bytes_held());
  }
  CHECK(largest < kMost);
  writer.close();
  CHECK(std::filesystem::file_size("trace.pftrace") > 4 * kMost);
}

TEST_CASE("trace: a full disk ends the run with the file's name", "[trace]") {
  // A limit of the file's size stands for the full disk.
  constexpr rlim_t kMost = 4096;
  const rlimit limit{kMost, kMost};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const auto fill = [] {
    runtime::PacketWriter writer("trace.pftrace");
    write_slices(writer, writer.add_track(runtime::PacketWriter::kRoot, "engine"), 0, 20'000);
    writer.close();
  };
  CHECK_THAT(refusal_of(fill), Contains("trace.pftrace") && Contains("E-OUT-003"));
  CHECK_THAT(refusal_of([] { runtime::PacketWriter("no such folder/trace"); }), Contains("E-OUT-003"));
}
