// SPDX-License-Identifier: Apache-2.0
// Compares load_weights_mx, matmul_mx, quantize_mx, exponential, activate2 and rand2, and sums in bf16, with
// their definitions in double precision. MXFP8 is decoded here from the tables of the OCP's Microscaling
// Formats 1.0, not by isa.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "isa/core/program_error.h"
#include "isa/semantics/semantics.h"
#include "isa/text/assembler.h"
#include "isa/validate/validate.h"

namespace {

using namespace tahoma;
using isa::DType;

constexpr std::size_t kPartition = 32768, kPartitions = 128;
constexpr isa::Limits kV4{.core = isa::CoreVersion::kV4};

struct Core {
  std::vector<std::byte> sbuf = std::vector<std::byte>(kPartition * kPartitions),
                         psum = std::vector<std::byte>(kPartition * kPartitions);
  isa::Weights weights;
  isa::LaneState lanes;

  std::byte* at(std::size_t partition, std::size_t offset) {
    return sbuf.data() + partition * kPartition + offset;
  }
  std::byte* sum(std::size_t partition, std::size_t offset) {
    return psum.data() + partition * kPartition + offset;
  }

  // Validates and executes every instruction of one queue.
  void run(const std::string& text) {
    const isa::Program p = isa::assemble(".core v4\n" + text, "t");
    isa::validate(p, kV4);
    isa::CoreView view{sbuf.data(), kPartition, psum.data(), kPartition, &weights};
    view.lanes = &lanes;
    for (const auto& stream : p.streams)
      for (const isa::Instruction& i : stream) isa::execute(i, view);
  }
};

template <class T>
T read_from(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void write_to(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}
std::uint8_t byte_at(const std::byte* at) { return std::to_integer<std::uint8_t>(*at); }

// OCP 8-bit floating point: sign, exponent and mantissa; E4M3 without infinities, E5M2 as in IEEE 754.
double element_value(std::uint8_t bits, DType type) {
  const bool e4m3 = type == DType::kFp8E4M3Fn;
  const int mantissa_bits = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
  const int exponent = (bits & 0x7F) >> mantissa_bits, mantissa = bits & ((1 << mantissa_bits) - 1);
  if (e4m3 ? (bits & 0x7F) == 0x7F : exponent == 31 && mantissa != 0) return NAN;
  const double sign = (bits & 0x80) != 0 ? -1 : 1;
  if (!e4m3 && exponent == 31) return sign * INFINITY;
  const double fraction = std::ldexp(mantissa, -mantissa_bits) + (exponent == 0 ? 0 : 1);
  return sign * std::ldexp(fraction, (exponent == 0 ? 1 : exponent) - bias);
}
double scale_value(std::uint8_t byte) { return byte == 255 ? NAN : std::ldexp(1.0, byte - 127); }

// E2M1: sign, two bits of exponent, one of mantissa.
double e2m1_value(unsigned code) {
  constexpr std::array<double, 8> kSizes{0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return (code & 8U) != 0 ? -kSizes[code & 7U] : kSizes[code & 7U];
}

constexpr const char* kElements[] = {"fp8_e4m3fn", "fp8_e5m2"};
constexpr const char* kQuads[] = {"fp8_e4m3fn", "fp8_e5m2", "uint16"};  // uint16: MXFP4
DType dtype_of(const char* name) { return *isa::dtype_from_name(name); }
std::string strides_of(const char* name) {
  return dtype_of(name) == DType::kUint16 ? ":(0,0,0,1)" : ":(0,1,0,4)";
}

// Element s of the quad of a column.
double quad_number(Core& core, DType type, std::size_t p, std::size_t data, std::size_t column,
                   std::size_t s) {
  if (type != DType::kUint16)
    return element_value(std::to_integer<std::uint8_t>(*core.at(p, data + 4 * column + s)), type);
  return e2m1_value(read_from<std::uint16_t>(core.at(p, data + 2 * column)) >> (4 * s) & 15U);
}

// The first partition with scales of data partition p, by the published layout.
std::size_t scale_row(std::size_t p) { return p / 32 * 32 + p % 32 / 8; }

// Random bytes of finite elements, and scales near 1.
void fill_mx(Core& core, std::mt19937& random, DType type, std::size_t columns, std::size_t data,
             std::size_t scales) {
  for (std::size_t p = 0; p < kPartitions; ++p) {
    for (std::size_t b = 0; b < 4 * columns; ++b) {
      auto bits = static_cast<std::uint8_t>(random());
      if (type != DType::kUint16 && !std::isfinite(element_value(bits, type))) bits = 0x31;
      *core.at(p, data + b) = std::byte{bits};
    }
    if (p % 32 < 4)
      for (std::size_t m = 0; m < columns; ++m) *core.at(p, scales + m) = std::byte(120 + random() % 15);
  }
}

}  // namespace

TEST_CASE("load_weights_mx and matmul_mx: dot products of decoded blocks, for all element types", "[isa]") {
  constexpr std::size_t kM = 16, kN = 24, kWeights = 0, kWeightScales = 1024, kMoving = 2048,
                        kMovingScales = 4096;
  std::mt19937 random(1);
  for (const char* weights : kQuads)
    for (const char* moving : kQuads) {
      Core core;
      fill_mx(core, random, dtype_of(weights), kM, kWeights, kWeightScales);
      fill_mx(core, random, dtype_of(moving), kN, kMoving, kMovingScales);
      const std::string text = std::string("tensor:\nload_weights_mx shape=128x4x1x16 src=sbuf[0, 0]:") +
                               weights + strides_of(weights) +
                               " scales=sbuf[0, 1024]:uint8\nmatmul_mx shape=128x4x1x24 columns=16 "
                               "dst=psum[0, 0]:fp32 src=sbuf[0, "
                               "2048]:" +
                               moving + strides_of(moving) + " scales=sbuf[0, 4096]:uint8";
      core.run(text);
      core.run(text + " accumulate");
      for (std::size_t m = 0; m < kM; ++m)
        for (std::size_t n = 0; n < kN; ++n) {
          double exact = 0, size = 0;
          for (std::size_t p = 0; p < kPartitions; ++p)
            for (std::size_t s = 0; s < 4; ++s) {
              const double w = quad_number(core, dtype_of(weights), p, kWeights, m, s) *
                               scale_value(byte_at(core.at(scale_row(p), kWeightScales + m)));
              const double x = quad_number(core, dtype_of(moving), p, kMoving, n, s) *
                               scale_value(byte_at(core.at(scale_row(p), kMovingScales + n)));
              exact += 2 * w * x;
              size += std::abs(2 * w * x);
            }
          // A chain of 512 fused multiply-adds and one sum, each within half an ulp.
          REQUIRE(std::abs(read_from<float>(core.sum(m, 4 * n)) - exact) <= 514 * 0x1p-24 * size);
        }
    }
}

TEST_CASE("matmul_mx: a scale of 255 makes the block's columns NaN and no others", "[isa]") {
  std::mt19937 random(2);
  Core core;
  fill_mx(core, random, DType::kFp8E4M3Fn, 4, 0, 1024);
  fill_mx(core, random, DType::kFp8E4M3Fn, 4, 2048, 4096);
  *core.at(33, 4096 + 2) = std::byte{255};  // partitions 40..47 of column 2
  core.run(
      "tensor:\nload_weights_mx shape=128x4x1x4 src=sbuf[0, 0]:fp8_e4m3fn:(0,1,0,4) scales=sbuf[0, "
      "1024]:uint8\n"
      "matmul_mx shape=128x4x1x4 columns=4 dst=psum[0, 0]:fp32 src=sbuf[0, 2048]:fp8_e4m3fn:(0,1,0,4) "
      "scales=sbuf[0, 4096]:uint8");
  for (std::size_t n = 0; n < 4; ++n) CHECK(std::isnan(read_from<float>(core.sum(0, 4 * n))) == (n == 2));
}

TEST_CASE("matmul_mx: scales may start at any fourth partition of each 32", "[isa]") {
  std::mt19937 random(5);
  const auto text = [](int first) {
    const std::string scales = " scales=sbuf[" + std::to_string(first) + ", 4096]:uint8";
    return "tensor:\nload_weights_mx shape=128x4x1x4 src=sbuf[0, 0]:fp8_e5m2:(0,1,0,4) scales=sbuf[0, "
           "1024]:uint8\n"
           "matmul_mx shape=128x4x1x4 columns=4 dst=psum[0, 0]:fp32 src=sbuf[0, 2048]:fp8_e5m2:(0,1,0,4)" +
           scales;
  };
  Core core;
  fill_mx(core, random, DType::kFp8E5M2, 4, 0, 1024);
  fill_mx(core, random, DType::kFp8E5M2, 4, 2048, 4096);
  core.run(text(0));
  std::array<float, 16> want{};
  for (std::size_t n = 0; n < want.size(); ++n) want[n] = read_from<float>(core.sum(n / 4, n % 4 * 4));
  for (std::size_t quadrant = 0; quadrant < kPartitions; quadrant += 32)
    for (std::size_t row = 4; row-- > 0;)
      std::copy_n(core.at(quadrant + row, 4096), 4, core.at(quadrant + 28 + row, 4096));
  core.run(text(28));
  for (std::size_t n = 0; n < want.size(); ++n)
    CHECK(read_from<float>(core.sum(n / 4, n % 4 * 4)) == want[n]);
  for (const int first : {2, 32}) CHECK_THROWS_AS(core.run(text(first)), isa::ProgramError);
}

TEST_CASE("quantize_mx: the published scale, and the nearest elements", "[isa]") {
  constexpr std::size_t kColumns = 8;
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const char* element : kElements) {
    const DType type = dtype_of(element);
    const int emax = type == DType::kFp8E4M3Fn ? 8 : 15;
    Core core;
    for (std::size_t p = 0; p < 64; ++p)
      for (std::size_t b = 0; b < 4 * kColumns; ++b) {
        const float wide = std::ldexp(normal(random), static_cast<int>(random() % 40) - 20);
        write_to(core.at(p, 2 * b), isa::bf16_from_fp32(p < 8 ? 0.0F : wide));
      }
    core.run(std::string("vector:\nquantize_mx shape=64x4x1x8 dst=sbuf[0, 1024]:") + element +
             ":(0,1,0,4) scales=sbuf[0, 2048]:uint8 src=sbuf[0, 0]:bf16:(0,1,0,4)");
    const auto value = [&](std::size_t p, std::size_t b) {
      return static_cast<double>(isa::fp32_from_bf16(read_from<std::uint16_t>(core.at(p, 2 * b))));
    };
    for (std::size_t block = 0; block < 8; ++block)
      for (std::size_t m = 0; m < kColumns; ++m) {
        double largest = 0;
        for (std::size_t p = 8 * block; p < 8 * block + 8; ++p)
          for (std::size_t s = 0; s < 4; ++s) largest = std::max(largest, std::abs(value(p, 4 * m + s)));
        const std::uint8_t byte = byte_at(core.at(scale_row(8 * block), 2048 + m));
        if (largest == 0) {
          CHECK(byte == 0);
          continue;
        }
        REQUIRE(byte == static_cast<int>(std::floor(std::log2(largest))) - emax + 1 + 127);
        for (std::size_t p = 8 * block; p < 8 * block + 8; ++p)
          for (std::size_t s = 0; s < 4; ++s) {
            const double wanted = value(p, 4 * m + s) / scale_value(byte);
            const double got = element_value(byte_at(core.at(p, 1024 + 4 * m + s)), type);
            double best = INFINITY;
            for (int code = 0; code < 256; ++code)
              if (const double e = element_value(static_cast<std::uint8_t>(code), type); std::isfinite(e))
                best = std::min(best, std::abs(e - wanted));
            REQUIRE(std::abs(got - wanted) == best);
          }
      }
  }
}

TEST_CASE("quantize_mx: infinities and NaNs give the scale NaN to their block", "[isa]") {
  Core core;
  write_to(core.at(9, 0), isa::bf16_from_fp32(INFINITY));
  write_to(core.at(17, 2), isa::bf16_from_fp32(NAN));
  core.run(
      "vector:\nquantize_mx shape=32x4x1x2 dst=sbuf[0, 1024]:fp8_e4m3fn:(0,1,0,4) scales=sbuf[0, 2048]:uint8 "
      "src=sbuf[0, 0]:bf16:(0,1,0,4)");
  for (std::size_t block = 0; block < 4; ++block) {
    CHECK(byte_at(core.at(block, 2048)) == (block == 1 || block == 2 ? 255 : 0));
    CHECK(byte_at(core.at(block, 2049)) == 0);
  }
}

TEST_CASE("matmul: into bf16 the sum of the pass is added in fp32 and rounds once", "[isa]") {
  Core core;
  for (std::size_t p = 0; p < kPartitions; ++p) {
    write_to(core.at(p, 0), isa::bf16_from_fp32(p == 0 ? 1.0F : 0.0F));
    write_to(core.at(p, 64), isa::bf16_from_fp32(1.0F + 0x1p-7F));
  }
  const std::string pass =
      "matmul shape=128x1 columns=1 dst=psum[0, 0]:bf16 src=sbuf[0, 64]:bf16 accumulate\n";
  write_to(core.sum(0, 0), isa::bf16_from_fp32(256.0F));  // an ulp of 2
  core.run("tensor:\nload_weights shape=128x1 src=sbuf[0, 0]:bf16\n" + pass);
  CHECK(isa::fp32_from_bf16(read_from<std::uint16_t>(core.sum(0, 0))) == 258.0F);  // 257.0078 rounds up
  core.run("tensor:\nload_weights shape=128x1 src=sbuf[0, 0]:bf16\n" + pass);
  CHECK(isa::fp32_from_bf16(read_from<std::uint16_t>(core.sum(0, 0))) == 260.0F);  // 259.0078
}

TEST_CASE("exponential: exp(src - maximum) and its sum", "[isa]") {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> range(-20, 4);
  Core core;
  for (std::size_t p = 0; p < 3; ++p) {
    for (std::size_t e = 0; e < 50; ++e) write_to(core.at(p, 4 * e), range(random));
    write_to(core.at(p, 512), range(random));
  }
  core.run(
      "vector:\nexponential shape=3x50 dst=sbuf[0, 1024]:fp32 src=sbuf[0, 0]:fp32 maximum=sbuf[0, 512] "
      "sum=psum[0, 0]:fp32");
  for (std::size_t p = 0; p < 3; ++p) {
    double total = 0;
    for (std::size_t e = 0; e < 50; ++e) {
      const float x = read_from<float>(core.at(p, 4 * e)) - read_from<float>(core.at(p, 512));
      const float got = read_from<float>(core.at(p, 1024 + 4 * e));
      CHECK(std::abs(got - std::exp(double{x})) <= 4 * 0x1p-24 * std::exp(double{x}));
      total += double{got};
    }
    CHECK(std::abs(read_from<float>(core.sum(p, 0)) - total) <= 50 * 0x1p-24 * total);
  }
}

TEST_CASE("activate2: product, difference and function, with a maximum behind them", "[isa]") {
  Core core;
  const std::array<float, 4> x{-3.0F, 0.5F, 2.0F, 7.0F};
  for (std::size_t e = 0; e < x.size(); ++e) write_to(core.at(0, 4 * e), x[e]);
  core.run(
      "scalar:\nactivate2 shape=1x4 dst=sbuf[0, 64]:fp32 src=sbuf[0, 0]:fp32 func=square op0=mult scalar0=2 "
      "op1=subtract scalar1=1 reduce=max result=psum[0, 0]:fp32\n"
      "activate2 shape=1x4 dst=sbuf[0, 128]:fp32 src=sbuf[0, 0]:fp32 func=abs reduce=min result=psum[0, "
      "4]:fp32\n"
      "activate2 shape=1x4 dst=sbuf[0, 192]:fp32 src=sbuf[0, 0]:fp32 func=copy reduce=abs_max result=psum[0, "
      "8]:fp32\n"
      "activate2 shape=1x2 dst=sbuf[0, 192]:fp32 src=sbuf[0, 0]:fp32 func=copy op1=subtract scalar1=2 "
      "reduce=abs_min result=psum[0, 12]:fp32");
  for (std::size_t e = 0; e < x.size(); ++e) {
    CHECK(read_from<float>(core.at(0, 64 + 4 * e)) == (2 * x[e] - 1) * (2 * x[e] - 1));
    CHECK(read_from<float>(core.at(0, 128 + 4 * e)) == std::abs(x[e]));
  }
  CHECK(read_from<float>(core.sum(0, 0)) == 169.0F);
  CHECK(read_from<float>(core.sum(0, 4)) == 0.5F);
  CHECK(read_from<float>(core.sum(0, 8)) == 7.0F);
  CHECK(read_from<float>(core.sum(0, 12)) == 1.5F);
}

TEST_CASE("rand2: within its range, with the mean of a uniform distribution, and never twice the same",
          "[isa]") {
  Core core;
  core.run("vector:\nrand2 shape=128x64 dst=sbuf[0, 0]:fp32 low=-3 high=5");
  double sum = 0;
  for (std::size_t p = 0; p < kPartitions; ++p)
    for (std::size_t e = 0; e < 64; ++e) {
      const float x = read_from<float>(core.at(p, 4 * e));
      REQUIRE(x >= -3.0F);
      REQUIRE(x <= 5.0F);
      sum += double{x};
    }
  // The standard deviation of the mean of 8,192 numbers is 8 / sqrt(12 * 8192).
  CHECK(std::abs(sum / 8192 - 1) < 5 * 8 / std::sqrt(12.0 * 8192));
  const float first = read_from<float>(core.at(0, 0));
  core.run("vector:\nrand2 shape=128x64 dst=sbuf[0, 0]:fp32 low=-3 high=5");
  CHECK(read_from<float>(core.at(0, 0)) != first);
}

TEST_CASE("fp8_e4m3fn: every pattern has the OCP's number, and every number rounds to the nearest", "[isa]") {
  for (int code = 0; code < 256; ++code) {
    const auto bits = static_cast<std::byte>(code);
    const double want = element_value(static_cast<std::uint8_t>(code), DType::kFp8E4M3Fn);
    const float got = isa::load_as_fp32(&bits, DType::kFp8E4M3Fn);
    if (std::isnan(want)) {
      CHECK(std::isnan(got));
      continue;
    }
    CHECK(double{got} == want);
    std::byte again{};
    isa::store_from_fp32(&again, DType::kFp8E4M3Fn, got);
    CHECK(again == bits);
  }
  const auto stored = [](float value) {
    std::byte out{};
    isa::store_from_fp32(&out, DType::kFp8E4M3Fn, value);
    return std::to_integer<int>(out);
  };
  CHECK(stored(464.0F) == 0x7E);  // halfway to 480, which is no number: to the even 448
  CHECK(stored(465.0F) == 0x7F);
  CHECK(stored(-INFINITY) == 0xFF);
  CHECK(stored(0x1p-10F) == 0);  // half of the smallest number
  CHECK(stored(0x1.8p-10F) == 1);
}
