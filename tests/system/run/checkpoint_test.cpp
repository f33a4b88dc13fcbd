// SPDX-License-Identifier: Apache-2.0
// Intermediate values of a program in which every step has a closed form.
#include <catch2/catch.hpp>
#include <set>

#include "tests/support/program/dump_case.h"
#include "tests/support/program/file_of_run.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;

namespace {

// out = 2 in + 1 in two steps on one tile.
constexpr const char* kChain = R"(.program chain
.args in out
sync:
  .region load
  dma_copy shape=4x8 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1
  .region store
  dma_copy shape=4x8 dst=out:fp32 src=sbuf[0, 0x800]:fp32 wait=s1>=2 update=s2+=1
  sem_wait wait=s2>=16
vector:
  .region scale
  tensor_scalar shape=4x8 dst=sbuf[0, 0x800]:fp32 src=sbuf[0, 0x0]:fp32 op0=mult scalar0=2 wait=s0>=16 update=s1+=1
  .region shift
  tensor_scalar shape=4x8 dst=sbuf[0, 0x800]:fp32 src=sbuf[0, 0x800]:fp32 op0=add scalar0=1 update=s1+=1
)";

// out = in + 3, one at a time.
constexpr const char* kLoop = R"(.program loop
.args in out
sync:
  dma_copy shape=4x8 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1
  dma_copy shape=4x8 dst=out:fp32 src=sbuf[0, 0x0]:fp32 wait=s1>=3 update=s2+=1
  sem_wait wait=s2>=16
vector:
  reg_set d=r1 imm=0
  sem_wait wait=s0>=16
again:
  .region round
  tensor_scalar shape=4x8 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x0]:fp32 op0=add scalar0=1 update=s1+=1
  reg_alu d=r1 a=r1 op=add imm=1
  branch a=r1 compare=lt imm=3 target=again
)";

float doubled(float x) { return 2 * x; }
float chained(float x) { return 2 * x + 1; }

void check_refused(const Finished& f, int status, const std::string& code, const std::string& hint) {
  INFO(f.err);
  CHECK(f.status == status);
  CHECK_THAT(f.err, Contains("error[" + code + "]") && Contains(hint));
}

}  // namespace

TEST_CASE("checkpoints: tensors and tiles have the values of the point, not those of the end",
          "[checkpoint]") {
  const DumpCase c(kChain, counted());
  const Finished f =
      c.run({"--dump", "core0.out", "--dump", "core0.out@scale", "--dump", "core0.sbuf.*@scale", "--dump",
             "core0.sbuf.tensor_scalar", "--dump", "core0.sbuf.tensor_scalar@vector[1]"});
  INFO(f.err);
  REQUIRE(f.status == 0);
  CHECK(c.dumped("core0.out") == each(counted(), chained));
  CHECK(c.dumped("core0.out@scale") == Floats(32, 0.0F));  // not yet stored
  CHECK(c.dumped("core0.sbuf.tensor_scalar@scale") == each(counted(), doubled));
  CHECK(c.dumped("core0.sbuf.load_of_in@scale") == counted());
  CHECK(c.dumped("core0.sbuf.tensor_scalar") == each(counted(), chained));
  CHECK(c.dumped("core0.sbuf.tensor_scalar@vector[1]") == each(counted(), chained));
}

TEST_CASE("checkpoints: results are the writes of each instruction, and the index identifies them",
          "[checkpoint]") {
  const DumpCase c(kChain, counted());
  REQUIRE(c.run({"--dump", "results"}).status == 0);
  CHECK(c.dumped("core0.sync[0]") == counted());
  CHECK(c.dumped("core0.vector[0]") == each(counted(), doubled));
  CHECK(c.dumped("core0.vector[1]") == each(counted(), chained));
  CHECK(c.dumped("core0.sync[1]") == each(counted(), chained));
  const nlohmann::json index = c.index();
  REQUIRE(index["checkpoints"].size() == 4);
  double time = 0;
  for (const auto& checkpoint : index["checkpoints"]) {
    CHECK(checkpoint["time_ns"] >= time);  // in order of time
    time = checkpoint["time_ns"];
    CHECK(checkpoint["shape"] == std::vector<int>{4, 8});
    CHECK(checkpoint["dtype"] == "fp32");
    CHECK(checkpoint["instance"] == "server0.chip00.core0");
  }
  const nlohmann::json& scale = index["checkpoints"][1];
  CHECK(scale["name"] == "core0.vector[0]");
  CHECK(scale["region"] == "scale");
  CHECK(scale["tile"] == "core0.sbuf.tensor_scalar");
  CHECK(scale["instruction"]["queue"] == "vector");
  CHECK_THAT(scale["instruction"]["text"].get<std::string>(), Contains("scalar0=2"));
  CHECK(index["checkpoints"][3]["tile"] == "core0.out");
}

