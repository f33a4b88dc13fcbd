// SPDX-License-Identifier: Apache-2.0
#include "model/base/loader/config_loader.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>

#include "model/base/error.h"
#include "model/base/quantity.h"

using namespace tahoma::base;

namespace {

struct Shard {
  std::uint64_t m, n;
  void declare(ParamTree& t) {
    t.add("m", m, std::uint64_t{1}, {1, 64}, "along m", chosen());
    t.add("n", n, std::uint64_t{1}, {1, 64}, "along n", chosen());
  }
};

struct Case {
  std::uint64_t m;
  double tolerance;
  std::string input;
  Bandwidth rate;
  Duration latency;
  Shard shard;
  void declare(ParamTree& t) {
    t.add("m", m, std::uint64_t{128}, {1, 8192}, "rows", chosen());
    t.add("tolerance", tolerance, 0.5, {0.0, 1.0}, "of a check", chosen());
    t.add("input", input, "", {}, "a file", chosen());
    t.add("rate", rate, 725_GBps, {1_GBps, 1000_GBps}, "of a stack", chosen());
    t.add("latency", latency, 165.5_ns, {0_ns, 1_us}, "of an engine", chosen());
    t.group("shard", shard);
  }
};

struct Fixture {
  Case values;
  ParamTree tree{"workload"};
  Fixture() { values.declare(tree); }
};

struct Refused {
  std::string code, place, message;
};

template <class Action>
Refused refusal(Action action) {
  try {
    action();
  } catch (const UserError& e) {
    return {e.code, e.place, e.message};
  }
  return {};
}

Refused refusal_of(const std::string& text) {
  return refusal([&] { flatten({"f.yaml", text}, {}); });
}

Refused refusal_applied(const std::string& text) {
  return refusal([&] {
    Fixture f;
    apply(flatten({"f.yaml", text}, {}), f.tree);
  });
}

std::string leaves_of(const FlatConfig& config) {
  std::string text;
  for (const Leaf& leaf : config.leaves) text += leaf.path + "=" + leaf.text + "@" + leaf.place + ";";
  return text;
}

// Files by name, as a reader receives them.
TextReader files(std::map<std::string, std::string> texts) {
  return [texts](const std::string& name, const std::string&) -> NamedText {
    const auto found = texts.find(name);
    if (found == texts.end()) throw UserError("E-CFG-016", "", "no file " + name);
    return {name, found->second};
  };
}

}  // namespace

TEST_CASE("flatten: nested keys join, lists are numbered, places count from 1", "[base][config]") {
  const FlatConfig config =
      flatten({"f.yaml", "a: 1\nb:\n  c: two words\n  d: [x, 'y: z']\ne: {f: \"\"}\n"}, {});
  CHECK(
      leaves_of(config) ==
      "a=1@f.yaml:1:4;b.c=two words@f.yaml:3:6;b.d[0]=x@f.yaml:4:7;b.d[1]=y: z@f.yaml:4:10;e.f=@f.yaml:5:8;");
  CHECK(config.find("b.c")->key_place == "f.yaml:3:3");
  CHECK(config.find("b.d[1]")->text == "y: z");
  CHECK(config.find("e.f")->text.empty());
  CHECK(config.find("b") == nullptr);
}

TEST_CASE("flatten: a list of maps and a list of lists keep their leaves", "[base][config]") {
  const FlatConfig config = flatten({"f", "a:\n  - {b: 1, c: 2}\n  - b: 3\nd: [[1, 2], [3]]\n"}, {});
  std::string paths;
  for (const Leaf& leaf : config.leaves) paths += leaf.path + "=" + leaf.text + " ";
  CHECK(paths == "a[0].b=1 a[0].c=2 a[1].b=3 d[0][0]=1 d[0][1]=2 d[1][0]=3 ");
}

