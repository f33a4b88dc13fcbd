// SPDX-License-Identifier: Apache-2.0
#include "model/engine/sequencer/sequencer.h"

#include <fmt/format.h>

#include <cstring>

#include "isa/core/program_error.h"
#include "isa/core/source_place.h"
#include "isa/simd/alu.h"
#include "isa/table/table.h"
#include "isa/text/assembler.h"
#include "isa/validate/validate.h"

namespace tahoma::model {

using isa::Opcode;

// An integer in SBUF or HBM, within the bounds of its memory.
struct Sequencer::Word {
  sim::KnownBytes& known;
  std::uint64_t place;  // index into `known`
  bool in_hbm;
  isa::DType dtype;

  std::uint64_t bytes() const { return isa::size_of(dtype); }
  bool is_known() const { return known.contains(place, bytes()); }
  std::byte* at(const CoreMemories& m) const {
    return in_hbm ? m.hbm.at(place, bytes()) : m.sbuf.bytes() + place;
  }
  Word of(const MemberCore& member) const {
    return {known, in_hbm ? member.address(place) : place, in_hbm, dtype};
  }
};

namespace {

// Integers are sign- or zero-extended; uint32 keeps its bits.
std::int32_t integer_at(const std::byte* at, isa::DType dtype) {
  const auto read = [at](auto value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<std::int32_t>(value);
  };
  switch (dtype) {
    case isa::DType::kInt8:
      return read(std::int8_t{});
    case isa::DType::kUint8:
      return read(std::uint8_t{});
    case isa::DType::kInt16:
      return read(std::int16_t{});
    case isa::DType::kUint16:
      return read(std::uint16_t{});
    default:
      return read(std::int32_t{});
  }
}

std::int64_t usable_bytes(isa::Space space, const CoreMemories& m) {
  if (space == isa::Space::kPsum) return static_cast<std::int64_t>(m.psum.stride());
  return static_cast<std::int64_t>(m.sbuf.stride()) - isa::Limits{}.sbuf_reserved;
}

}  // namespace

void Sequencer::load(const isa::Program& program, const Arguments& arguments) {
  program_ = &program;
  stream_ = program.stream(place_.queue);
  arguments_ = &arguments;
}

std::string Sequencer::where(std::size_t index) const {
  std::string source = isa::source_place(*program_, place_.queue, static_cast<std::uint32_t>(index));
  if (!source.empty()) source = " of " + source;
  return fmt::format("{}[{}] {}{}", place_.path, index, isa::row_of(stream()[index].op).mnemonic, source);
}

std::string Sequencer::text(std::size_t index) const {
  return fmt::format("{}[{}] {}", isa::name_of(place_.queue), index,
                     isa::disassemble(stream()[index], *program_));
}

void Sequencer::fail(const char* code, const std::string& message) const {
  throw isa::ProgramError(code, where(pc_), message);
}

std::int64_t Sequencer::need(std::uint8_t r, const char* what) const {
  const Register& held = registers_[r];
  if (held.from == 0) return held.value;
  fail("E-RUN-052",
       fmt::format("{} r{}, whose value is unknown in timing mode: it comes from {}. Load it from a .control "
                   "tensor, or run in functional mode",
                   what, r, text(held.from - 1)));
}

std::int64_t Sequencer::offset(std::uint8_t r) const {
  return r == isa::kNone ? 0 : need(r, "an address depends on");
}

std::int64_t Sequencer::wait_value(const isa::Wait& wait) const {
  if (wait.kind != isa::Wait::Kind::kGeReg) return wait.value;
  return need(static_cast<std::uint8_t>(wait.value), "a wait depends on");
}

void Sequencer::execute(const isa::Instruction& i, const CoreMemories& memories) {
  switch (i.op) {
    case Opcode::kRegSet:
      registers_[i.reg_d] = {i.imm, 0};
      break;
    case Opcode::kRegAlu:
      alu(i);
      break;
    case Opcode::kRegLoad:
      load_word(i, memories);
      break;
    case Opcode::kRegStore:
      store_word(i, memories);
      break;
    default:
      break;
  }
}

void Sequencer::alu(const isa::Instruction& i) {
  const Register a = registers_[i.reg_a],
                 b = i.reg_b == isa::kNone ? Register{i.imm, 0} : registers_[i.reg_b];
  const bool takes_b = i.op0 != isa::AluOp::kBypass;
  registers_[i.reg_d] = {isa::register_alu(i.op0, a.value, b.value),
                         a.from != 0 ? a.from : (takes_b ? b.from : 0)};
}

std::size_t Sequencer::successor(const isa::Instruction& i) const {
  bool taken = i.op == Opcode::kJump;
  if (i.op == Opcode::kBranch) {
    constexpr const char* kWhat = "the branch depends on";
    const std::int64_t a = need(i.reg_a, kWhat), b = i.reg_b == isa::kNone ? i.imm : need(i.reg_b, kWhat);
    taken = isa::compare(i.compare, a, b);
  }
  return taken ? i.target : pc_ + 1;
}

std::uint64_t Sequencer::address(const isa::DmaSide& side, std::uint8_t offset_register) const {
  if (side.space != isa::Space::kHbm) return 0;
  return argument(side.arg) + side.offset + static_cast<std::uint64_t>(offset(offset_register));
}

Sequencer::Word Sequencer::word(const isa::DmaSide& side, std::uint8_t offset_register,
                                const CoreMemories& m) const {
  const auto bytes = static_cast<std::int64_t>(isa::size_of(side.dtype));
  if (side.space == isa::Space::kHbm) {
    const std::uint64_t at = address(side, offset_register);
    if (isa::GlobalAddress::from(at).chip != place_.chip)
      fail("E-RUN-040", "the word is on another chip; registers can access only their own chip's memory");
    m.hbm.check(at, static_cast<std::uint64_t>(bytes));
    return {m.hbm.known(), at, true, side.dtype};
  }
  const std::int64_t at = static_cast<std::int64_t>(side.offset) + offset(offset_register);
  const std::int64_t usable = usable_bytes(isa::Space::kSbuf, m);
  if (at < 0 || at + bytes > usable || at % bytes != 0)
    fail("E-RUN-044",
         fmt::format("the word covers bytes {}..{} of a partition; expected a multiple of {} in 0..{}", at,
                     at + bytes - 1, bytes, usable - 1));
  return {m.sbuf.known(), side.partition * m.sbuf.stride() + static_cast<std::uint64_t>(at), false,
          side.dtype};
}

void Sequencer::load_word(const isa::Instruction& i, const CoreMemories& m) {
  const Word w = word(i.word, i.src_reg, m);
  if (place_.functional || w.is_known())
    registers_[i.reg_d] = {integer_at(w.at(m), w.dtype), 0};
  else
    registers_[i.reg_d] = {0, static_cast<std::uint32_t>(pc_ + 1)};
}

void Sequencer::store_word(const isa::Instruction& i, const CoreMemories& m) const {
  const Word w = word(i.word, i.dst_reg, m);
  const Register& a = registers_[i.reg_a];
  if (a.from != 0) return w.known.remove(w.place, w.bytes());
  const auto bits = static_cast<std::uint32_t>(a.value);  // little endian: the low bytes come first
  std::memcpy(w.at(m), &bits, w.bytes());
  if (w.in_hbm) m.hbm.wrote(w.place, w.bytes());
  for (const MemberCore& member : m.members.cores)
    std::memcpy(w.of(member).at(m.of(member)), &bits, w.bytes());
  if (!place_.functional) w.known.add(w.place, w.bytes());
}

void Sequencer::shift(isa::Tile& tile, const char* name, std::uint8_t r, const isa::Shape& shape,
                      const CoreMemories& m) const {
  if (r == isa::kNone) return;
  const auto size = static_cast<std::int64_t>(isa::size_of(tile.dtype));
  const std::int64_t at = tile.offset + offset(r), usable = usable_bytes(tile.space, m);
  std::int64_t first = at, last = at + size - 1;
  for (std::size_t d = 0; d < isa::kFreeDims; ++d) {
    const std::int64_t reach = (std::int64_t{shape.count[d]} - 1) * tile.stride[d] * size;
    (reach < 0 ? first : last) += reach;
  }
  if (first < 0 || last >= usable || at % size != 0)
    fail(
        "E-RUN-044",
        fmt::format("'{}' starts at byte {} and covers {}..{} of a partition; expected a multiple of {}, and "
                    "bytes inside 0..{}",
                    name, at, first, last, size, usable - 1));
  tile.offset = static_cast<std::uint32_t>(at);
}

isa::Instruction Sequencer::resolve(const isa::Instruction& i, const CoreMemories& memories) const {
  isa::Instruction fixed = i;
  shift(fixed.dst, "dst", i.dst_reg, i.shape, memories);
  shift(fixed.src0, "src", i.src_reg, i.shape, memories);
  return fixed;
}

std::vector<isa::IndirectRow> Sequencer::rows(const isa::Instruction& i, const CoreMemories& m) const {
  std::vector<isa::IndirectRow> rows;
  const std::uint32_t count = program_->descriptors[i.descriptor].count[0];
  for (std::uint32_t n = 0; n < count; ++n) {
    const std::uint64_t place = (i.result.partition + n) * m.sbuf.stride() + i.result.offset;
    if (!place_.functional && !m.sbuf.known().contains(place, sizeof(std::uint32_t)))
      fail("E-RUN-053",
           fmt::format("the row number in sbuf[{}, {:#x}] is unknown in timing mode; copy it there from a "
                       ".control tensor with dma_copy or reg_store, or run in functional mode",
                       i.result.partition + n, i.result.offset));
    std::uint32_t bits = 0;
    std::memcpy(&bits, m.sbuf.bytes() + place, sizeof bits);
    const bool is_signed = i.result.dtype == isa::DType::kInt32;
    const std::int64_t number = is_signed ? static_cast<std::int32_t>(bits) : std::int64_t{bits};
    if (number >= 0 && number < i.extent)
      rows.push_back({n, bits});
    else if (!i.skip)
      fail("E-RUN-043", fmt::format("row number {} in sbuf[{}, {:#x}]; expected 0..{}", number,
                                    i.result.partition + n, i.result.offset, i.extent - 1));
  }
  return rows;
}

// A register moves a side over the rows of its tensor. If rows of dimension 0 are out of bounds and skipped,
// the transfer moves the others as an indirect one does, which needs a tile with a partition for each row.
void Sequencer::bound_rows(const isa::Instruction& i, TransferRequest& request) const {
  const bool gathers = i.src_reg != isa::kNone;
  const isa::Descriptor& d = request.descriptor();
  const isa::DmaSide& side = gathers ? d.src : d.dst;
  const std::uint8_t moved_by = gathers ? i.src_reg : i.dst_reg;
  const std::int64_t pitch = side.stride[0] * static_cast<std::int64_t>(isa::size_of(side.dtype));
  const std::int64_t start = static_cast<std::int64_t>(side.offset) + offset(moved_by);
  const std::int64_t first = start / pitch - (start % pitch < 0 ? 1 : 0), last = first + d.count[0] - 1;
  if (first >= 0 && last < i.extent) return;
  const isa::DmaSide& tile = gathers ? d.dst : d.src;
  const bool none = last < 0 || first >= i.extent,
             by_partition = tile.space == isa::Space::kSbuf && tile.across == 0;
  if (!i.skip || !(none || by_partition))
    fail("E-RUN-043",
         fmt::format("register r{} selects rows {}..{}; expected rows within 0..{}{}", moved_by, first, last,
                     i.extent - 1,
                     i.skip ? ", or none of them: a part is skipped only in a tile of SBUF" : ""));
  request.indirect = gathers ? isa::Indirection::kGather : isa::Indirection::kScatter;
  (gathers ? request.src : request.dst) -= static_cast<std::uint64_t>(first * pitch);
  for (std::int64_t row = std::max<std::int64_t>(first, 0); row <= std::min<std::int64_t>(last, i.extent - 1);
       ++row)
    request.rows.push_back({static_cast<std::uint32_t>(row - first), static_cast<std::uint32_t>(row)});
}

isa::OperandAccess Sequencer::word_access(const isa::Instruction& i) const {
  const bool stores = i.op == Opcode::kRegStore;
  const std::uint8_t moved = stores ? i.dst_reg : i.src_reg;
  isa::DmaSide word = i.word;
  if (word.space == isa::Space::kHbm) return isa::word_access(word, address(word, moved), stores);
  word.offset += static_cast<std::uint64_t>(offset(moved));
  return isa::word_access(word, 0, stores);
}

TransferRequest Sequencer::request(const isa::Instruction& i, const CoreMemories& memories) const {
  TransferRequest r;
  r.sources = std::span(program_->descriptors).subspan(i.descriptor, i.sources);
  r.dst = address(r.descriptor().dst, i.dst_reg);
  r.src = address(r.descriptor().src, i.src_reg);
  for (const isa::Descriptor& d : r.sources.subspan(1)) r.more_src.push_back(address(d.src, i.src_reg));
  r.ring = i.ring;
  r.service = i.service;
  r.fold = i.fold;
  r.transposes = i.op == Opcode::kDmaTranspose;
  r.indirect = i.indirect;
  if (i.indirect != isa::Indirection::kNone)
    r.rows = rows(i, memories);
  else if (i.extent != 0)
    bound_rows(i, r);
  return r;
}

}  // namespace tahoma::model
