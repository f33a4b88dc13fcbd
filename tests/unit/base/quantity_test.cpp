// SPDX-License-Identifier: Apache-2.0
#include "model/base/quantity.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "model/base/error.h"

using namespace tahoma::base;

namespace {

// The code of the UserError that `parse` throws for `text`, "" if it accepts it.
template <class Parse>
std::string code_of(Parse parse, const std::string& text) {
  try {
    parse(text);
  } catch (const UserError& e) {
    CHECK(e.place.empty());
    CHECK(e.status == ExitStatus::kUsage);
    return e.code;
  }
  return "";
}

}  // namespace

TEST_CASE("quantity: SI prefixes are decimal and IEC prefixes binary", "[base][quantity]") {
  CHECK(parse_bandwidth("2.9 TB/s").bytes_per_second == 2'900'000'000'000ULL);
  CHECK(parse_bandwidth("725 GB/s").bytes_per_second == 725'000'000'000ULL);
  CHECK(parse_bandwidth("1 GiB/s").bytes_per_second == 1'073'741'824ULL);
  CHECK(parse_bytes("24 GiB").count == 25'769'803'776ULL);
  CHECK(parse_bytes("24 GB").count == 24'000'000'000ULL);
  CHECK(parse_bytes("1 TiB").count == 1'099'511'627'776ULL);
  CHECK(parse_bytes("1.5 KiB").count == 1536);
  CHECK(parse_frequency("2.4 GHz").hz == 2'400'000'000ULL);
  CHECK(parse_duration("1 s").fs == 1'000'000'000'000'000LL);
  CHECK(parse_duration("3.2 us").fs == 3'200'000'000LL);
  CHECK(parse_duration("2 ms").fs == 2'000'000'000'000LL);
  CHECK(parse_duration("7 ps").fs == 7'000);
  CHECK(parse_cycles("64 cyc").count == 64);
  CHECK(parse_count("18446744073709551615") == UINT64_MAX);
  CHECK(parse_number("-2.5e-3") == -0.0025);
  CHECK(parse_switch("true"));
  CHECK_FALSE(parse_switch("false"));
}

TEST_CASE("quantity: decimal fractions are exact", "[base][quantity]") {
  // Each of these has no finite binary fraction.
  CHECK(parse_duration("0.1 ns").fs == 100'000);
  CHECK(parse_duration("1283.33 ns").fs == 1'283'330'000);
  CHECK(parse_duration("165.5 ns").fs == 165'500'000);
  CHECK(parse_duration("0.000001 ns").fs == 1);
  CHECK(parse_bandwidth("0.1 B/s").bytes_per_second == 0);
  CHECK(parse_bandwidth("1234567890.123456789 GB/s").bytes_per_second == 1'234'567'890'123'456'789ULL);
  CHECK(parse_frequency("1.123456789 GHz").hz == 1'123'456'789ULL);
}

TEST_CASE("quantity: a value between two base units is rounded to the nearest", "[base][quantity]") {
  CHECK(parse_duration("0.4 fs").fs == 0);
  CHECK(parse_duration("0.5 fs").fs == 1);
  CHECK(parse_duration("1.0000004 ns").fs == 1'000'000);
  CHECK(parse_duration("1.0000006 ns").fs == 1'000'001);
  // It is rounded only once: rounding first to 15 digits and then to whole femtoseconds would give 1.
  CHECK(parse_duration("0.4999999999999999999 fs").fs == 0);
  CHECK(parse_bytes("0.3 KiB").count == 307);
}

TEST_CASE("quantity: an exponent and blanks do not change the value", "[base][quantity]") {
  CHECK(parse_duration("1.5e3 ns") == parse_duration("1500 ns"));
  CHECK(parse_duration("1500e-3us") == parse_duration("1500 ns"));
  CHECK(parse_bandwidth("  725GB/s ") == parse_bandwidth("725 GB/s"));
  CHECK(parse_bandwidth("725   GB/s") == parse_bandwidth("725 GB/s"));
  CHECK(parse_duration("0e9999 ns").fs == 0);
  CHECK(parse_duration("1e-99999999999 s").fs == 0);
  CHECK(parse_bytes("1000000000000000000000e-21 B").count == 1);  // trailing zeros are not significant digits
}

TEST_CASE("quantity: ideal costs nothing", "[base][quantity]") {
  CHECK(parse_bandwidth("ideal").ideal);
  CHECK(parse_bandwidth("ideal").time_for({1ULL << 40}).fs == 0);
  CHECK(parse_duration("ideal").fs == 0);
  CHECK(parse_cycles("ideal").count == 0);
  CHECK(code_of(parse_bytes, "ideal") == "E-CFG-004");
  CHECK(code_of(parse_bandwidth, "Ideal") == "E-CFG-004");
}

TEST_CASE("quantity: a missing or foreign unit is refused and the legal ones are named", "[base][quantity]") {
  for (const char* text :
       {"725", "725 GHz", "725 ns", "725 GB", "725 Gb/s", "725 gb/s", "725 GB/s x", "725 GB /s", "1 2 GB/s"})
    CHECK(code_of(parse_bandwidth, text) == "E-CFG-003");
  for (const char* text : {"10", "10 GB/s", "10 cyc", "10 NS", "10 n s", "10 ns!", "0x10 ns"})
    CHECK(code_of(parse_duration, text) == "E-CFG-003");
  CHECK(code_of(parse_cycles, "64") == "E-CFG-003");
  CHECK(code_of(parse_bytes, "64 KB") == "E-CFG-003");  // neither kB nor KiB
  CHECK(code_of(parse_frequency, "2.4") == "E-CFG-003");
  CHECK(code_of(parse_count, "64 KiB") == "E-CFG-003");
  CHECK(code_of(parse_number, "0.5 ns") == "E-CFG-003");
  CHECK_THROWS_WITH(parse_bandwidth("725"), Catch::Contains("a bandwidth such as '725 GB/s'") &&
                                                Catch::Contains("TB/s") && Catch::Contains("got '725'"));
}

TEST_CASE("quantity: a text that is not a number is refused", "[base][quantity]") {
  for (const char* text :
       {"", " ", "fast", "nan", ".nan", "inf", ".inf", "-inf", "+5 ns", ".5 ns", "-", "e3 ns", "\xC2\xB5s"})
    CHECK(code_of(parse_duration, text) == "E-CFG-004");
  CHECK(code_of(parse_duration, "5. ns") == "E-CFG-003");  // the number is 5, the unit ". ns"
  CHECK(code_of(parse_duration, "123456789012345678901 fs") == "E-CFG-004");  // 21 digits
  for (const char* text : {"", "nan", "inf", "-nan", "seven", "+1", ".5"}) {
    CHECK(code_of(parse_number, text) == "E-CFG-004");
    CHECK(code_of(parse_count, text) == "E-CFG-004");
  }
  CHECK(code_of(parse_count, "1.0") == "E-CFG-004");
  CHECK(code_of(parse_count, "1e3") == "E-CFG-004");
  CHECK(code_of(parse_cycles, "2.5 cyc") == "E-CFG-004");
  for (const char* text : {"yes", "no", "on", "off", "1", "0", "True", ""})
    CHECK(code_of(parse_switch, text) == "E-CFG-006");
}

TEST_CASE("quantity: negative and too large values are refused", "[base][quantity]") {
  CHECK(code_of(parse_duration, "-1 ns") == "E-CFG-005");
  CHECK(code_of(parse_bandwidth, "-725 GB/s") == "E-CFG-005");
  CHECK(code_of(parse_count, "-1") == "E-CFG-005");
  CHECK(code_of(parse_count, "18446744073709551616") == "E-CFG-005");
  CHECK(code_of(parse_duration, "9223372036854775807 fs") == "E-CFG-005");  // that is `never`
  CHECK(parse_duration("9223372036854775806 fs").fs == INT64_MAX - 1);
  CHECK(code_of(parse_duration, "1e30 s") == "E-CFG-005");
  CHECK(code_of(parse_duration, "1e999999999999 s") == "E-CFG-005");
  CHECK(code_of(parse_bytes, "18446744073709551615.5 B") == "E-CFG-004");  // 21 digits
  CHECK(code_of(parse_bytes, "1844674407370955161.6e1 B") == "E-CFG-005");
  CHECK(code_of(parse_number, "1e400") == "E-CFG-005");
}

TEST_CASE("quantity: a leading zero is refused, because elsewhere it means octal", "[base][quantity]") {
  CHECK(code_of(parse_count, "010") == "E-CFG-013");
  CHECK(code_of(parse_count, "00") == "E-CFG-013");
  CHECK(code_of(parse_duration, "010 ns") == "E-CFG-013");
  CHECK(code_of(parse_number, "00.5") == "E-CFG-013");
  CHECK(parse_count("0") == 0);
  CHECK(parse_number("0.5") == 0.5);
}

TEST_CASE("quantity: text picks readable units", "[base][quantity]") {
  CHECK(to_text(Bandwidth{725'000'000'000ULL}) == "725 GB/s");
  CHECK(to_text(Bandwidth{2'900'000'000'000ULL}) == "2.9 TB/s");
  CHECK(to_text(Bandwidth{1, true}) == "ideal");
  CHECK(to_text(Bytes{24ULL << 30}) == "24 GiB");
  CHECK(to_text(Bytes{32}) == "32 B");
  CHECK(to_text(Bytes{212'984}) == "212984 B");
  CHECK(to_text(Bytes{0}) == "0 B");
  CHECK(to_text(Frequency{1'200'000'000}) == "1.2 GHz");
  CHECK(to_text(Frequency{960'000'000}) == "960 MHz");
  CHECK(to_text(Duration{165'500'000}) == "165.5 ns");
  CHECK(to_text(Duration{1'283'330'000}) == "1283.33 ns");
  CHECK(to_text(Duration{3'200'000'000}) == "3.2 us");
  CHECK(to_text(Duration{0}) == "0 ns");
  CHECK(to_text(Cycles{64}) == "64 cyc");
  CHECK(to_text(0.1) == "0.1");
  CHECK(to_text(true) == "true");
}

TEST_CASE("quantity: parsing a text gives its value back", "[base][quantity]") {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> values{0, 1, 2, 999, 1000, 1001, 1023, 1024, 1025, UINT64_MAX, 1ULL << 63};
  for (int i = 0; i < 2000; ++i) {
    std::uint64_t value = random() >> (random() % 64);
    if (i % 3 == 0) value = value % 10'000 * 1'000'000;  // with trailing zeros
    values.push_back(value);
  }
  bool all = true;
  for (const std::uint64_t v : values) {
    const auto positive = static_cast<std::int64_t>(v % (1ULL << 62));
    all &= parse_bytes(to_text(Bytes{v})).count == v;
    all &= parse_frequency(to_text(Frequency{v})).hz == v;
    all &= parse_bandwidth(to_text(Bandwidth{v})) == Bandwidth{v};
    all &= parse_duration(to_text(Duration{positive})).fs == positive;
    all &= parse_cycles(to_text(Cycles{positive})).count == positive;
    all &= parse_count(to_text(v)) == v;
    const double number = std::ldexp(static_cast<double>(positive), static_cast<int>(v % 600) - 300);
    all &= parse_number(to_text(number)) == number;
    if (!all) {
      CAPTURE(v);
      REQUIRE(all);
    }
  }
  CHECK(all);
}

TEST_CASE("quantity: energies and powers are whole attojoules and microwatts", "[base][quantity]") {
  CHECK(parse_energy("0.59 pJ").aj == 590'000);
  CHECK(parse_energy("7.3 nJ").aj == 7'300'000'000ULL);
  CHECK(parse_energy("1 mJ").joules() == 1e-3);
  CHECK(parse_power("8 W").uw == 8'000'000);
  CHECK(parse_power("0.5 kW").watts() == 500);
  CHECK((1.0625_pJ).aj == 1'062'500);
  CHECK(to_text(590_pJ) == "590 pJ");
  CHECK(to_text(0.59_pJ) == "590 fJ");
  CHECK(to_text(50_W) == "50 W");
  for (const std::uint64_t aj : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{123'456'789}})
    CHECK(parse_energy(to_text(Energy{aj})).aj == aj);
  CHECK(code_of(parse_energy, "0.59") == "E-CFG-003");
  CHECK(code_of(parse_energy, "8 W") == "E-CFG-003");
  CHECK(code_of(parse_power, "-8 W") == "E-CFG-005");
  CHECK(code_of(parse_power, "1e30 kW") == "E-CFG-005");
}
