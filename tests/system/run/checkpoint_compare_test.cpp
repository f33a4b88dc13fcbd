// SPDX-License-Identifier: Apache-2.0
// With faults planted in a program and its inputs, the first instruction whose result differs is the one with
// the fault.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <limits>

#include "tests/support/program/dump_case.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;

namespace {

// out = (2 in + 1) + in: two engines, whose results are added.
std::string program(const std::string& factor = "2", const std::string& shift = "1") {
  return R"(.program meet
.args in out
sync:
  dma_copy shape=4x8 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1
  dma_copy shape=4x8 dst=out:fp32 src=sbuf[0, 0x800]:fp32 wait=s2>=1 update=s3+=1
  sem_wait wait=s3>=16
vector:
  .region scale
  tensor_scalar shape=4x8 dst=sbuf[0, 0x400]:fp32 src=sbuf[0, 0x0]:fp32 op0=mult scalar0=)" +
         factor + R"( wait=s0>=16 update=s1+=1
gpsimd:
  .region sum
  tensor_scalar shape=4x8 dst=sbuf[0, 0x400]:fp32 src=sbuf[0, 0x400]:fp32 op0=add scalar0=)" +
         shift + R"( wait=s1>=1
  tensor_tensor shape=4x8 dst=sbuf[0, 0x800]:fp32 src0=sbuf[0, 0x400]:fp32 src1=sbuf[0, 0x0]:fp32 op=add update=s2+=1
)";
}

Floats with(Floats values, std::size_t at, float value) {
  values[at] = value;
  return values;
}

// A reference of all results in `ref`.
DumpCase with_reference() { return DumpCase(program(), counted()); }
void make_reference(const DumpCase& c) { REQUIRE(c.run({"--dump", "results"}, "ref").status == 0); }

void check_differs(const Finished& f, const std::string& first) {
  INFO(f.err);
  CHECK(f.status == 1);
  CHECK_THAT(f.err, Contains("error[E-CKP-009]") && Contains("first difference: " + first + " at"));
}

}  // namespace

TEST_CASE("compared dumps: equal runs are equal", "[checkpoint]") {
  const DumpCase c = with_reference();
  make_reference(c);
  const Finished f = c.run({"--compare-with", "ref", "--rtol", "0", "--atol", "0"});
  INFO(f.err);
  CHECK(f.status == 0);
  CHECK_THAT(f.out, Contains("5 checkpoints compared with ref/dumps: all equal within the tolerance"));
  CHECK(!std::filesystem::exists(c.path("out/dumps")));  // they were not requested
}

TEST_CASE("compared dumps: a changed instruction is the first that differs", "[checkpoint]") {
  const DumpCase c = with_reference();
  make_reference(c);
  c.put(program("3"), counted());
  const Finished f = c.run({"--compare-with", "ref"});
  check_differs(f, "core0.vector[0]");
  for (const char* word :
       {"5 checkpoints compared", "4 differ", "server0.chip00.core0", "tensor_scalar", "scalar0=3",
        "region      scale", "core0.sbuf.tensor_scalar", "element [0, 1]: got 3, expected 2; 31 of 32"})
    CHECK_THAT(f.err, Contains(word));
  c.put(program("2", "5"), counted());
  check_differs(c.run({"--compare-with", "ref"}), "core0.gpsimd[0]");
}

TEST_CASE("compared dumps: a changed input is found at its load and its element", "[checkpoint]") {
  const DumpCase c = with_reference();
  make_reference(c);
  c.put(program(), with(counted(), 21, 20.5F));
  const Finished f = c.run({"--compare-with", "ref"});
  check_differs(f, "core0.sync[0]");
  CHECK_THAT(f.err, Contains("element [2, 5]: got 20.5, expected 21; 1 of 32"));
}

TEST_CASE("compared dumps: the tolerance is absolute plus relative, by default twice the unit roundoff",
          "[checkpoint]") {
  const DumpCase c = with_reference();
  make_reference(c);
  const float next = std::nextafter(31.0F, 32.0F), far = 31.001F;
  c.put(program(), with(counted(), 31, next));
  CHECK(c.run({"--compare-with", "ref"}).status == 0);
  CHECK(c.run({"--compare-with", "ref", "--rtol", "0", "--atol", "0"}).status == 1);
  c.put(program(), with(counted(), 31, far));
  CHECK(c.run({"--compare-with", "ref"}).status == 1);
  CHECK(c.run({"--compare-with", "ref", "--rtol", "1e-4", "--atol", "0"}).status == 0);
  CHECK(c.run({"--compare-with", "ref", "--rtol", "0", "--atol", "0.004"}).status == 0);
  CHECK(c.run({"--compare-with", "ref", "--rtol", "0", "--atol", "0.0005"}).status == 1);
}

TEST_CASE("compared dumps: NaN equals NaN, an infinity only itself", "[checkpoint]") {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(),
                  kInf = std::numeric_limits<float>::infinity();
  const DumpCase c(program(), with(with(counted(), 3, kNaN), 4, kInf));
  make_reference(c);
  CHECK(c.run({"--compare-with", "ref"}).status == 0);
  c.put(program(), with(with(counted(), 3, kNaN), 4, std::numeric_limits<float>::max()));
  check_differs(c.run({"--compare-with", "ref", "--rtol", "1e30"}), "core0.sync[0]");
}

