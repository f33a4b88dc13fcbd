// SPDX-License-Identifier: Apache-2.0
// Address mappings against an evaluation bit by bit, against places computed by hand, and refused ones.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/memory/dram/mapping.h"

using namespace tahoma;
using model::dram::AddressMapping, model::dram::Organisation, model::dram::DramAddress;

namespace {

const std::vector<std::string> kFields{"row", "sid", "bank", "group", "channel", "pseudo", "column"};

using Values = std::map<std::string, std::uint64_t>;

std::uint32_t count_of(const Organisation& o, const std::string& field) {
  const std::map<std::string, std::uint32_t> counts{
      {"row", o.rows},         {"sid", o.stack_ids},          {"bank", o.banks},    {"group", o.groups},
      {"channel", o.channels}, {"pseudo", o.pseudo_channels}, {"column", o.columns}};
  return counts.at(field);
}

unsigned width_of(const Organisation& o, const std::string& field) {
  unsigned width = 0;
  while ((std::uint64_t{1} << width) < count_of(o, field)) ++width;
  return width;
}

Values values_of(const DramAddress& p, const Organisation& o) {
  return {{"row", p.row},
          {"sid", p.bank / (o.groups * o.banks)},
          {"group", p.bank / o.banks % o.groups},
          {"bank", p.bank % o.banks},
          {"channel", p.channel},
          {"pseudo", p.pseudo},
          {"column", p.column}};
}

// A mapping as single bits, and as the text that says the same.
struct Bit {
  std::string field;
  unsigned bit;
  std::string text() const { return field + "[" + std::to_string(bit) + "]"; }
};
struct Mapping {
  std::vector<Bit> slices;  // from the highest address bit
  std::vector<std::pair<Bit, Bit>> xors;