TEST_CASE("checkpoints: an instruction of a loop has a result each time", "[checkpoint]") {
  const DumpCase c(kLoop, counted());
  REQUIRE(c.run({"--dump", "core0.vector[*]", "--dump", "core0.sbuf.*@round#2"}).status == 0);
  CHECK(c.dumped("core0.vector[2]") == each(counted(), [](float x) { return x + 1; }));
  CHECK(c.dumped("core0.vector[2]#2") == each(counted(), [](float x) { return x + 2; }));
  CHECK(c.dumped("core0.vector[2]#3") == each(counted(), [](float x) { return x + 3; }));
  CHECK(c.index()["checkpoints"].size() == 4);
  CHECK(c.dumped("core0.sbuf.load_of_in@round#2") == each(counted(), [](float x) { return x + 2; }));
}

TEST_CASE("checkpoints: every core that a name matches has its own", "[checkpoint]") {
  const DumpCase c(kChain, counted(), 3);
  REQUIRE(c.run({"--dump", "core*.out", "--dump", "core2.vector[1]"}).status == 0);
  for (const char* name : {"core0.out", "core1.out", "core2.out", "core2.vector[1]"})
    CHECK(c.dumped(name) == each(counted(), chained));
  CHECK(c.index()["checkpoints"].size() == 4);
}

TEST_CASE("checkpoints: a run is the same run with and without them", "[checkpoint]") {
  const DumpCase c(kChain, counted(), 2);
  REQUIRE(c.run({}, "plain").status == 0);
  REQUIRE(c.run({"--dump", "results", "--dump", "core0.out@scale"}, "watched").status == 0);
  for (const char* file : {"summary.json", "stats.json", "regions.csv"})
    CHECK(file_of_run(c.path(std::string("plain/") + file)) ==
          file_of_run(c.path(std::string("watched/") + file)));
  REQUIRE(c.run({"--dump", "results"}, "again").status == 0);
  REQUIRE(c.run({"--dump", "results"}, "watched").status == 0);  // an earlier run's folder is replaced
  CHECK(contents(c.path("again/dumps/index.json")) == contents(c.path("watched/dumps/index.json")));
}

TEST_CASE("checkpoints: an unknown name is refused with the nearest one", "[checkpoint][bad-input]") {
  const DumpCase c(kChain, counted());
  check_refused(c.run({"--dump", "core0.out", "--mode", "timing"}), 2, "E-CKP-001", "functional mode");
  check_refused(c.run({"--dump", "core0.vector[one]"}), 2, "E-CKP-002", "not a number");
  check_refused(c.run({"--dump", "core0.uot"}), 2, "E-CKP-003", "did you mean 'core0.out'?");
  check_refused(c.run({"--dump", "core0.scalar[0]"}), 2, "E-CKP-003", "no such instruction");
  check_refused(c.run({"--dump", "core0.sync[2]"}), 2, "E-CKP-003", "no such instruction");  // a wait
  check_refused(c.run({"--dump", "core0.out@scal"}), 2, "E-CKP-004", "did you mean 'scale'?");
  check_refused(c.run({"--dump", "core0.out@vector[2]"}), 2, "E-CKP-004", "2 instructions in queue vector");
  check_refused(c.run({"--dump", "core0.out@scale#2"}), 2, "E-CKP-005", "did not reach core 0@scale#2");
  check_refused(c.run({"--dump", "core0.out", "--rtol", "0.1"}), 2, "E-CKP-008", "--compare-with");
  check_refused(c.run({"--compare-with", "out", "--atol", "-1"}), 2, "E-CKP-008", "from 0 on");
}
