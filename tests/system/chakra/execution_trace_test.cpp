// SPDX-License-Identifier: Apache-2.0
// Traces as bytes, against the protobuf wire format of the published schema, written out by hand.
#include "report/execution_trace/execution_trace.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "model/base/error.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using namespace tahoma::runtime::chakra;
using Catch::Contains;
using runtime::collective::Operation;

namespace {

// Wire format: (field << 3 | type), then a varint or a length with bytes.
std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string number(unsigned field, std::uint64_t value) { return varint(field << 3) + varint(value); }
std::string text(unsigned field, const std::string& bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string message(const std::string& bytes) { return varint(bytes.size()) + bytes; }
std::string int64_attribute(const std::string& name, std::uint64_t value) {
  return text(10, text(1, name) + number(9, value));
}
const std::string kMetadata = message(text(1, "0.0.4"));

RankTrace parse(const std::string& bytes) { return parse_trace(bytes, "t.0.et"); }

}  // namespace

TEST_CASE("execution traces: messages are read by the field numbers of the schema", "[chakra]") {
  const std::string compute = number(1, 7) + text(2, "mm") + number(3, 4) + number(7, 12) +
                              int64_attribute("num_ops", 1000) +
                              text(10, text(1, "tensor_size") + number(13, 64));
  const std::string collective = number(1, 8) + number(3, 7) + number(4, 7) + text(5, varint(7)) +
                                 int64_attribute("comm_type", 7) + int64_attribute("comm_size", 4096) +
                                 text(10, text(1, "pg_name") + text(29, "2"));
  const std::string receive = number(1, 9) + number(3, 6) + text(10, text(1, "comm_src") + number(7, 3)) +
                              text(10, text(1, "comm_tag") + number(11, 5)) +
                              int64_attribute("comm_size", 10) + text(99, "a field of a later schema");
  const RankTrace trace = parse(kMetadata + message(compute) + message(collective) + message(receive));
  REQUIRE(trace.size() == 3);
  CHECK((trace[0].id == 7 && trace[0].name == "mm" && trace[0].kind == NodeKind::kCompute));
  CHECK((trace[0].duration.fs == 12'000'000'000 && trace[0].operations == 1000 && trace[0].bytes == 64));
  CHECK((trace[1].kind == NodeKind::kCollective && trace[1].operation == Operation::kReduceScatter));
  CHECK((trace[1].message == 4096 && trace[1].group == "2"));
  CHECK(trace[1].after == std::vector<std::uint64_t>{7});  // control and data dependence on one node
  CHECK((trace[2].kind == NodeKind::kReceive && trace[2].peer == 3 && trace[2].tag == 5));
}

TEST_CASE("execution traces: what is written is read again, durations to the femtosecond", "[chakra]") {
  TraceNode compute, collective, send;
  compute.id = 1;
  compute.name = "layer, 1";
  compute.duration = {1'234'567'890'123};
  compute.operations = 5;
  compute.bytes = 6;
  collective.id = 2;
  collective.kind = NodeKind::kCollective;
  collective.operation = Operation::kAllToAll;
  collective.message = 1 << 20;
  collective.group = "3";
  collective.after = {1};
  send.id = 3;
  send.kind = NodeKind::kSend;
  send.peer = 9;
  send.tag = 4;
  send.message = 77;
  const RankTrace trace = parse(trace_bytes({compute, collective, send}, 0));
  REQUIRE(trace.size() == 3);
  CHECK((trace[0].name == compute.name && trace[0].duration == compute.duration));
  CHECK((trace[0].operations == 5 && trace[0].bytes == 6));
  CHECK((trace[1].operation == Operation::kAllToAll && trace[1].message == 1 << 20 && trace[1].group == "3"));
  CHECK(trace[1].after == collective.after);
  CHECK((trace[2].kind == NodeKind::kSend && trace[2].peer == 9 && trace[2].tag == 4 &&
         trace[2].message == 77));
}

TEST_CASE("execution traces: both ends of a message name sender, receiver, size and tag", "[chakra]") {
  // The types that ASTRA-sim's readers expect: int32 (field 7), and int64 (field 9) for sizes.
  const auto int32_attribute = [](const std::string& name, std::uint64_t value) {
    return text(10, text(1, name) + number(7, value));
  };
  TraceNode send, receive;
  send.kind = NodeKind::kSend;
  receive.kind = NodeKind::kReceive;
  send.message = receive.message = 4096;
  send.tag = receive.tag = 6;
  send.peer = 2;
  receive.peer = 5;
  for (const std::string& bytes : {trace_bytes({send}, 5), trace_bytes({receive}, 2)}) {
    CHECK_THAT(bytes, Contains(int32_attribute("comm_src", 5)) && Contains(int32_attribute("comm_dst", 2)));
    CHECK_THAT(bytes,
               Contains(int32_attribute("comm_tag", 6)) && Contains(int64_attribute("comm_size", 4096)));
    CHECK_THAT(bytes, Contains(text(10, text(1, "is_cpu_op") + number(27, 0))));
  }
}

TEST_CASE("execution traces: whole microseconds of computations add up to their exact sum, rounded",
          "[chakra]") {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::int64_t> duration(0, 2'500'000'000);  // mostly below two microseconds
  RankTrace written(200);
  for (TraceNode& node : written) node.duration = {duration(random)};
  written[100].kind = NodeKind::kCollective;  // has its own rounding
  const std::string bytes = trace_bytes(written, 0);
  // Without our attribute, a reader has the microseconds only.
  std::string others = bytes;
  for (std::size_t at = 0; (at = others.find("tahoma_duration_fs", at)) != std::string::npos;)
    others[at] = 'T';
  const RankTrace read = parse(others);
  REQUIRE(read.size() == written.size());
  std::int64_t exact = 0, whole = 0;
  for (std::size_t n = 0; n < read.size(); ++n) {
    if (n == 100) {
      CHECK(std::abs(read[n].duration.fs - written[n].duration.fs) <= 500'000'000);
      continue;
    }
    exact += written[n].duration.fs;
    whole += read[n].duration.fs;
    CHECK(std::abs(exact - whole) <= 500'000'000);
  }
}

TEST_CASE("execution traces: a process group is named by a text or by a whole number", "[chakra]") {
  const auto group = [](const std::string& attribute) {
    return parse(kMetadata + message(number(1, 8) + number(3, 7) + int64_attribute("comm_type", 0) +
                                     int64_attribute("comm_size", 64) + attribute))[0]
        .group;
  };
  CHECK(group(text(10, text(1, "pg_name") + text(29, "12"))) == "12");
  CHECK(group(int64_attribute("pg_name", 12)) == "12");
  CHECK(group(text(10, text(1, "pg_name") + number(7, 0))) == "0");
  CHECK(group("").empty());
  CHECK_THROWS_WITH(group(int64_attribute("pg_name", ~std::uint64_t{0})), Contains("pg_name"));
}

TEST_CASE("execution traces: communication of the device has a size, that of the host need not", "[chakra]") {
  const auto of = [](std::uint64_t type, const std::string& attributes) {
    return parse(kMetadata + message(number(1, 8) + number(3, type) + attributes));
  };
  const std::string on_host = text(10, text(1, "is_cpu_op") + number(27, 1));
  const std::string sum = int64_attribute("comm_type", 0), barrier = int64_attribute("comm_type", 9),
                    peer = int64_attribute("comm_dst", 1);
  CHECK_THROWS_WITH(of(7, sum), Contains("E-ETR-003") && Contains("comm_size"));
  CHECK_THROWS_WITH(of(5, peer), Contains("comm_size"));
  CHECK(of(7, sum + int64_attribute("comm_size", 0))[0].message == 0);
  CHECK(of(7, barrier).size() == 1);
  CHECK(of(7, on_host)[0].computes());
  CHECK(of(5, on_host)[0].computes());
  // Writing and reading a trace preserves `on_host`.
  CHECK(parse(trace_bytes(of(7, on_host), 0))[0].on_host);
}

TEST_CASE("execution traces: a rank without a file is named", "[chakra]") {
  const tests::TempDir folder;
  for (const char* name : {"t.0.et", "t.1.et", "t.3.et", "t.x.et", "t.04.et", "t.et", "u.9.et"})
    folder.write(name, trace_bytes({}, 0));
  CHECK_THROWS_WITH(read_traces(folder / "t"),
                    Contains("E-ETR-001") && Contains("t.2.et") && Contains("t.3.et"));
  folder.write("t.2.et", trace_bytes({}, 0));
  CHECK(read_traces(folder / "t").size() == 4);
}

TEST_CASE("execution traces: a file cut at any byte is refused at that byte or is a shorter trace",
          "[chakra]") {
  TraceNode node;
  node.name = "x";
  const std::string whole = trace_bytes({node, node}, 0);
  std::size_t shorter = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    try {
      shorter += parse(whole.substr(0, length)).size() < 2 ? 1 : 0;
    } catch (const base::UserError& error) {
      CHECK(error.code == "E-ETR-002");
    }
  }
  CHECK(shorter == 2);  // behind the metadata, and behind the first node
  CHECK_THROWS_WITH(parse("PK\x03\x04 not a trace at all"), Contains("E-ETR-002") && Contains("byte"));
}

TEST_CASE("execution traces: impossible nodes are refused by number and name", "[chakra]") {
  const auto refused = [](const std::string& node) {
    return kMetadata + message(number(1, 4) + text(2, "n") + node);
  };
  CHECK_THROWS_WITH(parse(refused(number(3, 7))),
                    Contains("E-ETR-003") && Contains("node 4 'n'") && Contains("comm_type"));
  CHECK_THROWS_WITH(parse(refused(number(3, 5))), Contains("comm_dst"));
  CHECK_THROWS_WITH(parse(refused(number(3, 6))), Contains("comm_src"));
  CHECK_THROWS_WITH(parse(refused(number(3, 9))), Contains("type 9 does not exist; expected 1 to 7"));
  CHECK_THROWS_WITH(parse(refused(number(3, 0))), Contains("node 4 'n': type 0 is INVALID_NODE"));
  CHECK_THROWS_WITH(parse(refused(number(3, 7) + int64_attribute("comm_type", 10))),
                    Contains("comm_type 10"));
  CHECK_THROWS_WITH(parse(refused(number(3, 4) + int64_attribute("num_ops", ~std::uint64_t{0}))),
                    Contains("num_ops"));
  CHECK_THROWS_WITH(parse(refused(number(3, 4) + number(7, 3'600'000'001))),
                    Contains("a duration of 3600000001 us"));
  CHECK_THROWS_WITH(
      parse(refused(number(3, 4) + int64_attribute("tahoma_duration_fs", 3'600'000'000'000'000'001))),
      Contains("more than an hour"));
  CHECK_THROWS_WITH(parse(refused(number(3, 5) + int64_attribute("comm_dst", std::uint64_t{1} << 32))),
                    Contains("comm_dst") && Contains("below 2^32"));
  // An attribute of type double that no integer can hold (field 3, eight bytes): infinity.
  const std::string infinite = varint(3 << 3 | 1) + std::string("\0\0\0\0\0\0\xf0\x7f", 8);
  CHECK_THROWS_WITH(parse(refused(number(3, 4) + text(10, text(1, "num_ops") + infinite))),
                    Contains("num_ops"));
  const std::string partial = text(10, text(1, "involved_dim") + text(28, text(1, std::string("\1\0", 2))));
  CHECK_THROWS_WITH(parse(refused(number(3, 7) + int64_attribute("comm_type", 0) + partial)),
                    Contains("involved_dim"));
  const tests::TempDir folder;
  CHECK_THROWS_WITH(read_traces(folder / "none"), Contains("E-ETR-001") && Contains("none.0.et"));
}