  std::string text() const {
    std::string text;
    for (const Bit& bit : slices) text += bit.text() + " ";
    for (const auto& [target, source] : xors) text += "; " + target.text() + " ^= " + source.text();
    return text;
  }
  Values place(std::uint64_t access) const {
    Values values;
    for (const std::string& field : kFields) values[field] = 0;
    for (std::size_t n = 0; n < slices.size(); ++n)
      values[slices[n].field] |= ((access >> (slices.size() - 1 - n)) & 1) << slices[n].bit;
    for (const auto& [target, source] : xors)
      values[target.field] ^= ((values[source.field] >> source.bit) & 1) << target.bit;
    return values;
  }
};

// Counts, the order of the slices and XORs at random. `odd`: the factor of the rows that is no power of two.
Organisation random_organisation(std::mt19937& random, std::uint32_t odd) {
  const auto power = [&](unsigned most) { return 1U << (random() % (most + 1)); };
  Organisation o;
  o.channels = power(5);
  o.pseudo_channels = power(2);
  o.stack_ids = power(2);
  o.groups = power(2);
  o.banks = power(2);
  o.rows = odd * power(12);
  o.columns = power(6);
  o.access_bytes = 8 << (random() % 4);
  return o;
}

Mapping random_mapping(std::mt19937& random, const Organisation& o) {
  unsigned counting = 0;  // row bits below this one count through all their values
  while (o.rows >> counting > 0 && (o.rows >> counting & 1) == 0) ++counting;
  Mapping m;
  std::vector<Bit> on_top, free;
  for (const std::string& field : kFields) {
    for (unsigned bit = width_of(o, field); bit-- > 0;)
      (field == "row" && bit >= counting && o.rows != 1U << counting ? on_top : free).push_back({field, bit});
  }
  std::shuffle(free.begin(), free.end(), random);
  m.slices = on_top;
  m.slices.insert(m.slices.end(), free.begin(), free.end());
  for (unsigned n = 0; n < 12 && !free.empty(); ++n) {
    const Bit target = free[random() % free.size()], source = m.slices[random() % m.slices.size()];
    if (target.text() != source.text()) m.xors.emplace_back(target, source);
  }
  return m;
}

// HBM3_8Gb_8hi of the reference simulations, one channel.
Organisation reference_organisation() {
  return {.channels = 1,
          .pseudo_channels = 2,
          .stack_ids = 2,
          .groups = 4,
          .banks = 4,
          .rows = 8192,
          .columns = 32,
          .access_bytes = 32};
}

std::string refusal(const std::string& expression, const Organisation& o = reference_organisation()) {
  try {
    const AddressMapping accepted(expression, o, "here");
  } catch (const base::UserError& error) {
    CHECK(error.place == "here");
    return error.code + ": " + error.message;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("address mapping: random mappings agree with their slices and XORs taken bit by bit", "[dram]") {
  std::mt19937 random(5);
  for (int n = 0; n < 300; ++n) {
    const Organisation o = random_organisation(random, std::array{1U, 3U, 5U}[n % 3]);
    const Mapping mapping = random_mapping(random, o);
    CAPTURE(mapping.text(), o.rows);
    const AddressMapping fast(mapping.text(), o, "test");
    const std::uint64_t accesses = o.capacity() / o.access_bytes;
    for (int k = 0; k < 100; ++k) {
      const std::uint64_t access = std::uniform_int_distribution<std::uint64_t>(0, accesses - 1)(random);
      const std::uint64_t inside = random() % o.access_bytes;
      const DramAddress place = fast.place(access * o.access_bytes + inside);
      REQUIRE(values_of(place, o) == mapping.place(access));
      REQUIRE(place.row < o.rows);
      REQUIRE(fast.offset(place) == access * o.access_bytes);
    }
  }
}

TEST_CASE("address mapping: every place of a small stack is reached once", "[dram]") {
  std::mt19937 random(6);
  for (int n = 0; n < 20; ++n) {
    Organisation o = random_organisation(random, n % 2 == 0 ? 1 : 3);
    o.rows = o.rows % 2 == 0 && n % 2 == 0 ? 4 : 6;
    o.channels = 2;
    o.columns = 4;
    const Mapping mapping = random_mapping(random, o);
    const AddressMapping fast(mapping.text(), o, "test");
    std::vector<bool> seen(o.capacity() / o.access_bytes, false);
    for (std::uint64_t access = 0; access < seen.size(); ++access) {
      const DramAddress p = fast.place(access * o.access_bytes);
      REQUIRE((p.channel < o.channels && p.pseudo < o.pseudo_channels && p.bank < o.all_banks() &&
               p.row < o.rows && p.column < o.columns));
      const std::size_t index =
          (((std::size_t{p.channel} * o.pseudo_channels + p.pseudo) * o.all_banks() + p.bank) * o.rows +
           p.row) *
              o.columns +
          p.column;
      REQUIRE_FALSE(seen[index]);
      seen[index] = true;
    }
  }
}

TEST_CASE("address mapping: all bytes of a block are in one row, and not those of two blocks", "[dram]") {
  std::mt19937 random(7);
  for (int n = 0; n < 100; ++n) {
    const Organisation o = random_organisation(random, 1);
    const Mapping mapping = random_mapping(random, o);
    CAPTURE(mapping.text());
    const AddressMapping fast(mapping.text(), o, "test");
    const auto one_row = [&](std::uint64_t begin, std::uint64_t bytes) {
      DramAddress first = fast.place(begin);
      first.column = 0;
      for (std::uint64_t at = begin; at < begin + bytes; at += o.access_bytes) {
        DramAddress place = fast.place(at);
        place.column = 0;
        if (place != first) return false;
      }
      return true;
    };
    const std::uint64_t blocks = o.capacity() / fast.block();
    CHECK(one_row(random() % blocks * fast.block(), fast.block()));
    if (fast.block() < o.capacity()) CHECK_FALSE(one_row(0, 2 * fast.block()));
  }
}

// The three maps of the reference simulations, whose README gives them from the lowest bit upwards.
TEST_CASE("address mapping: MOP4CLXOR spreads blocks of four columns and hashes them with the column",
          "[dram]") {
  const AddressMapping mop(
      "row column[4:2] bank group sid pseudo column[1:0];"
      "pseudo ^= column[0]; sid ^= column[1]; group ^= column[3:2]; bank[0] ^= column[4]",
      reference_organisation(), "test");
  CHECK(mop.block() == 32);
  const auto bank = [](std::uint32_t sid, std::uint32_t group, std::uint32_t in_group) {
    return (sid * 4 + group) * 4 + in_group;
  };
  // Accesses 0 to 3: columns 0 to 3, pseudo-channel column[0], SID column[1].
  CHECK(mop.place(0) == DramAddress{0, 0, bank(0, 0, 0), 0, 0});
  CHECK(mop.place(32) == DramAddress{0, 1, bank(0, 0, 0), 0, 1});
  CHECK(mop.place(64) == DramAddress{0, 0, bank(1, 0, 0), 0, 2});
  CHECK(mop.place(96) == DramAddress{0, 1, bank(1, 0, 0), 0, 3});
  // Bit 2 of the access: the other pseudo-channel; bit 3: the other SID; bits 5:4 the group; 7:6 the bank.
  CHECK(mop.place(4 * 32) == DramAddress{0, 1, bank(0, 0, 0), 0, 0});
  CHECK(mop.place(8 * 32) == DramAddress{0, 0, bank(1, 0, 0), 0, 0});
  CHECK(mop.place((2 * 16 + 3 * 64) * 32) == DramAddress{0, 0, bank(0, 2, 3), 0, 0});
  // Bits 10:8: columns 4 and up; they hash the group and the lower bank bit.
  CHECK(mop.place(256 * 32) == DramAddress{0, 0, bank(0, 1, 0), 0, 4});
  CHECK(mop.place(1024 * 32) == DramAddress{0, 0, bank(0, 0, 1), 0, 16});
  CHECK(mop.place(((5 << 11) + 1024 + 1 * 64) * 32) == DramAddress{0, 0, bank(0, 0, 0), 5, 16});
}

TEST_CASE("address mapping: RoBaRaCoCh has the row on top and the column below all ranks", "[dram]") {
  const AddressMapping ro("row bank group sid pseudo column", reference_organisation(), "test");
  CHECK(ro.block() == 1024);
  CHECK(ro.place(7 * 32) == DramAddress{0, 0, 0, 0, 7});
  CHECK(ro.place(32 * 32) == DramAddress{0, 1, 0, 0, 0});               // the other pseudo-channel
  CHECK(ro.place(64 * 32) == DramAddress{0, 0, 16, 0, 0});              // the other SID
  CHECK(ro.place(128 * 3 * 32) == DramAddress{0, 0, 3 * 4, 0, 0});      // bank group 3
  CHECK(ro.place((512 * 2 + 64) * 32) == DramAddress{0, 0, 18, 0, 0});  // bank 2 of group 0, SID 1
  CHECK(ro.place(std::uint64_t{2048} * 8191 * 32 + 31) == DramAddress{0, 0, 0, 8191, 0});
}

TEST_CASE("address mapping: ChRaBaRoCo walks through a bank before it takes the next", "[dram]") {
  const AddressMapping ch("pseudo sid group bank row column", reference_organisation(), "test");
  CHECK(ch.block() == 1024);
  CHECK(ch.place(31 * 32) == DramAddress{0, 0, 0, 0, 31});
  CHECK(ch.place(1024) == DramAddress{0, 0, 0, 1, 0});
  CHECK(ch.place(8192 * 1024) == DramAddress{0, 0, 1, 0, 0});
  CHECK(ch.place(4 * 8192 * 1024) == DramAddress{0, 0, 4, 0, 0});
  CHECK(ch.place(16 * 8192 * 1024) == DramAddress{0, 0, 16, 0, 0});
  CHECK(ch.place(32 * 8192 * 1024) == DramAddress{0, 1, 0, 0, 0});
}

TEST_CASE("address mapping: an XOR without an upper bound takes the bits that both sides have", "[dram]") {
  Organisation o = reference_organisation();
  const std::string text = "row sid bank group channel pseudo column; channel ^= row[2+]; group ^= row[0+]";
  CHECK(AddressMapping(text, o, "t").place(5 << 16) == DramAddress{0, 0, 1 * 4, 5, 0});
  o.channels = 8;
  CHECK(AddressMapping(text, o, "t").place(5 << 19) == DramAddress{1, 0, 1 * 4, 5, 0});
  o.rows = 2;
  CHECK(AddressMapping(text, o, "t").place(1 << 19) == DramAddress{0, 0, 1 * 4, 1, 0});
  o.rows = 1;
  CHECK(AddressMapping(text, o, "t").place(3 << 11) == DramAddress{3, 0, 0, 0, 0});
}

TEST_CASE("address mapping: the left of an XOR may begin at a bit and take the bits of the right", "[dram]") {
  Organisation o = reference_organisation();
  const std::string text = "row sid bank group channel pseudo column; channel[1+] ^= bank[0+]";
  o.channels = 8;  // bits 11 to 13 of the address; bank 16 and 17
  CHECK(AddressMapping(text, o, "t").place(3 << 16).channel == 6);
  o.channels = 4;
  CHECK(AddressMapping(text, o, "t").place(3 << 15).channel == 2);
  o.channels = 1;
  CHECK(AddressMapping(text, o, "t").place(3 << 13).channel == 0);
}

TEST_CASE("address mapping: the expression must consist of slices and XORs", "[dram]") {
  const std::string good = "row sid bank group pseudo column";
  REQUIRE(refusal(good) == "accepted");
  REQUIRE(refusal("  row sid\tbank group channel pseudo column  ") == "accepted");
  for (const char* const bad : {"row sid bank group pseudo column[4:2 column[1:0]", "row[2:12]", "row[]",
                                "row[a]", "row[3:]", "row[-1]", "row[0+] sid bank group pseudo column"})
    CHECK_THAT(refusal(bad), Catch::StartsWith("E-CFG-030: "));
  for (const char* const bad : {";", "; group", "; group = row[1:0]", "; group ^= row[1"})
    CHECK_THAT(refusal(good + bad), Catch::StartsWith("E-CFG-030: "));
}

TEST_CASE("address mapping: an unknown field is refused with the nearest one", "[dram]") {
  CHECK_THAT(refusal("row sid bank grop pseudo column"),
             Catch::StartsWith("E-CFG-031: unknown field 'grop' (did you mean 'group'?)"));
  CHECK_THAT(refusal("row sid bank group pseudo column; group ^= colum[1:0]"),
             Catch::Contains("(did you mean 'column'?)"));
}

TEST_CASE("address mapping: a bit that its field does not have is refused", "[dram]") {
  CHECK(refusal("row[13:0] sid bank group pseudo column") == "E-CFG-032: 'row[13:0]': row has bits 0 to 12");
  CHECK(refusal("row sid[1] bank group pseudo column") == "E-CFG-032: 'sid[1]': sid has one bit, 0");
  CHECK(refusal("row sid channel[0] bank group pseudo column") ==
        "E-CFG-032: 'channel[0]': channel has a single value and no bits");
}

TEST_CASE("address mapping: every bit occurs in the slices once", "[dram]") {
  CHECK_THAT(refusal("row sid bank pseudo column"), Catch::StartsWith("E-CFG-033: group[0] is missing"));
  CHECK_THAT(refusal("row sid bank group pseudo column[4:2] column[2:0]"),
             Catch::StartsWith("E-CFG-033: column[2] appears twice"));
}

TEST_CASE("address mapping: the sides of an XOR are equally wide", "[dram]") {
  CHECK(refusal("row sid bank group pseudo column; group ^= row[2:0]") ==
        "E-CFG-034: 'group ^= row[2:0]': 2 bits on the left, 3 on the right");
  CHECK_THAT(refusal("row sid bank group pseudo column; group[1+] ^= row[2:0]"),
             Catch::Contains("1 bits on the left, 3 on the right"));
}

TEST_CASE("address mapping: several addresses at one place are refused", "[dram]") {
  const std::string good = "row sid bank group pseudo column; bank ^= row[1:0]";
  CHECK(refusal(good + "; group ^= group") ==
        "E-CFG-035: 'group ^= group' maps several addresses to one location");
  CHECK_THAT(refusal(good + "; row[2:0] ^= row[3:1]; row[2] ^= row[2]; sid ^= row[0]"),
             Catch::StartsWith("E-CFG-035: 'row[2] ^= row[2]'"));
  // Two bits that take each other at once become the same.
  CHECK_THAT(refusal("row sid bank[0] bank[1] group pseudo column; bank ^= group; bank[1:0] ^= bank[1:0]"),
             Catch::StartsWith("E-CFG-035"));
}

TEST_CASE("address mapping: rows that are not a power of two are on top and unchanged", "[dram]") {
  Organisation o = reference_organisation();
  o.rows = 3 * 2048;
  const std::string good = "row[12:11] sid row[10:0] bank group pseudo column";
  CHECK(refusal(good + "; row[10] ^= row[12]; group ^= row[12:11]", o) == "accepted");
  CHECK_THAT(refusal("sid row bank group pseudo column", o),
             Catch::StartsWith("E-CFG-036: row[11] is misplaced: 6144 rows are not a power of two, so "
                               "row[12:11] must be the highest address bits"));
  CHECK_THAT(refusal("row[11] row[12] sid row[10:0] bank group pseudo column", o),
             Catch::StartsWith("E-CFG-036"));
  CHECK_THAT(refusal(good + "; row[11] ^= row[3]", o), Catch::StartsWith("E-CFG-036: 'row[11] ^= row[3]'"));
}
