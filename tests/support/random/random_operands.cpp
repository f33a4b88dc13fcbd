// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/table/table_rows.h"
#include "tests/support/random/random_program.h"

namespace tahoma::tests {

using namespace isa;  // nearly every name of this generator is from isa

namespace {

constexpr AluOps kBits = kBitwise | kBitwiseUnary;
constexpr DTypes kWide = bits<DTypes>(DType::kFp32, DType::kTf32);

// The dtypes of NeuronCore-v3, for which the programs are.
DTypes of_v3(DTypes dtypes) { return dtypes & static_cast<DTypes>(~bits<DTypes>(DType::kFp8E4M3Fn)); }

DTypes mask_of(DType dtype) { return static_cast<DTypes>(1U << static_cast<unsigned>(dtype)); }

bool is_bit_operation(AluOp op) { return ((kBits >> static_cast<unsigned>(op)) & 1) != 0; }

bool works_on_bits(const OpRow& row, const Instruction& i) {
  return std::any_of(row.fields.begin(), row.fields.end(), [&](const Field& field) {
    const auto* slot = std::get_if<Member<AluOp>>(&traits_of(field.kind).slot);
    return slot != nullptr && is_bit_operation(i.**slot);
  });
}

// Lowest and highest element index that a tile reaches, by adding up its dimensions.
std::int64_t lowest(const Shape& s, const Tile& t, std::int64_t& highest) {
  std::int64_t low = 0;
  highest = 0;
  for (std::size_t d = 0; d < kFreeDims; ++d) {
    const std::int64_t end = std::int64_t{t.stride[d]} * (s.count[d] - 1);
    low += std::min<std::int64_t>(end, 0);
    highest += std::max<std::int64_t>(end, 0);
  }
  return low;
}

}  // namespace

void ProgramGenerator::operand(Context& c, const Field& field) {
  if (presence_of(c.row, field, c.i) == Presence::kForbidden) return;
  std::visit([&](auto slot) { fill(c, field, c.i.*slot); }, traits_of(field.kind).slot);
}

float ProgramGenerator::real() {
  static constexpr float kSpecial[] = {0.0F,      -0.0F,  1.0F,          -1.5F, INFINITY,
                                       -INFINITY, 1e-45F, 3.4028235e38F, 0.1F};
  if (chance(50)) return kSpecial[below(std::size(kSpecial))];
  return std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
}

unsigned ProgramGenerator::partition_start(const OpRow& row, unsigned count) {
  if (has_rule(row, Rule::kWholeQuadrants)) count = (count + 31) / 32 * 32;
  if (count > 64) return 0;
  return count > 32 ? 64 * static_cast<unsigned>(below(2)) : 32 * static_cast<unsigned>(below(4));
}

DTypes ProgramGenerator::dtypes_for(const Context& c, const Field& field, const Tile& tile) {
  DTypes dtypes = of_v3(field.dtypes);
  if (field.kind == FieldKind::kMatrixDst) dtypes = kFp32Only;
  if (works_on_bits(c.row, c.i)) dtypes &= kIntegers;
  if (&tile == &c.i.dst && has_rule(c.row, Rule::kSameDType)) dtypes &= mask_of(c.i.src0.dtype);
  const bool array = field.kind == FieldKind::kStationary || field.kind == FieldKind::kMoving;
  if (array && c.i.mode != MatmulMode::kDense) dtypes &= of_v3(row_of(c.i.mode).dtypes);
  if (field.kind == FieldKind::kMoving)
    dtypes &= size_of(weights_->dtype) == 4 ? kWide : static_cast<DTypes>(~kWide);
  if (field.kind != FieldKind::kTransposeDst) return dtypes;
  const DTypes own = size_of(weights_->dtype) == 1 ? kUint16Only : mask_of(weights_->dtype);
  dtypes &= is_float(weights_->dtype) ? static_cast<DTypes>(own | kFp32Only) : own;
  return dtypes;
}

// Strides and the first byte, inside the tile's memory or one bank of it.
void ProgramGenerator::place(Tile& t, const Shape& s, bool in_one_bank) {
  const std::int64_t space = in_one_bank               ? limits_.psum_bank_bytes
                             : t.space == Space::kPsum ? limits_.psum_bytes
                                                       : limits_.sbuf_bytes - limits_.sbuf_reserved;
  const auto size = static_cast<std::int64_t>(size_of(t.dtype));
  std::int64_t high = 0, low = lowest(s, t, high);
  if ((high - low + 1) * size > space) {
    t.stride = {0, 0, 0, 0};
    low = high = 0;
  }
  const std::int64_t room = space / size - (high - low);  // number of places for the first element
  t.offset = static_cast<std::uint32_t>((static_cast<std::int64_t>(below(room)) - low) * size);
  if (in_one_bank)
    t.offset += static_cast<std::uint32_t>(below(limits_.psum_bytes / limits_.psum_bank_bytes) * space);
}

void ProgramGenerator::fill(Context& c, const Field& field, Tile& t) {
  if (field.kind == FieldKind::kTags && row_of(c.i.mode).kept == 0) return;
  const Shape s = operand_shape(field, c.i);
  auto spaces = static_cast<std::uint8_t>(field.spaces & row_of(c.queue).spaces);
  const bool other_in_psum = has_rule(c.row, Rule::kOnePsumSource) && c.i.src1.space == Space::kPsum;
  if (free_elements(s) > 4096 || (&t == &c.i.src0 && other_in_psum)) spaces &= kSbufOnly;
  t.space = static_cast<Space>(pick_bit(spaces));
  t.dtype = static_cast<DType>(pick_bit(dtypes_for(c, field, t)));
  const bool matrix = field.kind == FieldKind::kMatrixDst || field.kind == FieldKind::kTransposeDst;
  t.partition = static_cast<std::uint8_t>(partition_start(c.row, s.partitions));
  if (matrix) t.partition = static_cast<std::uint8_t>(weights_->column);
  if (field.kind == FieldKind::kMoving) t.partition = static_cast<std::uint8_t>(weights_->row);
  const auto defaults = default_strides(field, c.i);
  if (defaults.fits && chance(60))
    t.stride = defaults.stride;
  else
    for (auto& stride : t.stride) stride = static_cast<std::int16_t>(static_cast<int>(below(17)) - 8);
  place(t, s, matrix);
  if (field.kind != FieldKind::kStationary) return;
  weights_->dtype = t.dtype;
  weights_->row = t.partition;
}

void ProgramGenerator::fill(Context& c, const Field& field, Scalar& s) {
  const Presence presence = presence_of(c.row, field, c.i);
  if (field.optional && presence == Presence::kFree && chance(40)) return;
  s.is_tile = chance(50);
  if (!s.is_tile) {
    const AluOp op = field.kind == FieldKind::kScalar0 ? c.i.op0 : c.i.op1;
    const bool integer = presence == Presence::kNeeded && is_bit_operation(op);
    s.imm = integer ? static_cast<float>(static_cast<std::int32_t>(random_()) >> below(32)) : real();
    return;
  }
  s.space = static_cast<Space>(pick_bit(row_of(c.queue).spaces));
  s.partition = static_cast<std::uint8_t>(partition_start(c.row, c.i.shape.partitions));
  const std::uint32_t bytes =
      s.space == Space::kPsum ? limits_.psum_bytes : limits_.sbuf_bytes - limits_.sbuf_reserved;
  s.offset = static_cast<std::uint32_t>(4 * below(bytes / 4));
}

void ProgramGenerator::fill(Context& c, const Field& field, Column& column) {
  if (field.kind == FieldKind::kRowNumbers || (field.optional && chance(40))) return;
  const Shape s = operand_shape(field, c.i);
  column.present = true;
  column.space = static_cast<Space>(pick_bit(field.spaces & row_of(c.queue).spaces));
  column.dtype = static_cast<DType>(pick_bit(of_v3(field.dtypes)));
  column.partition = static_cast<std::uint8_t>(partition_start(c.row, s.partitions));
  const std::uint64_t size = size_of(column.dtype);
  column.offset = static_cast<std::uint32_t>(size * below(limits_.psum_bytes / size - free_elements(s) + 1));
}

void ProgramGenerator::fill(Context& c, const Field& field, DmaSide& word) {
  word.dtype = static_cast<DType>(pick_bit(field.dtypes));
  const std::uint64_t size = size_of(word.dtype);
  if (!c.program.args.empty() && chance(50)) {
    word.arg = byte(c.program.args.size());
    word.offset = size * below(2 * kReach / size) - kReach;
    return;
  }
  word.space = Space::kSbuf;
  word.partition = byte(limits_.partitions);
  word.offset = size * below((limits_.sbuf_bytes - limits_.sbuf_reserved) / size);
}

void ProgramGenerator::fill(Context& c, const Field& field, AluOp& op) {
  const bool own = c.row.cost == CostClass::kRegister || c.row.cost == CostClass::kDoorbell ||
                   c.row.op == Opcode::kTensorPartitionReduce;
  const AluOps later = limits_.core < CoreVersion::kV4 ? kMagnitudes : AluOps{0};
  const AluOps mask = field.choices & (own ? kAnyAlu : row_of(c.queue).alu_ops) & ~later;
  const AluOps wanted = mask & (bitwise_ ? kBits | kBypassOp : ~kBits);
  op = static_cast<AluOp>(pick_bit(wanted != 0 ? wanted : mask));
}

void ProgramGenerator::fill(Context&, const Field& field, bool& flag) {
  if (field.kind != FieldKind::kSkip && field.kind != FieldKind::kGpSimdDma) flag = chance(50);
}

void ProgramGenerator::fill(Context&, const Field& field, float& value) {
  if (!field.optional || chance(50)) value = real();
}

void ProgramGenerator::fill(Context& c, const Field& field, std::uint8_t& number) {
  const ValueType type = traits_of(field.kind).type;
  const bool transfer = find_field(c.row, FieldKind::kDescriptor) != nullptr;
  const bool of_side = field.kind == FieldKind::kSrcReg || field.kind == FieldKind::kDstReg;
  if (field.kind == FieldKind::kRing) number = byte(kDmaEngines);
  if (field.kind == FieldKind::kPipe) number = byte(kPipes);
  if (type == ValueType::kRegister && !(transfer && of_side) && (!field.optional || chance(50)))
    number = byte(kRegisters);
  if (type == ValueType::kArgument && !c.program.args.empty() && c.i.update.kind != Update::Kind::kNone &&
      chance(50))
    number = byte(c.program.args.size());
}

void ProgramGenerator::fill(Context&, const Field&, std::uint16_t&) {}  // load_sizes() and use_sizes()

void ProgramGenerator::fill(Context&, const Field&, std::uint32_t&) {}  // sizes(), transfer() and program()

void ProgramGenerator::fill(Context&, const Field&, std::int32_t& number) {
  number = static_cast<std::int32_t>(chance(30) ? 0 : random_());
}

// The distance to a peer must fit a core and an update; fix_up() sets it.
void ProgramGenerator::fill(Context&, const Field&, std::int16_t& distance) {
  distance = static_cast<std::int16_t>(chance(30) ? 0 : random_());
}

void ProgramGenerator::fill(Context&, const Field&, Update& update) {
  if (chance(50)) return;
  update = {static_cast<Update::Kind>(between(1, 3)), byte(kSemaphores),
            static_cast<std::uint16_t>(random_()), false};
}

void ProgramGenerator::fill(Context&, const Field&, std::array<std::int16_t, kFreeDims>& pattern) {
  for (auto& coefficient : pattern) coefficient = static_cast<std::int16_t>(random_());
}

void ProgramGenerator::fill(Context&, const Field&, std::array<std::uint8_t, kQuadrant>& mask) {
  for (auto& from : mask) from = chance(10) ? kKeep : byte(kQuadrant);
}

}  // namespace tahoma::tests