TEST_CASE("compared dumps: two finished folders are compared like a run", "[checkpoint]") {
  const DumpCase c = with_reference();
  make_reference(c);
  REQUIRE(c.run({"--dump", "results"}, "same").status == 0);
  c.put(program("2", "5"), counted());
  REQUIRE(c.run({"--dump", "results"}, "other").status == 0);
  CHECK(c.compare({"ref", "same"}).status == 0);
  check_differs(c.compare({"ref", "other"}), "core0.gpsimd[0]");
  CHECK(c.compare({"ref", "other", "--atol", "4"}).status == 0);
  // The same in JSON; the status tells the verdict.
  const Finished same = c.compare({"ref", "same", "--format", "json"});
  CHECK(same.status == 0);
  const auto equal = nlohmann::json::parse(same.out);
  CHECK((equal["equal"] == true && equal["compared"] == 5 && equal["first_difference"].is_null()));
  const Finished other = c.compare({"ref", "other", "--format", "json"});
  check_differs(other, "core0.gpsimd[0]");
  const auto differs = nlohmann::json::parse(other.out);
  CHECK((differs["equal"] == false && differs["different"] == 3));
  CHECK(differs["first_difference"]["name"] == "core0.gpsimd[0]");
  CHECK(differs["first_difference"]["instruction"]["queue"] == "gpsimd");
  for (const char* option : {"--rtol", "--atol"})
    for (const char* wrong : {"nan", "inf", "1e400", "-1"}) {
      const Finished refused = c.compare({"ref", "other", std::string(option) + "=" + wrong});
      INFO(option << " " << wrong << ": " << refused.err);
      CHECK(refused.status == 2);
      CHECK_THAT(refused.err, Contains("E-C"));
    }
  CHECK_THAT(c.compare({"ref", "other", "--rtol", "nan"}).err,
             Contains("E-CKP-008") && Contains("a number from 0 on"));
}

TEST_CASE("compared dumps: another tool's files have the names of their counterparts", "[checkpoint]") {
  const DumpCase c(program(), counted());
  std::filesystem::create_directory(c.path("theirs"));
  const Floats sum = each(counted(), [](float x) { return 3 * x + 1; });
  runtime::write_npy(c.path("theirs/core0.out.npy"), floats_array(sum, {4, 8}));
  runtime::write_npy(c.path("theirs/core0.sbuf.load_of_in@scale.npy"), floats_array(counted(), {4, 8}));
  const Finished f = c.run({"--compare-with", "theirs", "--dump", "core0.in"});
  INFO(f.err);
  CHECK(f.status == 0);
  CHECK_THAT(f.out, Contains("2 checkpoints compared") && Contains("1 are not in the reference"));
  runtime::write_npy(c.path("theirs/core0.out.npy"), floats_array(with(sum, 9, 0), {4, 8}));
  check_differs(c.run({"--compare-with", "theirs"}), "core0.out");
}

TEST_CASE("compared dumps: other shapes, element types and missing ones are differences", "[checkpoint]") {
  const DumpCase c = with_reference();
  make_reference(c);
  const std::string file = c.path("ref/dumps/core0.gpsimd[0].npy");
  const runtime::NpyArray own = runtime::read_npy(file);
  runtime::write_npy(file, floats_array(counted(), {8, 4}));
  const Finished shape = c.run({"--compare-with", "ref"});
  check_differs(shape, "core0.gpsimd[0]");
  CHECK_THAT(shape.err, Contains("got 4x8, the reference has 8x4"));
  runtime::write_npy(file, {"<i4", own.shape, own.bytes});
  CHECK_THAT(c.run({"--compare-with", "ref"}).err, Contains("the reference has <i4, expected <f4 for fp32"));
  runtime::write_npy(file, own);

  const std::string whole = program();
  c.put(
      whole + "  tensor_scalar shape=4x8 dst=sbuf[0, 0x1000]:fp32 src=sbuf[0, 0x0]:fp32 op0=add scalar0=1\n",
      counted());
  const Finished more = c.run({"--compare-with", "ref"});
  check_differs(more, "core0.gpsimd[2]");
  CHECK_THAT(more.err, Contains("the reference does not have it"));
  REQUIRE(c.run({"--dump", "results"}, "longer").status == 0);
  c.put(whole, counted());
  const Finished fewer = c.run({"--compare-with", "longer"});
  CHECK(fewer.status == 1);
  CHECK_THAT(
      fewer.err,
      Contains("1 checkpoints of the reference do not occur in this run; the first is core0.gpsimd[2]"));
}

TEST_CASE("compared dumps: a folder that is not a reference is refused", "[checkpoint][bad-input]") {
  const DumpCase c = with_reference();
  make_reference(c);
  CHECK_THAT(c.run({"--compare-with", "nowhere"}).err, Contains("error[E-CKP-006]"));
  std::filesystem::create_directory(c.path("empty"));
  CHECK_THAT(c.run({"--compare-with", "empty"}).err, Contains("error[E-CKP-006]"));
  CHECK_THAT(c.compare({"ref", "empty"}).err, Contains("error[E-CKP-006]"));
  std::filesystem::remove(c.path("ref/dumps/core0.vector[0].npy"));
  CHECK_THAT(c.run({"--compare-with", "ref"}).err,
             Contains("error[E-CKP-007]") && Contains("core0.vector[0].npy, which is not in the folder"));
  for (const char* text : {"{}", "[", R"({"requests": [], "checkpoints": [{"name": 1}]})"}) {
    std::ofstream(c.path("ref/dumps/index.json")) << text;
    CHECK_THAT(c.run({"--compare-with", "ref"}).err, Contains("error[E-CKP-007]"));
  }
}
