// SPDX-License-Identifier: Apache-2.0
// Files of another kind than expected: every reader names what they are.
#include <catch2/catch.hpp>

#include "runtime/host/npy.h"
#include "runtime/host/text/text_file.h"
#include "tests/support/program/refusal_of.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;

TEST_CASE("foreign files: each is named as what it is, whatever reads it", "[bad-input]") {
  const tests::TempDir dir;
  const std::string lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";
  const std::vector<std::pair<std::string, std::string>> files{
      {lfs, "a Git LFS pointer: 'git lfs pull'"},
      {std::string("\xFF\xFE{\0\n\0", 6), "text in UTF-16"},
      {std::string("\xFE\xFF\0{", 4), "text in UTF-16"},
      {std::string("k\0i\0n\0d\0", 8), "text in UTF-16"},
      {std::string("\0k\0i\0n\0d", 8), "text in UTF-16"},
      {std::string("\x80\x04\x95\x10\0\0\0\0\0\0\0", 11), "a pickle of Python"},
      {std::string("PK\x03\x04 and more bytes"), "a zip archive"},
      {std::string("\x1F\x8B\x08\0\0\0\0\0\0", 9), "compressed by gzip"},
      {"<!DOCTYPE html><html>404</html>", "an HTML page"}};
  for (const auto& [bytes, name] : files) {
    CAPTURE(name);
    const std::string file = dir.write("foreign", bytes);
    CHECK_THAT(runtime::known_format(bytes), Catch::StartsWith(name.substr(0, name.find('\''))));
    CHECK_THAT(tests::refusal_of([&] { runtime::read_npy(file); }),
               Catch::Contains("E-NPY-002") && Catch::Contains(name));
    CHECK_THAT(tests::refusal_of([&] { runtime::read_text(file); }),
               Catch::Contains("E-RUN-002") && Catch::Contains(name));
  }
  CHECK(runtime::known_format("kind: gemm\n").empty());
  CHECK(runtime::known_format("").empty());
  // The byte order mark of UTF-8 is no content.
  CHECK(runtime::read_text(dir.write("marked", "\xEF\xBB\xBFkind: gemm\n")) == "kind: gemm\n");
}

TEST_CASE("foreign files: cases, models, traces of requests, tensors and programs name a Git LFS pointer",
          "[bad-input]") {
  const tests::TempDir dir;
  const std::string lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";
  for (const char* name : {"a.yaml", "config.json", "t.csv", "a.npy", "a.safetensors", "a.tasm"})
    dir.write(name, lfs);
  const std::string workloads = std::string(TAHOMA_SOURCE_DIR) + "/workloads/";
  const std::string gemm = workloads + "gemm/one_core_4096.yaml";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "a.yaml"},
        {"model", "."},
        {"asm", "a.tasm"},
        {"sweep", "a.yaml"},
        {"cluster", "a.yaml"},
        {"serve", workloads + "serving/llama3_8b.yaml", "--set", "serving.requests.trace=t.csv", "--set",
         "serving.requests.poisson.rate=0"},
        {"run", gemm, "--set", "workload.inputs.a=a.npy"},
        {"run", gemm, "--set", "workload.inputs.a=a.safetensors"}}) {
    CAPTURE(words.front(), words.back());
    const auto ended = tests::tahoma_in(dir.path().string(), words);
    CHECK(ended.status == 2);
    CHECK_THAT(ended.err, Catch::Contains("a Git LFS pointer: 'git lfs pull' fetches the file"));
  }
}
