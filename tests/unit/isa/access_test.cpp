// SPDX-License-Identifier: Apache-2.0
// isa::accesses_of names exactly the bytes that isa::execute touches: other bytes do not affect the result,
// and bytes that it does not name as written do not change.
#include "isa/table/access.h"

#include <catch2/catch.hpp>

#include "isa/semantics/semantics.h"
#include "isa/text/assembler.h"

using namespace tahoma::isa;

namespace {

constexpr std::size_t kStride = 4096, kPartitions = 128;

struct Memories {
  std::vector<std::byte> sbuf, psum;
  Weights weights;
  explicit Memories(std::byte fill) : sbuf(kStride * kPartitions, fill), psum(kStride * kPartitions, fill) {}
  CoreView view() { return {sbuf.data(), kStride, psum.data(), kStride, &weights}; }
  std::vector<std::byte>& of(Space space) { return space == Space::kPsum ? psum : sbuf; }
};

template <class F>
void for_each_byte(const Pattern& p, F&& f) {
  for (std::uint32_t row = 0; row < p.partitions; ++row)
    for (std::uint32_t n = 0; n < p.count[0] * p.count[1] * p.count[2] * p.count[3]; ++n) {
      std::uint32_t left = n;
      std::int64_t at = static_cast<std::int64_t>(p.offset);
      for (std::size_t d = kFreeDims; d-- > 0; left /= p.count[d]) at += left % p.count[d] * p.stride[d];
      for (std::uint32_t b = 0; b < p.element; ++b)
        f((p.partition + row) * kStride + static_cast<std::size_t>(at) + b);
    }
}

// Bytes that the instruction reads hold a one in bf16 or fp32; all others hold `around`.
Memories prepared(const Instruction& i, std::byte around) {
  Memories m(around);
  const Program load = assemble(
      "tensor:\n load_weights shape=16x8 src=sbuf[32, 0xf00]:bf16\n"
      " load_weights shape=16x8 src=sbuf[0, 0xf00]:bf16 column=32\n",
      "t");
  Memories ones(std::byte{0x3f});
  for (const Instruction& weights : load.stream(Queue::kTensor)) execute(weights, ones.view());
  m.weights = ones.weights;
  const AccessList accesses = accesses_of(i);
  for (const OperandAccess& a : accesses.all()) {
    if (a.reads)
      for_each_byte(a.pattern, [&](std::size_t at) { m.of(a.pattern.space)[at] = std::byte{0x3f}; });
  }
  return m;
}

}  // namespace

