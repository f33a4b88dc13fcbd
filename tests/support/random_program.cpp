// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_program.h"

#include <bit>
#include <cmath>

namespace tahoma::tests {

using namespace isa;  // NOLINT: a generator of isa values names little else

namespace {

constexpr std::uint8_t kWideOnly = 1U << static_cast<unsigned>(DType::kFp32);

std::uint64_t elements(const Shape& s) {
  return std::uint64_t{s.count[0]} * s.count[1] * s.count[2] * s.count[3];
}

}  // namespace

std::string ProgramGenerator::name() {
  static constexpr std::string_view kCharacters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  std::string text;
  for (std::uint64_t n = 1 + below(12); n > 0; --n) text += kCharacters[below(kCharacters.size())];
  return text;
}

std::uint8_t ProgramGenerator::pick_bit(std::uint8_t mask) {
  for (;;) {
    const auto bit = static_cast<std::uint8_t>(below(8));
    if ((mask >> bit) & 1) return bit;
  }
}

float ProgramGenerator::real() {
  static constexpr float kSpecial[] = {0.0F,      -0.0F,  1.0F,          -1.5F, INFINITY,
                                       -INFINITY, 1e-45F, 3.4028235e38F, 0.1F};
  if (chance(50)) return kSpecial[below(std::size(kSpecial))];
  for (;;) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
    if (!std::isnan(value)) return value;  // not equal to itself: tested apart
  }
}

unsigned ProgramGenerator::partition_start(unsigned count) {
  if (count > 64) return 0;
  return count > 32 ? 64 * static_cast<unsigned>(below(2)) : 32 * static_cast<unsigned>(below(4));
}

Shape ProgramGenerator::shape(std::uint64_t most_elements, unsigned most_partitions) {
  Shape s;
  s.partitions = static_cast<std::uint8_t>(1 + below(most_partitions));
  std::uint64_t left = most_elements;
  for (std::size_t d = kFreeDims; d-- > 0;) {
    if (chance(40)) continue;
    s.count[d] = static_cast<std::uint16_t>(1 + below(std::min<std::uint64_t>(left, 65535)));
    left /= s.count[d];
  }
  return s;
}

Program ProgramGenerator::program(unsigned length) {
  Program p;
  p.name = name();
  for (std::uint64_t n = below(5); n > 0; --n) p.args.push_back(name() + std::to_string(n));
  loaded_ = false;
  for (std::size_t q = 0; q < kQueueCount; ++q) {
    const auto queue = static_cast<Queue>(q);
    for (std::uint64_t n = below(length + 1); n > 0; --n) p.stream(queue).push_back(instruction(p, queue));
    for (Instruction& i : p.stream(queue))
      if (find_field(row_of(i.op), FieldKind::kTarget) != nullptr)
        i.target = static_cast<std::uint32_t>(below(p.stream(queue).size() + 1));
  }
  return p;
}

const OpRow& ProgramGenerator::row_for(Queue queue) {
  for (;;) {
    const OpRow& row = all_rows()[below(all_rows().size())];
    if (((row.queues >> static_cast<unsigned>(queue)) & 1) == 0) continue;
    if (find_field(row, FieldKind::kMoving) != nullptr && !loaded_) continue;
    return row;
  }
}

Instruction ProgramGenerator::instruction(Program& program, Queue queue) {
  Instruction i;
  const OpRow& row = row_for(queue);
  i.op = row.op;
  Context c{program, queue, row, i};
  header(c);
  sizes(c);
  // A destination's dtype may depend on the sources': those first.
  for (std::size_t n = row.fields.size(); n-- > 0;) operand(c, row.fields[n]);
  if (i.reg_b != kNone) i.imm = 0;
  return i;
}

void ProgramGenerator::header(Context& c) {
  if (c.row.needs_wait || chance(20)) {
    c.i.wait.kind = static_cast<Wait::Kind>(1 + below(3));
    c.i.wait.semaphore = static_cast<std::uint8_t>(below(kSemaphores));
    const bool from_register = c.i.wait.kind == Wait::Kind::kGeReg;
    c.i.wait.value = static_cast<std::uint32_t>(from_register ? below(kRegisters) : random_());
  }
  if (c.row.needs_update || chance(20)) {
    c.i.update.kind = static_cast<Update::Kind>(1 + below(3));
    c.i.update.semaphore = static_cast<std::uint8_t>(below(kSemaphores));
    c.i.update.value = static_cast<std::uint16_t>(random_());
  }
}

