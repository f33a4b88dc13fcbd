// SPDX-License-Identifier: Apache-2.0
// A reference that says NaN agrees with a NaN. So results that are not finite fail by themselves, if all
// values of the files are finite and the case does not allow them: for every kind of workload, with a
// reference and without one.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "runtime/golden/golden_tally.h"
#include "runtime/host/npy.h"
#include "tests/support/subprocess.h"

namespace {

using namespace tahoma;
using runtime::GoldenOutcome, runtime::GoldenResult;

void write_fp32(const std::string& file, std::uint64_t rows, std::uint64_t columns, float value) {
  runtime::NpyArray array{"<f4", {rows, columns}, {}};
  array.bytes.resize(rows * columns * sizeof value);
  for (std::size_t at = 0; at < array.bytes.size(); at += sizeof value)
    std::memcpy(array.bytes.data() + at, &value, sizeof value);
  runtime::write_npy(file, array);
}

constexpr std::uint64_t kRows = 128, kColumns = 256;

struct BadValue {
  const char* what;
  const char* workload;
  float value;  // of all inputs
  std::uint64_t results = kRows * kColumns;
};
// All results of each are infinite or NaN, by definition.
const BadValue kCases[] = {
    {"inputs beyond the range of their dtype",
     "kind: gemm\nworkload: {m: 128, n: 256, k: 256, dtype: fp8_e4m3, inputs: {a: a.npy, b: b.npy}}\n", 300},
    {"sums beyond the range of fp32",
     "kind: gemm\nworkload: {m: 128, n: 256, k: 256, dtype: fp32, inputs: {a: a.npy, b: b.npy}}\n", 1e30F},
    {"a program without expected values",
     "kind: program\nworkload:\n  file: square.tasm\n  tensors: 'in fp32 128x256 a.npy; out fp32 128x256 "
     "zero'\n",
     1e30F, 2 * kRows* kColumns}};  // any tensor of a program may be a result

nlohmann::json summary_of(const tests::TempDir& dir) {
  return nlohmann::json::parse(tests::contents(dir / "out/summary.json"));
}
nlohmann::json golden_of(const tests::TempDir& dir) { return summary_of(dir)["golden"]; }

tests::Finished run(const tests::TempDir& dir, const BadValue& of, float value, const char* more) {
  write_fp32(dir / "a.npy", std::string(of.workload).find("gemm") != std::string::npos ? 128 : kRows, 256,
             value);
  write_fp32(dir / "b.npy", 256, 256, value);
  dir.write(
      "square.tasm",
      ".program square\n.args in out\n"
      "sync:\n"
      "  dma_copy shape=128x256 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1\n"
      "  dma_copy shape=128x256 dst=out:fp32 src=sbuf[0, 0x0]:fp32 wait=s1>=1 update=s2+=1\n"
      "vector:\n"
      "  tensor_tensor shape=128x256 dst=sbuf[0, 0x0]:fp32 src0=sbuf[0, 0x0]:fp32 src1=sbuf[0, 0x0]:fp32 "
      "op=mult wait=s0>=16 update=s1+=1\n");
  dir.write("case.yaml", std::string("machine: trainium2_one_chip\n") + more + of.workload);
  return tests::tahoma_in(dir.path(), {"run", "case.yaml", "--no-report"});
}

}  // namespace

TEST_CASE("golden: results that are not finite, of finite inputs, fail unless the case allows them",
          "[golden]") {
  for (const BadValue& of : kCases) {
    INFO(of.what);
    const tests::TempDir dir;
    const tests::Finished refused = run(dir, of, of.value, "");
    CHECK(refused.status == 1);
    CHECK(refused.err.find("E-RUN-075") != std::string::npos);
    CHECK(refused.err.find(fmt::format("32768 of {} results are not finite", of.results)) !=
          std::string::npos);
    CHECK(refused.out.find("GOLDEN FAILED") != std::string::npos);
    CHECK(golden_of(dir)["outcome"] == "failed");
    CHECK(golden_of(dir)["not_finite"] == kRows * kColumns);

    const tests::Finished allowed = run(dir, of, of.value, "not_finite: allowed\n");
    CHECK(allowed.status == 0);
    CHECK(golden_of(dir)["not_finite"] == kRows * kColumns);
    CHECK(allowed.out.find("NOT FINITE") != std::string::npos);

    const tests::Finished given = run(dir, of, std::numeric_limits<float>::quiet_NaN(), "");
    CHECK(given.status == 0);
    CHECK(golden_of(dir)["not_finite"] == of.results);

    CHECK(run(dir, of, 1, "").status == 0);
    CHECK(golden_of(dir)["not_finite"] == 0);
  }
}

TEST_CASE("golden: a value that its dtype cannot hold is a warning that names the file", "[golden]") {
  const tests::TempDir dir;
  const auto warned = [&](float value) {
    CHECK(run(dir, kCases[0], value, "not_finite: allowed\n").status == 0);
    return summary_of(dir)["warnings"].dump();
  };
  CHECK(warned(240).find("beyond the largest") == std::string::npos);
  const std::string warning = warned(300);
  CHECK(warning.find("32768 of 32768 values of") != std::string::npos);
  CHECK(warning.find("a.npy are beyond the largest number of input a, which is fp8_e4m3") !=
        std::string::npos);
}

TEST_CASE("golden: results that are not finite are counted where their references are NaN, too", "[golden]") {
  const float values[] = {0, NAN, INFINITY, -INFINITY, 1};
  runtime::GoldenTally tally, later;
  for (std::uint64_t n = 0; n < std::size(values); ++n)
    (n < 2 ? tally : later).error(values[n], values[n], 0, n, 0);
  later.merge(tally);
  CHECK(later.not_finite == 3);
  CHECK(later.first_not_finite == std::pair<std::uint64_t, std::uint64_t>{1, 0});

  GoldenResult golden;
  golden.elements = std::size(values);
  golden.not_finite = 3;
  CHECK(golden.outcome() == GoldenOutcome::kPassed);
  golden.refuses_not_finite = true;
  CHECK(golden.outcome() == GoldenOutcome::kFailed);
  GoldenResult sum;
  sum.add(golden);
  sum.add(golden);
  CHECK(sum.not_finite == 6);
}