TEST_CASE("access: an instruction reads and writes the bytes that it is said to", "[isa]") {
  const Program p = assemble(
      "tensor:\n"
      " load_weights shape=16x8 src=sbuf[32, 0x40]:bf16:(0,0,0,2)\n"
      " matmul shape=16x2x5 columns=8 dst=psum[0, 0x40]:fp32 src=sbuf[32, 0x80]:bf16\n"
      " matmul shape=16x2x5 columns=8 dst=psum[0, 0x40]:fp32:(0,0,8,1) src=sbuf[32, 0x80]:bf16 accumulate\n"
      " transpose shape=16x16 columns=8 dst=psum[32, 0]:bf16 src=sbuf[0, 0x80]:bf16\n"
      "vector:\n"
      " tensor_copy shape=8x3x4 dst=sbuf[64, 0x100]:bf16:(0,0,-9,2) src=psum[0, 0x20]:fp32\n"
      " tensor_tensor shape=8x6 dst=sbuf[0, 0]:fp32 src0=sbuf[32, 0x100]:bf16 src1=psum[0, 4]:fp32:(0,0,0,0) "
      "op=add\n"
      " tensor_scalar shape=8x6 dst=sbuf[0, 0]:fp32 src=sbuf[32, 0x100]:bf16 op0=mult scalar0=sbuf[64, 0x20]"
      " op1=add scalar1=psum[0, 0x30]\n"
      " tensor_reduce shape=8x3x4 dst=sbuf[0, 0x800]:fp32:(0,0,1,0) src=sbuf[32, 0x100]:bf16 op=add axes=1\n"
      " reciprocal shape=8x6 dst=sbuf[0, 0]:fp32 src=sbuf[32, 0x100]:fp32\n"
      " memset shape=8x2x6 dst=sbuf[0, 0x40]:fp16:(0,0,16,2) value=2\n"
      " tensor_scalar_reduce shape=8x6 dst=sbuf[0, 0]:fp32 src=sbuf[32, 0x100]:bf16 op0=mult scalar0=2 "
      "op1=max "
      "result=psum[64, 0x80]:bf16\n"
      " scalar_tensor_tensor shape=8x6 dst=sbuf[0, 0]:fp32 src0=sbuf[32, 0x100]:bf16 op0=mult "
      "scalar0=sbuf[64, "
      "0x20] op1=add src1=psum[0, 4]:fp32\n"
      " tensor_tensor_scan shape=8x6 dst=sbuf[0, 0]:fp32 src0=sbuf[32, 0x100]:bf16 src1=sbuf[0, 0x200]:fp32 "
      "initial=sbuf[64, 0x20] op0=mult op1=add\n"
      " select_reduce shape=8x6 dst=sbuf[0, 0]:fp32 src=sbuf[32, 0x100]:bf16 predicate=sbuf[0, 0x200]:uint8 "
      "on_false=sbuf[64, 0x20] result=sbuf[64, 0x300]:fp32\n"
      " range_select shape=8x6 dst=sbuf[0, 0]:fp32 src=sbuf[32, 0x100]:bf16 compare0=ge bound0=sbuf[64, "
      "0x20] "
      "compare1=lt bound1=4 result=sbuf[64, 0x300]:fp32\n"
      " max8 shape=8x3x4 dst=sbuf[0, 0]:fp32 src=sbuf[32, 0x100]:bf16\n"
      " find_index8 shape=8x12 dst=sbuf[0, 0]:uint32 src=sbuf[32, 0x100]:bf16 values=sbuf[64, 0x20]:bf16\n"
      " match_replace8 shape=8x12 dst=sbuf[0, 0]:bf16 src=sbuf[32, 0x100]:bf16 values=sbuf[64, 0x20]:bf16 "
      "value=1 "
      "index=sbuf[64, 0x300]:uint16\n"
      " bn_stats shape=8x12 dst=sbuf[0, 0]:fp32 src=sbuf[32, 0x100]:bf16\n"
      " bn_aggr shape=8x12 dst=sbuf[0, 0]:fp32 src=sbuf[32, 0x100]:fp32\n"
      " vector_transpose shape=8x12 dst=sbuf[0, 0]:bf16 src=sbuf[32, 0x100]:bf16\n"
      " dropout shape=8x12 dst=sbuf[0, 0]:bf16 src=sbuf[32, 0x100]:bf16 probability=sbuf[64, 0x20]\n"
      "scalar:\n"
      " activation shape=8x6 dst=sbuf[0, 0]:fp32 src=sbuf[32, 0x100]:bf16 func=exp scale=1 bias=sbuf[96, "
      "0x40]\n"
      " activation_reduce shape=8x6 dst=sbuf[0, 0]:fp32 sum=sbuf[64, 0x200]:fp32 src=sbuf[32, 0x100]:bf16"
      " func=exp scale=1\n"
      "gpsimd:\n"
      " iota shape=8x6 dst=sbuf[0, 0x40]:int32 base=3\n"
      " tensor_partition_reduce shape=40x6 dst=sbuf[0, 0]:fp32 src=sbuf[64, 0x100]:bf16 op=add\n"
      " sequence_bounds shape=1x6 dst=sbuf[0, 0]:int32 src=sbuf[32, 0x100]:int32\n"
      " nonzero_with_count shape=40x6 dst=sbuf[64, 0]:int32 src=sbuf[64, 0x100]:int32\n"
      " topk shape=32x6 dst=sbuf[0, 0]:bf16 index=sbuf[32, 0]:uint32 src=sbuf[64, 0x100]:bf16 n=48 k=20\n"
      " affine_select shape=8x6 dst=sbuf[0, 0]:fp32 src=sbuf[32, 0x100]:bf16 compare=ge value=1\n",
      "t");
  for (const auto& stream : p.streams)
    for (const Instruction& i : stream) {
      INFO(disassemble(i, p));
      Memories one = prepared(i, std::byte{0x00}), other = prepared(i, std::byte{0x41});
      const Memories before = other;
      execute(i, one.view());
      execute(i, other.view());
      std::array<std::vector<bool>, 2> written;
      for (auto& list : written) list.resize(kStride * kPartitions);
      bool any = false;
      const AccessList accesses = accesses_of(i);
      for (const OperandAccess& a : accesses.all()) {
        if (!a.writes) continue;
        any = true;
        for_each_byte(a.pattern, [&](std::size_t at) {
          written[static_cast<std::size_t>(a.pattern.space)][at] = true;
          // determined only by bytes that are read
          REQUIRE(one.of(a.pattern.space)[at] == other.of(a.pattern.space)[at]);
        });
      }
      for (std::size_t at = 0; at < kStride * kPartitions; ++at) {
        if (!written[0][at]) REQUIRE(other.sbuf[at] == before.sbuf[at]);
        if (!written[1][at]) REQUIRE(other.psum[at] == before.psum[at]);
      }
      CHECK((any || i.op == Opcode::kLoadWeights));
      REQUIRE(one.weights.loaded.size() == other.weights.loaded.size());
      for (std::size_t w = 0; w < one.weights.loaded.size(); ++w)
        CHECK(one.weights.loaded[w].raw == other.weights.loaded[w].raw);
    }
}

TEST_CASE("access: a transfer's sides are its descriptor's", "[isa]") {
  const Program p = assemble(
      ".args x\nsync:\n dma_copy shape=64x2x8 dst=sbuf[32, 0x40]:bf16:(0,0,16,1) "
      "src=x+0x100:fp32:(512,0,-8,1)"
      " accumulate\n",
      "t");
  const Descriptor& d = p.descriptors[0];
  const OperandAccess from = source_access(d, 0x12345), to = destination_access(d, 99);
  CHECK((from.reads && !from.writes));
  CHECK((to.reads && to.writes));
  CHECK(from.pattern == Pattern{Space::kHbm, 0, 1, 0x12345, 4, {64, 1, 2, 8}, {2048, 0, -32, 4}});
  CHECK(to.pattern == Pattern{Space::kSbuf, 32, 64, 0x40, 2, {1, 1, 2, 8}, {0, 0, 32, 2}});
}