void ProgramGenerator::sizes(Context& c) {
  const auto has = [&](FieldKind kind) { return find_field(c.row, kind) != nullptr; };
  if (has(FieldKind::kAxes)) c.i.axes = static_cast<std::uint8_t>(1 + below(kFreeDims));
  if (has(FieldKind::kShape)) c.i.shape = shape(chance(90) ? 4096 : 65536, 128);
  if (has(FieldKind::kStationary)) {
    c.i.shape = shape(128, 128);
    rows_ = c.i.shape.partitions;
    columns_ = static_cast<unsigned>(elements(c.i.shape));
  }
  if (has(FieldKind::kMoving)) {
    c.i.shape = shape(512, 1);
    c.i.shape.partitions = static_cast<std::uint8_t>(rows_);
    c.i.columns = static_cast<std::uint8_t>(columns_);
  }
}

void ProgramGenerator::operand(Context& c, const Field& field) {
  const FieldTraits& traits = traits_of(field.kind);
  Instruction& i = c.i;
  const auto byte = [&]() -> std::uint8_t& { return i.*std::get<Member<std::uint8_t>>(traits.slot); };
  switch (traits.type) {
    case ValueType::kTile:
      i.*std::get<Member<Tile>>(traits.slot) = tile(c, field);
      break;
    case ValueType::kScalar:
      i.*std::get<Member<Scalar>>(traits.slot) = scalar(c);
      break;
    case ValueType::kAluOp: {
      const auto mask = static_cast<std::uint8_t>(field.choices & row_of(c.queue).alu_ops);
      i.*std::get<Member<AluOp>>(traits.slot) = static_cast<AluOp>(pick_bit(mask));
      break;
    }
    case ValueType::kActFn:
      i.func = static_cast<ActFn>(below(kEnumeratorCount<ActFn>));
      break;
    case ValueType::kCompareOp:
      i.compare = static_cast<CompareOp>(below(kEnumeratorCount<CompareOp>));
      break;
    case ValueType::kFlag:
      i.*std::get<Member<bool>>(traits.slot) = chance(50);
      break;
    case ValueType::kPattern:
      for (auto& coefficient : i.pattern) coefficient = static_cast<std::int16_t>(random_());
      break;
    case ValueType::kInteger:
      i.*std::get<Member<std::int32_t>>(traits.slot) = static_cast<std::int32_t>(chance(30) ? 0 : random_());
      break;
    case ValueType::kFloat:
      i.*std::get<Member<float>>(traits.slot) = real();
      break;
    case ValueType::kRegister:
      if (field.kind != FieldKind::kSrcReg && field.kind != FieldKind::kDstReg &&
          (!field.optional || chance(50)))
        byte() = static_cast<std::uint8_t>(below(kRegisters));
      break;
    case ValueType::kArgument:
      if (!c.program.args.empty() && i.update.kind != Update::Kind::kNone && chance(50))
        byte() = static_cast<std::uint8_t>(below(c.program.args.size()));
      break;
    case ValueType::kDescriptor:
      transfer(c);
      break;
    case ValueType::kNumber:
      if (field.kind == FieldKind::kRing) i.ring = static_cast<std::uint8_t>(below(kDmaEngines));
      break;
    case ValueType::kShape:
    case ValueType::kTarget:
      break;  // sizes() and program() have set them
  }
}

// Lowest and highest element index that a tile reaches, by adding up its dimensions.
std::int64_t ProgramGenerator::lowest(const Shape& s, const Tile& t, std::int64_t& highest) {
  std::int64_t low = 0;
  highest = 0;
  for (std::size_t d = 0; d < kFreeDims; ++d) {
    const std::int64_t end = std::int64_t{t.stride[d]} * (s.count[d] - 1);
    low += std::min<std::int64_t>(end, 0);
    highest += std::max<std::int64_t>(end, 0);
  }
  return low;
}