TEST_CASE("flatten: the same key twice is refused, however it is written", "[base][config]") {
  for (const char* text : {"a: 1\na: 2\n", "a: {b: 1, b: 2}\n", "a: {b: 1}\na: {c: 2}\n",
                           "a: {b: 1}\na.b: 2\n", "a: 1\n'a': 1\n"})
    CHECK(refusal_of(text).code == "E-CFG-010");
  const Refused r = refusal_of("x: {y: 1,\n     y: 2}\n");
  CHECK(r.place == "f.yaml:2:6");
  CHECK_THAT(r.message, Catch::Contains("'x.y'"));
}

TEST_CASE("flatten: merge keys, anchors, aliases and tags are refused", "[base][config]") {
  for (const char* text : {"<<: {a: 1}\n", "a: &x 1\n", "a: &x {b: 1}\nc: *x\n", "b: !!int 3\n",
                           "b: !mine {c: 1}\n", "a: &x\nb: *x\n"})
    CHECK(refusal_of(text).code == "E-CFG-011");
  CHECK(refusal_of("a: 1\n<<: {b: 1}\n").place == "f.yaml:2:1");
}

TEST_CASE("flatten: one document only", "[base][config]") {
  CHECK(refusal_of("a: 1\n---\nb: 2\n").code == "E-CFG-012");
  CHECK(refusal_of("--- \na: 1\n...\n---\nb: 2\n").code == "E-CFG-012");
  CHECK(refusal_of("---\na: 1\n...\n").code.empty());
  CHECK(refusal_of("{a: 1} {b: 2}\n").code == "E-CFG-012");
}

TEST_CASE("flatten: the root must be a map", "[base][config]") {
  for (const char* text :
       {"", "   \n", "# only a comment\n", "---\n", "word\n", "- a\n- b\n", "[a, b]\n", "~\n", ","})
    CHECK(refusal_of(text).code == "E-CFG-015");
  CHECK(refusal_of("\n  word\n").place == "f.yaml:2:3");
}