Tile ProgramGenerator::tile(Context& c, const Field& field) {
  std::uint8_t dtypes = field.dtypes;
  if (field.kind == FieldKind::kMoving) dtypes &= wide_ ? kWideOnly : static_cast<std::uint8_t>(~kWideOnly);
  if (field.kind == FieldKind::kTransposeDst)
    dtypes &= static_cast<std::uint8_t>(kWideOnly | (1U << static_cast<unsigned>(c.i.src0.dtype)));
  Tile t;
  t.space = static_cast<Space>(pick_bit(field.spaces & row_of(c.queue).spaces));
  t.dtype = static_cast<DType>(pick_bit(dtypes));
  Shape s = c.i.shape;
  const bool matrix = field.kind == FieldKind::kMatrixDst || field.kind == FieldKind::kTransposeDst;
  if (matrix) s.partitions = c.i.columns;
  if (field.kind == FieldKind::kReduceResult) s.count.fill(1);
  if (field.kind == FieldKind::kReducedDst)
    for (std::size_t d = kFreeDims - c.i.axes; d < kFreeDims; ++d) s.count[d] = 1;
  t.partition = static_cast<std::uint8_t>(partition_start(s.partitions));
  const auto defaults = default_strides(field.kind, c.i);
  if (defaults.fits && chance(60))
    t.stride = defaults.stride;
  else
    for (auto& stride : t.stride) stride = static_cast<std::int16_t>(static_cast<int>(below(17)) - 8);
  const std::int64_t space = matrix                    ? limits_.psum_bank_bytes
                             : t.space == Space::kPsum ? limits_.psum_bytes
                                                       : limits_.sbuf_bytes;
  const auto size = static_cast<std::int64_t>(size_of(t.dtype));
  std::int64_t high = 0, low = lowest(s, t, high);
  if ((high - low + 1) * size > space) {
    t.stride = {0, 0, 0, 0};
    low = high = 0;
  }
  const std::int64_t room = space / size - (high - low);  // how many places the first element may have
  t.offset = static_cast<std::uint32_t>((static_cast<std::int64_t>(below(room)) - low) * size);
  if (matrix)
    t.offset += static_cast<std::uint32_t>(below(limits_.psum_bytes / limits_.psum_bank_bytes) * space);
  if (field.kind == FieldKind::kStationary) {
    loaded_ = true;
    wide_ = t.dtype == DType::kFp32;
  }
  return t;
}

Scalar ProgramGenerator::scalar(Context& c) {
  Scalar s;
  s.is_tile = chance(50);
  if (!s.is_tile) {
    s.imm = real();
    return s;
  }
  s.space = static_cast<Space>(pick_bit(row_of(c.queue).spaces));
  s.partition = static_cast<std::uint8_t>(partition_start(c.i.shape.partitions));
  const std::uint32_t bytes = s.space == Space::kPsum ? limits_.psum_bytes : limits_.sbuf_bytes;
  s.offset = static_cast<std::uint32_t>(4 * below(bytes / 4));
  return s;
}

DmaSide ProgramGenerator::side(const Program& program, const Descriptor& d) {
  DmaSide s;
  s.dtype = static_cast<DType>(below(d.accumulate ? 3 : kDTypeCount));  // the floats come first
  const bool in_hbm = !program.args.empty() && (d.count[0] > 128 || chance(50));
  const bool usual = chance(60);
  if (in_hbm) {
    s.arg = static_cast<std::uint8_t>(below(program.args.size()));
    s.offset = chance(30) ? 0 : below(std::uint64_t{1} << 40);
    for (auto& stride : s.stride) stride = static_cast<std::int32_t>(random_());
  } else {
    s.space = chance(50) ? Space::kSbuf : Space::kPsum;
    s.partition = static_cast<std::uint8_t>(below(128 - d.count[0] + 1));
    const std::uint64_t bytes = s.space == Space::kPsum ? limits_.psum_bytes : limits_.sbuf_bytes;
    const std::uint64_t size = size_of(s.dtype), reach = d.count[1] * d.count[2] * d.count[3];
    s.stride = {static_cast<std::int32_t>(chance(50) ? 0 : random_()), 0, 0, 0};
    if (usual) s.stride = {0, 0, 0, 1};
    s.offset = size * below(bytes / size - reach + 1);
  }
  if (usual) s.stride = default_strides(s, d).stride;
  return s;
}

void ProgramGenerator::transfer(Context& c) {
  Program& p = c.program;
  if (p.descriptors.empty() || chance(70)) {
    // Some that nobody uses, and some used out of order.
    for (std::uint64_t n = 1 + below(2); n > 0; --n) {
      Descriptor d;
      d.count[0] = static_cast<std::uint32_t>(1 + below(128));
      for (std::size_t k = 1; k < kFreeDims; ++k) d.count[k] = static_cast<std::uint32_t>(1 + below(12));
      d.accumulate = chance(30);
      d.dst = side(p, d);
      d.src = side(p, d);
      p.descriptors.push_back(d);
    }
  }
  c.i.descriptor = static_cast<std::uint32_t>(below(p.descriptors.size()));
  const Descriptor& d = p.descriptors[c.i.descriptor];
  if (d.dst.space == Space::kHbm && chance(30)) c.i.dst_reg = static_cast<std::uint8_t>(below(kRegisters));
  if (d.src.space == Space::kHbm && chance(30)) c.i.src_reg = static_cast<std::uint8_t>(below(kRegisters));
}

}  // namespace tahoma::tests