TEST_CASE("flatten: size and depth are capped", "[base][config]") {
  std::string deep;
  for (int i = 0; i < kMostDepth - 1; ++i) deep += "{a: ";
  CHECK(refusal_of(deep + "{b: 1}" + std::string(kMostDepth - 1, '}')).code.empty());
  CHECK(refusal_of(deep + "{a: {b: 1}}" + std::string(kMostDepth - 1, '}')).code == "E-CFG-014");
  CHECK(refusal_of("a: " + std::string(100'000, '[')).code == "E-CFG-014");
  CHECK(refusal_of(std::string(100'000, '{')).code != "");
  CHECK(refusal_of("a: " + std::string(kMostText, 'x')).code == "E-CFG-014");
}

TEST_CASE("flatten: a large legal text is read in reasonable time", "[base][config]") {
  std::string text;
  for (int i = 0; text.size() < kMostText - 64; ++i) text += "key" + std::to_string(i) + ": 1\n";
  const FlatConfig config = flatten({"f", "extends: g\n" + text}, files({{"g", text}}));
  CHECK(config.leaves.size() > 50'000);
}

TEST_CASE("flatten: invalid YAML is reported with its place", "[base][config]") {
  const Refused r = refusal_of("a: 1\nb: [1, 2\nc: 3\n");
  CHECK(r.code == "E-CFG-017");
  CHECK_THAT(r.place, Catch::StartsWith("f.yaml:"));
  CHECK(refusal_of("a: \"unended\n").code == "E-CFG-017");
  CHECK(refusal_of("a: 'unended").code == "E-CFG-017");
  CHECK(refusal_of("a: 1\nb: 'unended\n").place == "f.yaml:2:4");
  CHECK(refusal_of("a: {b: 1\n").code == "E-CFG-017");
  CHECK(refusal_of("a: [1, 2\n").code == "E-CFG-017");
  CHECK(refusal_of("a: b: c\n").code == "E-CFG-017");
  CHECK(refusal_of("\ta: 1\n").code != "");
}

TEST_CASE("flatten: empty values, maps, lists and keys are refused", "[base][config]") {
  for (const char* text : {"a:\n", "a: ~\n", "a: null\n", "a: {}\n", "a: []\n", "a: [1, ]\nb: {c: }\n",
                           "? [x]\n: 1\n", "? {x: y}\n: 1\n", "'': 1\n", "~: 1\n"})
    CHECK(refusal_of(text).code == "E-CFG-019");
  CHECK(refusal_of("a: 1\nb:\n  c: {}\n").place == "f.yaml:3:6");
}

TEST_CASE("flatten: no text hangs or crashes the loader", "[base][config][fuzz]") {
  const std::vector<std::string> tokens{"a",   "b",  ": ", ":",  ", ",   ",",    "[",  "]",    "{",
                                        "}",   "- ", "? ", "\n", "\n  ", " ",    "'",  "\"",   "&x",
                                        "*x",  "!",  "!!", "|",  ">",    "#",    "%",  "@",    "---",
                                        "...", "<<", "~",  "\t", "010",  ".nan", "\\", "\xC3", "`"};
  std::mt19937 random(7);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n) text += tokens[random() % tokens.size()];
    if (refusal_of(text).code.empty()) ++accepted;
  }
  CHECK(accepted > 0);
}

TEST_CASE("extends: the child wins, leaf by leaf", "[base][config]") {
  const TextReader reader =
      files({{"parent", "extends: grand\na: {x: 2, y: 2}\n"}, {"grand", "a: {x: 3, z: 3}\nw: 3\n"}});
  const FlatConfig config = flatten({"child", "extends: parent\na: {x: 1}\nnew: 1\n"}, reader);
  CHECK(leaves_of(config) ==
        "a.x=1@child:2:8;a.z=3@grand:1:14;w=3@grand:2:4;a.y=2@parent:2:14;new=1@child:3:6;");
}

TEST_CASE("extends: a list replaces a list as a whole", "[base][config]") {
  const FlatConfig config = flatten({"c", "extends: p\nl: [7]\n"}, files({{"p", "l: [1, 2, 3]\nk: [4]\n"}}));
  CHECK(leaves_of(config) == "k[0]=4@p:2:5;l[0]=7@c:2:5;");
}

TEST_CASE("extends: a value cannot become a group, nor a group a value", "[base][config]") {
  const TextReader reader = files({{"p", "a: {b: 1}\nc: 1\n"}});
  const Refused value = refusal([&] { flatten({"f", "extends: p\na: 5\n"}, reader); });
  CHECK(value.code == "E-CFG-019");
  CHECK(value.place == "f:2:4");
  CHECK_THAT(value.message, Catch::Contains("p:1:5"));
  CHECK(refusal([&] { flatten({"f", "extends: p\nc: {d: 1}\n"}, reader); }).code == "E-CFG-019");
  CHECK(refusal([&] { flatten({"f", "extends: [p, q]\n"}, reader); }).code == "E-CFG-019");
}

TEST_CASE("extends: cycles and missing files are refused at their place", "[base][config]") {
  const TextReader reader = files({{"a", "extends: b\nx: 1\n"}, {"b", "y: 1\nextends: a\n"}});
  const Refused cycle = refusal([&] { flatten({"a", "extends: b\nx: 1\n"}, reader); });
  CHECK(cycle.code == "E-CFG-016");
  CHECK(cycle.place == "b:2:10");
  const Refused missing = refusal([&] { flatten({"f", "x: 1\nextends: nothing\n"}, reader); });
  CHECK(missing.code == "E-CFG-016");
  CHECK(missing.place == "f:2:10");
  CHECK(refusal([&] { flatten({"f", "extends: b\n"}, {}); }).code == "E-CFG-016");
  const TextReader endless = [](const std::string&, const std::string& by) -> NamedText {
    return {by + "x", "extends: more\n"};
  };
  CHECK(refusal([&] { flatten({"f", "extends: more\n"}, endless); }).code == "E-CFG-014");
}

TEST_CASE("apply: values reach the tree and errors have the value's place", "[base][config]") {
  Fixture f;
  apply(flatten({"f.yaml", "other: 1\nworkload:\n  m: 256\n  rate: ideal\n  shard: {n: 8}\n"}, {}), f.tree);
  CHECK(f.values.m == 256);
  CHECK(f.values.rate.ideal);
  CHECK(f.values.shard.n == 8);
  CHECK(f.values.shard.m == 1);
  CHECK(f.tree.find("workload.m")->set_at == "f.yaml:3:6");

  const Refused unknown = refusal_applied("workload:\n  shrad: {m: 2}\n");
  CHECK(unknown.code == "E-CFG-002");
  CHECK(unknown.place == "f.yaml:2:11");
  CHECK_THAT(unknown.message, Catch::Contains("workload.shard.m"));
  const Refused unit = refusal_applied("workload:\n  rate:   725\n");
  CHECK(unit.code == "E-CFG-003");
  CHECK(unit.place == "f.yaml:2:11");
  CHECK(refusal_applied("workload: {m: .nan}\n").code == "E-CFG-004");
  CHECK(refusal_applied("workload: {tolerance: .inf}\n").code == "E-CFG-004");
  CHECK(refusal_applied("workload: {m: 0x10}\n").code == "E-CFG-003");
  CHECK(refusal_applied("workload: {m: 9000}\n").code == "E-CFG-005");
  CHECK(refusal_applied("workload: {m: ideal}\n").code == "E-CFG-007");
  CHECK(refusal_applied("workload: {m: 010}\n").code == "E-CFG-013");
  CHECK(refusal_applied("workload: 5\n").code == "E-CFG-019");
  CHECK(refusal_applied("workload: {shard: 5}\n").code == "E-CFG-019");
  CHECK(refusal_applied("workload: {m: {n: 5}}\n").code == "E-CFG-019");
  CHECK(refusal_applied("workload: {m: [5, 6]}\n").code == "E-CFG-019");
}

TEST_CASE("override: --set takes a value, a map, a list, a quoted text", "[base][config]") {
  const auto text = [](const std::string& argument) {
    FlatConfig config;
    config.leaves = parse_override(argument);
    return leaves_of(config);
  };
  CHECK(text("workload.m=5") == "workload.m=5@--set workload.m=5;");
  CHECK(text("machine.rate=2.9 TB/s") == "machine.rate=2.9 TB/s@--set machine.rate=2.9 TB/s;");
  CHECK(text("workload.input=a=b.npy") == "workload.input=a=b.npy@--set workload.input=a=b.npy;");
  CHECK(text("workload.input=") == "workload.input=@--set workload.input=;");
  CHECK(text("w.shard={m: 2, n: 8}") == "w.shard.m=2@--set w.shard:1:5;w.shard.n=8@--set w.shard:1:11;");
  CHECK(text("w.list=[1, 2]") == "w.list[0]=1@--set w.list:1:2;w.list[1]=2@--set w.list:1:5;");
  CHECK(text("w.input=\"a b\"") == "w.input=a b@--set w.input:1:1;");
}

TEST_CASE("override: anything but path=value is refused", "[base][config]") {
  for (const char* argument : {"", "workload.m", "=5", "work load.m=5", "{workload.m=5", "a: {b=c}"}) {
    const Refused r = refusal([&] { parse_override(argument); });
    CHECK(r.code == "E-CFG-018");
    CHECK(r.place == "--set " + std::string(argument));
  }
  CHECK(refusal([] { parse_override("w.shard={m: 2, m: 3}"); }).code == "E-CFG-010");
  CHECK(refusal([] { parse_override("w.shard={m: 2"); }).code == "E-CFG-017");
  CHECK(refusal([] { parse_override("w.shard={}"); }).code == "E-CFG-019");
}

TEST_CASE("to_yaml: loading it again gives the same values and the same text", "[base][config]") {
  Fixture f;
  f.values.rate = {0, true};
  f.values.tolerance = 0.1;
  f.values.latency = parse_duration("1 fs");
  for (const std::string& input :
       {std::string(), std::string("a.npy"), std::string("null"), std::string("010"),
        std::string("with \"quotes\", \\ and: colon # hash\n\ttab"), std::string("~"),
        std::string("dir/a b.npy"), std::string("true"), std::string("\xC3\xA9t\xC3\xA9")}) {
    CAPTURE(input);
    f.values.input = input;
    const std::string text = to_yaml(f.tree, "workload");
    Fixture again;
    again.values.m = 1;
    apply(flatten({"f", text}, {}), again.tree);
    CHECK(again.values.input == input);
    CHECK(again.values.rate.ideal);
    CHECK(again.values.tolerance == 0.1);
    CHECK(again.values.latency.fs == 1);
    CHECK(again.values.m == 128);
    CHECK(to_yaml(again.tree, "workload") == text);
  }
}

TEST_CASE("to_yaml: nested in declaration order, each group once", "[base][config]") {
  const Fixture f;
  CHECK(to_yaml(f.tree, "workload") ==
        "workload:\n  m: 128\n  tolerance: 0.5\n  input: \"\"\n  rate: 725 GB/s\n  latency: 165.5 ns\n  "
        "shard:\n"
        "    m: 1\n    n: 1\n");
  std::uint64_t a = 0, b = 0, c = 0;
  ParamTree tree("w");
  tree.add("g.a", a, std::uint64_t{1}, {0, 9}, "in a group", chosen());
  tree.add("b", b, std::uint64_t{2}, {0, 9}, "between", chosen());
  tree.add("g.c", c, std::uint64_t{3}, {0, 9}, "in the group again", chosen());
  CHECK(to_yaml(tree, "w") == "w:\n  g:\n    a: 1\n    c: 3\n  b: 2\n");
  CHECK_THROWS_AS(to_yaml(tree, "machine"), InvariantError);
}

TEST_CASE("loader: what is missing at the end of a text is reported behind its last character", "[config]") {
  // The text and the place behind it, or before it.
  const std::vector<std::pair<std::string, std::string>> ends{{"a: {b: 1", "f.yaml:1:9"},
                                                              {"a: {b: 1\n", "f.yaml:1:9"},
                                                              {"a: {b: 1\n\n\n", "f.yaml:1:9"},
                                                              {"a: 1\nb: [1, 2\n", "f.yaml:2:9"},
                                                              {"a: {b: [1\n  \n", "f.yaml:1:10"}};
  for (const auto& [text, place] : ends) {
    INFO(text);
    const Refused refused = refusal_of(text);
    CHECK(refused.code == "E-CFG-017");
    CHECK(refused.place == place);
  }
}

TEST_CASE("config loader: an empty map under an unknown key is named as that key", "[config][bad-input]") {
  const auto refused = [](const std::string& text) {
    return refusal([&] {
      Fixture f;
      refuse_empty(flatten_keeping_empty({"f.yaml", text}, {}), {&f.tree});
    });
  };
  const Refused unknown = refused("workload: {shrd: {}}\n");
  CHECK((unknown.code == "E-CFG-002" && unknown.place == "f.yaml:1:12"));
  CHECK(unknown.message.find("did you mean 'workload.shard") != std::string::npos);
  CHECK(refused("workload: {shard: {k: {}}}\n").code == "E-CFG-002");
  // Known ones stay empty, and so does what no tree knows.
  for (const char* text : {"workload: {shard: {}}\n", "workload: {m: {}}\n", "machine: {shrd: {}}\n",
                           "workload: {}\n", "workload: {shrd: []}\n", "workload: {shrd: [{}]}\n"})
    CHECK(refused(text).code == "E-CFG-019");
  CHECK(refusal_of("workload: {shrd: {}}\n").code == "E-CFG-019");
  CHECK(refused("workload: {m: 2}\n").code.empty());
  // The same holds for a parent.
  const auto parent = [](const std::string&, const std::string&) -> NamedText {
    return {"p.yaml", "workload: {shrd: {}}\n"};
  };
  CHECK(refusal([&] {
          flatten({"f.yaml", "extends: p\nworkload: {m: 2}\n"}, parent);
        }).place == "p.yaml:1:18");
}
