#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The checks of this folder find planted errors and report nothing else."""

import pathlib
import tempfile
import unittest.mock

import choices
import classes
import columns
import documents
import error_codes
import figures
import formatting
import hygiene
import instructions
import kinds
import law_literals
import layers
import parameters
import release
import test_names
import type_names
import unity_names
from repo import Repo

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def plant(self, **files):
        """Keys are paths with '__' for '/' and the last '_' for '.': isa__a_h is isa/a.h."""
        for key, text in files.items():
            path = self.root / ".".join(key.replace("__", "/").rsplit("_", 1))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Repo(self.root)


class Releases(Planted):
    CMAKE = "project(tahoma VERSION 1.2.3 LANGUAGES CXX)\n"
    CHANGES = "## [Unreleased]\n\n## [1.2.3] - 2026-01-02\n\n## [1.2.2] - 2026-01-01\n"
    CITATION = 'version: 1.2.3\ndate-released: "2026-01-02"\n'

    def found(self, cmake=CMAKE, changes=CHANGES, citation=CITATION, project='dynamic = ["version"]\n', workflow="run: scripts/test.sh --full\n"):
        return release.findings(self.plant(CMakeLists_txt=cmake, CHANGELOG_md=changes, CITATION_cff=citation, pyproject_toml=project,
                                           **{".github__test_yml": workflow, "scripts__test_sh": ""}))

    def test_one_version_is_accepted(self):
        self.assertEqual(self.found(), [])

    def test_another_version_or_date_is_found(self):
        self.assertIn("CHANGELOG.md", "".join(self.found(cmake=self.CMAKE.replace("1.2.3", "1.3.0"))))
        self.assertIn("CHANGELOG.md", "".join(self.found(changes="## [Unreleased]\n")))
        self.assertIn("version is 1.2.2", "".join(self.found(citation=self.CITATION.replace("1.2.3", "1.2.2"))))
        self.assertIn("date-released is 2026-01-01", "".join(self.found(citation=self.CITATION.replace("01-02", "01-01"))))
        self.assertIn("pyproject.toml", "".join(self.found(project='version = "1.2.3"\n')))

    def test_a_workflow_that_calls_nothing_is_found(self):
        self.assertIn("scripts/none.sh does not exist", "".join(self.found(workflow="run: scripts/none.sh\n")))


class DeclaredColumns(Planted):
    HEADER = "const base::Columns<Row>& row_columns();\nstruct Rows {\n  TAHOMA_STATISTICS(Rows);\n};\n"

    def found(self, listed):
        return columns.findings(self.plant(report__rows_h=self.HEADER, report__reference__table_list_cpp=listed))

    def test_listed_tables_and_objects_are_accepted(self):
        self.assertEqual(self.found('{table(row_columns()), object<Rows>("rows")}'), [])

    def test_a_table_or_an_object_that_nobody_lists_is_found(self):
        self.assertIn("row_columns()", "".join(self.found('{object<Rows>("rows")}')))
        self.assertIn("Rows is not", "".join(self.found("{table(row_columns())}")))


class Layers(Planted):
    def assert_refused(self, header, **files):
        found = layers.findings(self.plant(**files))
        self.assertTrue(any(f"'{header}'" in line or f"-> {header}" in line for line in found), found)

    def test_standard_and_own_headers_are_allowed(self):
        repo = self.plant(isa__a_h="#include <vector>\n#include <cstdint>\n", isa__b_cpp='#include "isa/a.h"\n')
        self.assertEqual(layers.findings(repo), [])

    def test_isa_never_sees_systemc(self):
        self.assert_refused("systemc", isa__a_cpp="#include <systemc>\n")

    def test_isa_never_sees_the_model(self):
        self.assert_refused("model/base/e.h", isa__a_cpp='#include "model/base/e.h"\n', model__base__e_h="")

    def test_indented_include_is_seen(self):
        self.assert_refused("systemc", isa__a_cpp="  #  include <systemc>\n")

    def test_base_reads_yaml_only_in_its_loader(self):
        repo = self.plant(model__base__loader__config_loader_cpp="#include <yaml-cpp/yaml.h>\n")
        self.assertEqual(layers.findings(repo), [])
        self.assert_refused("yaml-cpp/yaml.h", model__base__params_cpp="#include <yaml-cpp/yaml.h>\n")

    def test_a_folder_includes_only_those_of_its_row(self):
        for source, header in (("model__engine__a_cpp", "model/link/r.h"), ("runtime__host__a_cpp", "runtime/run/m.h"),
                               ("runtime__run__b_cpp", "report/run/r.h"), ("workloads__a_cpp", "model/system/s.h")):
            planted = header.replace("/", "__").replace(".h", "_h")
            self.assert_refused(header, **{source: f'#include "{header}"\n', planted: ""})

    def test_a_command_of_a_missing_module_is_found(self):
        files = {"cli__graph_cpp": '#include "frontend/graph/g.h"\n', "frontend__graph__g_h": ""}
        self.assertIn("of the module nki", "".join(layers.findings(self.plant(**files))))
        files["cli__CMakeLists_txt"] = "set(nki graph.cpp)\n"
        self.assertEqual(layers.findings(self.plant(**files)), [])

    def test_a_part_of_a_row_that_nothing_needs_is_found(self):
        found = layers.unused(self.plant(isa__binary__b_h="", isa__core__c_h=""))
        self.assertIn("tests/dist/layers.py: isa/binary includes nothing of isa/core; remove it from the row", found)

    def test_folders_that_include_each_other_are_found(self):
        with unittest.mock.patch.dict(layers.FOLDERS, {"isa/core": ["isa/table"]}):
            self.assertIn("isa/core, isa/", layers.findings(self.plant())[0])

    def test_runtime_does_not_see_systemc_through_another_header(self):
        self.assert_refused("systemc", runtime__a_cpp='#include "model/system/s.h"\n',
                            model__system__s_h="#include <systemc>\n")

    def test_runtime_sees_parameters_through_the_machine(self):
        repo = self.plant(runtime__a_cpp='#include "model/system/m.h"\n', model__engine__params__engine_params_h="",
                          model__system__m_h='#include "model/engine/params/engine_params.h"\n')
        self.assertEqual(layers.findings(repo), [])

    def test_headers_are_named_from_the_root(self):
        self.assert_refused("a.h", isa__a_h="", isa__b_cpp='#include "a.h"\n')


class Choices(Planted):
    TABLE = 'inline constexpr base::Named<Kind> kKinds[] = {{Kind::kA, "torus"},\n {Kind::kB, "mesh"}};\n'

    def findings(self, source):
        return choices.findings(self.plant(model__link__kinds_h=self.TABLE, model__link__router_cpp=source))

    def test_an_enum_and_other_texts_are_fine(self):
        self.assertEqual(self.findings('if (kind == Kind::kA || name == "other") {}  // kind == "torus"\n'), [])

    def test_a_compared_name_is_found(self):
        for source in ('if (kind == "torus") {}\n', 'if (kind != "mesh") {}\n', 'if ("mesh" == kind) {}\n',
                       'if (dtype_ == "bf16") {}\n'):
            found = self.findings(source)
            self.assertTrue(len(found) == 1 and found[0].startswith("model/link/router.cpp:1: compares"), found)

    def test_a_choice_declared_as_a_text_is_found(self):
        found = self.findings('t.add("kind", kind,\n      std::string("a"), {"a", "b"}, "doc", chosen());\n')
        self.assertTrue(len(found) == 1 and "'kind' as a text" in found[0], found)
        self.assertEqual(self.findings('t.add("file", file, std::string(), {}, "doc", chosen());\n'), [])

    def test_a_parsed_dtype_is_found(self):
        self.assertEqual(len(self.findings("return *isa::dtype_from_name(dtype_);\n")), 1)

    def test_the_parameter_tree_may_compare(self):
        repo = self.plant(model__link__kinds_h=self.TABLE, model__base__params_cpp='if (name == "torus") {}\n')
        self.assertEqual(choices.findings(repo), [])


class LawLiterals(Planted):
    def findings(self, law):
        return law_literals.findings(self.plant(model__engine__pipeline__tensor_laws_cpp=law))

    def test_parameters_and_arithmetic_are_fine(self):
        law = '#include "a4.h"\nreturn 2 * p.cycles + x / 2 - 1 + kB4 + fp8 + u32(0);  // 4.3 measured\n'
        self.assertEqual(self.findings(law), [])

    def test_a_constant_is_found(self):
        for law in ("return 4.3 * columns;\n", "constexpr int kLeast = 600;\n", "return fill(128, 1);\n", "x = .25;\n",
                    "mask = 0xFF;\n", "x = 1'000;\n", "return of_elements(8);\n"):
            found = self.findings("\n" + law)
            self.assertTrue(len(found) == 1 and found[0].startswith("model/engine/pipeline/tensor_laws.cpp:2:"), found)

    def test_other_files_may_have_numbers(self):
        self.assertEqual(law_literals.findings(self.plant(model__engine__engine_cpp="int x = 600;\n")), [])


class Instructions(Planted):
    TABLE = '{Opcode::kA, "first", kTensor},\n{Opcode::kB,\n "second"},\n'

    def test_an_instruction_without_a_test_is_found(self):
        repo = self.plant(isa__table__table_x_h=self.TABLE, tests__unit__a_test_cpp='TEST_CASE("first: law") {}\n')
        self.assertEqual(len(instructions.findings(repo)), 1)

    def test_a_test_of_every_instruction_is_enough(self):
        repo = self.plant(isa__table__table_x_h=self.TABLE,
                          tests__unit__a_test_cpp='TEST_CASE("first and second: law") {}\n')
        self.assertEqual(instructions.findings(repo), [])


class Hygiene(Planted):
    def test_a_long_file_is_found(self):
        repo = self.plant(isa__a_cpp="\n" * (hygiene.MAX_LINES + 1), isa__b_cpp="\n" * hygiene.MAX_LINES)
        self.assertEqual(len(hygiene.length(repo)), 1)

    def test_a_missing_licence_is_found(self):
        self.assertEqual(len(hygiene.licence(self.plant(isa__a_h="int a;\n", isa__b_h=SPDX))), 1)

    def test_a_path_of_one_machine_is_found(self):
        repo = self.plant(a_md="see " + "/ho" + "me/ada/x\n", b_md="see a/home/x and https://x.org/work/y\n")
        self.assertEqual(len(hygiene.machine_paths(repo)), 1)

    def test_an_indexed_null_is_found(self):
        repo = self.plant(runtime__a_cpp='  Json json;\n  json["a"] = 1;\n', runtime__b_cpp='  Json json = Json::object();\n  json["a"] = 1;\n',
                          runtime__c_cpp="  ordered_json rows;\n  rows.push_back(1);\n")
        self.assertEqual([line.split(":")[0] for line in hygiene.indexed_nulls(repo)], ["runtime/a.cpp", "runtime/c.cpp"])

    def test_a_folder_without_readme_is_found(self):
        repo = self.plant(isa__README_md="", isa__a_h=SPDX, model__base__a_h=SPDX, model__base__README_md="",
                          workloads__README_md="", workloads__goldens__case_json="{}")
        self.assertEqual(hygiene.readmes(repo), ["model: has no README.md"])

    def test_a_crowded_folder_is_found(self):
        sources = {f"isa__a{number}_cpp": "" for number in range(hygiene.MAX_FILES)}
        self.assertEqual(hygiene.crowded_folders(self.plant(**sources, isa__case_yaml="")), [])
        self.assertEqual(len(hygiene.crowded_folders(self.plant(**sources, isa__b_h=""))), 1)

    def test_two_headers_of_one_name_are_found(self):
        repo = self.plant(isa__error_h="", model__error_h="", model__base__stats_h="", isa__stats_cpp="")
        self.assertEqual(hygiene.header_names(repo), ["error.h: the name of 2 headers: isa/error.h, model/error.h"])

    def test_a_source_that_includes_another_is_found(self):
        repo = self.plant(isa__a_cpp='#include "isa/b.cpp"\n', isa__b_cpp='#include "isa/b.h"\n#define AGAIN "isa/b.cpp"\n')
        self.assertEqual(hygiene.included_sources(repo), ['isa/a.cpp:1: includes a source: #include "isa/b.cpp"'])


class Classes(Planted):
    HEADER = "namespace n::m {\nclass Walk {\n  void f();\n  int g() const;\n  struct Impl { void h(); };\n};\n}\n"

    def findings(self, known=(), **files):
        return classes.findings(self.plant(isa__walk_h=self.HEADER, **files), known)

    def test_a_class_over_two_sources_is_found(self):
        found = self.findings(isa__a_cpp="namespace n::m { void Walk::f() {} }", isa__b_cpp="int n::m::Walk::g() const { return 1; }")
        self.assertEqual(found, ["isa/a.cpp: n::m::Walk is also defined in isa/b.cpp (make smaller classes)"])

    def test_constructors_operators_defaults_and_nested_types_count(self):
        one = "namespace n::m { void Walk::f() {} }"
        for other in ("Walk::Walk(int a) : a_(a) {}", "Walk::~Walk() = default;", "bool Walk::operator<(int a) const { return a; }",
                      "template <class T> std::vector<T> Walk::all() { return {}; }", "void Walk::Impl::h() { f(); }"):
            found = self.findings(isa__a_cpp=one, isa__b_cpp=f"namespace n::m {{ {other} }}")
            self.assertEqual(len(found), 1, other)

    def test_calls_namespaces_and_classes_of_one_source_are_silent(self):
        self.assertEqual(self.findings(
            isa__a_cpp="namespace n::m { void Walk::f() { Walk::g(); } int Walk::g() const { return 2; } }",
            isa__b_cpp="namespace n { int k = m::Walk::g(); void p::q() {} m::Walk::Impl make() { return {}; } }",
            isa__c_cpp="namespace n { namespace { struct Walk { void f(); }; void Walk::f() {} } }"), [])

    def test_a_known_class_that_is_whole_again_is_found(self):
        self.assertEqual(len(self.findings(known=("n::m::Walk",), isa__a_cpp="namespace n::m { void Walk::f() {} }")), 1)


class Fragments(Planted):
    PART = {"isa__part_h": "int part();\n", "isa__part_cpp": '#include "isa/part.h"\nint part() { return 1; }\n'}
    USER = '#include "isa/part.h"\nint user() { return part(); }\n'

    def findings(self, **files):
        return hygiene.fragments(self.plant(**{**self.PART, "isa__user_cpp": self.USER, **files}))

    def test_a_header_of_one_source_is_found(self):
        self.assertEqual(self.findings(),
                         ["isa/part.h: only isa/user.cpp includes it, 5 lines with it: merge it into isa/user.cpp"])

    def test_a_header_without_a_source_of_its_own_is_found(self):
        self.assertEqual(len(self.findings(isa__row_h="struct Row {};\n", isa__rows_cpp='  # include "isa/row.h"\n')), 2)

    def test_another_user_is_enough(self):
        for other in ("isa__other_cpp", "isa__other_h", "tests__unit__other_cpp", "isa__other_cpp_in"):
            self.assertEqual(self.findings(**{other: self.USER}), [], other)
            (self.root / ".".join(other.replace("__", "/").rsplit("_", 1))).unlink()

    def test_a_user_elsewhere_or_that_is_a_header_is_silent(self):
        for other in ("model__user_cpp", "isa__more__user_cpp", "tests__unit__user_cpp", "isa__user_h"):
            self.assertEqual(self.findings(isa__user_cpp="", **{other: self.USER}), [], other)
            (self.root / ".".join(other.replace("__", "/").rsplit("_", 1))).unlink()

    def test_headers_outside_of_the_rooms_are_silent(self):
        self.assertEqual(self.findings(isa__user_cpp="", tests__unit__a_h="", tests__unit__a_cpp='#include "tests/unit/a.h"\n',
                                       tests__unit__b_cpp='#include "tests/unit/a.h"\n'), [])

    def test_what_would_be_long_is_silent(self):
        fill = hygiene.MAX_MERGED - 5
        self.assertEqual(len(self.findings(isa__user_cpp=self.USER + "\n" * fill)), 1)
        self.assertEqual(self.findings(isa__user_cpp=self.USER + "\n" * (fill + 1)), [])

    def test_goldens_and_sources_that_a_build_omits_are_silent(self):
        self.assertEqual(self.findings(isa__CMakeLists_txt="list(APPEND omitted more.cpp part.cpp)\n"), [])
        self.assertEqual(len(self.findings(isa__CMakeLists_txt="list(APPEND omitted more.cpp more/part.cpp)\n")), 1)
        self.assertEqual(self.findings(isa__user_cpp="", isa__golden_part_h="int g();\n",
                                       isa__case_cpp='#include "isa/golden_part.h"\n'), [])


class TypeNames(Planted):
    def findings(self, known=(), **files):
        return type_names.findings(self.plant(**files), known)

    def assert_found(self, name, **files):
        found = self.findings(**files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(f": {name} is also defined in", found[0])

    def test_two_types_of_one_namespace_are_found(self):
        self.assert_found("n::Walk", isa__a_h="namespace n {\nstruct Walk {};\n}\n",
                          isa__b_h="namespace n {\ntemplate <std::size_t k>\nclass Walk final : public Base<k> {\n};\n}\n")

    def test_enumerations_and_aliases_are_types(self):
        self.assert_found("n::Kind", isa__a_h="namespace n { enum class Kind : std::uint8_t { kA }; }",
                          isa__b_h="namespace n { using Kind = int; }")

    def test_nested_namespaces_and_types_are_compared_by_their_whole_name(self):
        nested = "namespace n::m {{ struct {0} {{ struct Place {{ int a = 0; }}; void f() {{ struct Local {{}}; }} }}; }}"
        self.assertEqual(self.findings(isa__a_h=nested.format("A"), isa__b_h=nested.format("B")), [])
        self.assert_found("n::m::A::Impl", isa__a_h="namespace n { namespace m { struct A { struct Impl {}; }; } }",
                          isa__b_cpp="namespace n::m { struct A::Impl {}; }")

    def test_an_alias_may_be_repeated_with_one_meaning_only(self):
        same = "namespace n { using Json = a::json; }"
        self.assertEqual(self.findings(isa__a_cpp=same, isa__b_cpp=same), [])
        self.assert_found("n::Json", isa__a_cpp=same, isa__b_cpp="namespace n { using Json = a::ordered_json; }")

    def test_types_of_one_file_declarations_and_texts_do_not_count(self):
        own = 'namespace n { namespace { struct Row { int a[2]{}; }; } struct Used; void f(struct Used* u) { enum class E { kA }; } }'
        text = '// namespace n { struct C {}; }\nnamespace n { const char* const k = "struct C {"; const char c = \'{\'; }\n'
        self.assertEqual(self.findings(isa__a_cpp=own, isa__b_cpp=own, isa__c_cpp=text, isa__d_cpp=text), [])

    def test_a_known_ambiguity_is_silent_as_long_as_it_lasts(self):
        twice = {"isa__a_h": "namespace n { struct A {}; }", "isa__b_h": "namespace n { struct A {}; }"}
        self.assertEqual(self.findings(known={"n::A": "two meanings"}, **twice), [])
        self.assertEqual(len(self.findings(known={"n::A": "", "n::B": ""}, **twice)), 1)


class UnityNames(Planted):
    LOCAL = "namespace n {\nnamespace {\n[[noreturn]] void refuse(%s) {\n  if (a) return;\n}\n}\n}\n"

    def found(self, **files):
        rules = "set(tahoma_unity_trees isa/all\n  model/all)\nset(tahoma_unity_groups\n  \"workloads/kernels: rope norm\"\n  \"model/all/parts: x z\")\n"
        return unity_names.findings(self.plant(scripts__cmake__tahoma_room_cmake=rules, **files))

    def test_equal_names_in_one_folder_one_tree_and_one_group_are_found(self):
        for one, other in (("isa__a_cpp", "isa__b_cpp"), ("model__all__y__a_cpp", "model__all__w__a_cpp"),
                           ("workloads__rope__a_cpp", "workloads__norm__a_cpp"), ("model__all__x__a_cpp", "model__all__z__a_cpp")):
            found = "".join(self.found(**{one: self.LOCAL % "int a", other: self.LOCAL % "const std::string& a"}))
            self.assertIn("the local function refuse is also defined in", found, one)
            self.setUp()

    def test_other_folders_calls_members_and_functions_of_a_namespace_are_silent(self):
        visible = "namespace n {\nvoid refuse(int a) { refuse(a, 1); }\nvoid Walk::refuse() {}\n}\n"
        inside = "namespace n {\nnamespace {\nstruct Walk {\n  void refuse() {}\n};\nvoid f() { for (;;) refuse(1); }\n}\n}\n"
        self.assertEqual(self.found(isa__a_cpp=self.LOCAL % "int a", isa__b_cpp=visible, isa__c_cpp=inside,
                                    model__a_cpp=self.LOCAL % "int a"), [])
        self.assertEqual(self.found(model__all__x__a_cpp=self.LOCAL % "int a", model__all__y__a_cpp=self.LOCAL % "int b"), [])


class Parameters(Planted):
    SEVEN = "const A& a, std::vector<int> b, unsigned c, const std::map<int, B>& d, E* e, std::function<void(int, int)> f, bool g = {1, 2}"

    def findings(self, text, known=()):
        return parameters.findings(self.plant(isa__a_h=text), known)

    def test_functions_and_constructors_with_seven_are_found(self):
        for text in (f"void walk({self.SEVEN});", f"int A::walk({self.SEVEN}) {{ return 1; }}", f"struct A {{ explicit A({self.SEVEN}); }};",
                     f"template <class T>\nT* walk({self.SEVEN.replace('bool g', 'T&')}) const;"):
            self.assertIn("has 7 parameters, at most 6", "".join(self.findings(text)), text)

    def test_six_calls_texts_and_tests_are_silent(self):
        self.assertEqual(self.findings(f"void walk({self.SEVEN.rsplit(',', 1)[0]});\nvoid walk() {{ step(a, b, c, 1, d.e, f(), g * h); }}  // f({self.SEVEN})\n"
                                       f"Tally tally(a, b, c, d, e, f, g);\nvoid h() {{ put({{1, 2, 3, 4, 5, 6, 7}}, a < b, c > d); }}\n"), [])
        self.assertEqual(parameters.findings(self.plant(tests__a_h=f"void walk({self.SEVEN});"), ()), [])

    def test_what_is_listed_is_silent_as_long_as_it_needs_to_be(self):
        self.assertEqual(self.findings(f"void walk({self.SEVEN});", {"isa/a: walk": "a reason"}), [])
        self.assertIn("remove it", "".join(self.findings("void walk();", {"isa/a: walk": "a reason"})))


class ErrorCodes(Planted):
    CODE = "E-ABC" + "-001"

    def findings(self, source, test, document):
        return error_codes.findings(self.plant(isa__a_cpp=source, tests__unit__a_cpp=test, isa__README_md=document))

    def test_a_code_documented_and_tested_is_fine(self):
        self.assertEqual(self.findings(f'fail("{self.CODE}");', f'"{self.CODE}"', self.CODE), [])

    def test_an_untested_code_is_found(self):
        self.assertIn("no test provokes", self.findings(f'fail("{self.CODE}");', "", self.CODE)[0])

    def test_an_undocumented_code_is_found(self):
        self.assertIn("is in no README", self.findings(f'fail("{self.CODE}");', f'"{self.CODE}"', "")[0])

    def test_a_stale_code_is_found(self):
        self.assertIn("nothing raises it", self.findings(f"// was {self.CODE}\n", "", self.CODE)[0])

    def test_a_code_with_two_meanings_is_found(self):
        rows = f"| {self.CODE} | one thing |\n| {self.CODE} | another |\n"
        self.assertIn("as well", self.findings(f'fail("{self.CODE}");', f'"{self.CODE}"', rows)[0])


class TestNames(Planted):
    def findings(self, *names):
        cases = "".join(f'TEST_CASE("{name}", "[tag]") {{}}\n' for name in names)
        return test_names.findings(self.plant(tests__unit__a_test_cpp=cases))

    def test_a_subject_and_its_law_are_fine(self):
        self.assertEqual(self.findings("codec: encodes, then decodes", "codec: is --fast"), [])

    def test_a_name_without_a_law_is_found(self):
        for name in ("codec works", "codec:", ": works"):
            self.assertEqual(len(self.findings(name)), 1, name)

    def test_a_name_used_twice_is_found(self):
        self.assertEqual(len(self.findings("codec: a", "codec: a")), 1)


class Kinds(Planted):
    def findings(self, case):
        return kinds.findings(self.plant(
            cli__kinds__registry_cpp='      {"fly", "flies", make_fly},\n      {"swim",\n       "swims", make_swim},\n',
            workloads__regression__all_yaml="cases:\n  runs:\n    one:\n      workload: ../a/fly.yaml\n"
                                            f"    two:\n      workload: {case}\n",
            workloads__a__fly_yaml="kind: fly\n", workloads__a__swim_yaml="kind: swim\n"))

    def test_kinds_with_a_case_each_are_fine(self):
        self.assertEqual(self.findings("../a/swim.yaml"), [])

    def test_a_kind_without_a_case_is_found(self):
        self.assertEqual(self.findings("../a/fly.yaml"),
                         ["cli/kinds/registry.cpp: kind 'swim' has no case in workloads/regression/*.yaml"])

    def test_a_registry_that_cannot_be_read_is_found(self):
        self.assertEqual(len(kinds.findings(self.plant(cli__kinds__registry_cpp="none\n"))), 1)


class Documents(Planted):
    def test_a_missing_script_is_found(self):
        repo = self.plant(README_md="```sh\nscripts/nothing --full\n```\n")
        self.assertEqual(documents.findings(repo), ["README.md:2: scripts/nothing does not exist"])

    def test_a_dead_link_is_found(self):
        repo = self.plant(README_md="[x](isa/README.md) [y](https://example.org) [z](a.md#part)\n", a_md="")
        self.assertEqual(documents.findings(repo), ["README.md: links to isa/README.md, which does not exist"])

    def test_what_the_program_refuses_is_found(self):
        repo = self.plant(README_md="```sh\ntahoma fly --now\n```\n`--set machine.wings=2`\n")
        self.assertEqual(len(documents.findings(repo, "false")), 2)
        self.assertEqual(documents.findings(repo, "true"), [])


class Figures(Planted):
    def findings(self, page, allowed=""):
        (self.root / "tests" / "dist").mkdir(parents=True)
        (self.root / figures.ALLOWED).write_text("file,number,reason\n" + allowed, encoding="utf-8")
        return figures.findings(self.plant(a_md=page))

    def test_marked_figures_commands_and_files_are_fine(self):
        self.assertEqual(self.findings("takes <!--=a time-->2 us<!--/-->, <!--host cmd, 2026-01-01-->3 s<!--/-->\n"
                                       "```sh\ntahoma run --until 20us\n```\n`tahoma run --set x=64GB/s`, 128 rows, Llama-8B\n"
                                       "<!--=a summary-->\n```\n5 ms\n```\n<!--/-->\n"), [])

    def test_typed_figures_are_found(self):
        found = self.findings("one\ntakes 2.5 us, busy 88 % of it\n```\n179 GB/s\n```\n| `x` | 1.2 TFLOPS |\n")
        self.assertEqual([line.split(" has no marker")[0] for line in found],
                         ["a.md:2: 2.5 us", "a.md:2: 88 %", "a.md:4: 179 GB/s", "a.md:6: 1.2 TFLOPS"])

    def test_what_the_list_allows_is_fine(self):
        self.assertEqual(self.findings("silicon: 2.5 us\n", "a.md,2.5 us,Silicon: a published profile\n"), [])

    def test_reasons_that_nothing_needs_or_that_say_nothing_are_found(self):
        found = self.findings("takes 2.5 us\n", "a.md,2.5 us,ok\na.md,3 us,a reason of three words\n")
        self.assertEqual(len(found), 2)
        self.assertIn("a reason is a sentence", found[0])
        self.assertIn("no longer contains 3 us", found[1])

    def test_a_marker_without_its_end_is_found(self):
        self.assertIn("no partner", self.findings("takes <!--=a time-->long\n")[0])


class Formatting(Planted):
    @unittest.skipUnless(formatting.is_available(), formatting.PROGRAM)
    def test_a_badly_formatted_file_is_found(self):
        repo = self.plant(a_cpp="int  a ;\n", b_cpp="int b;\n")
        (self.root / ".clang-format").write_text("BasedOnStyle: Google\n", encoding="utf-8")
        found = formatting.findings(repo)
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("a.cpp:1:"), found)

    def test_a_long_line_is_found_unless_a_raw_string_has_it(self):
        repo = self.plant(a_cpp=f'const char* text = R"({"x" * 120})";\n', b_cpp=f"int b;  // {'b' * 120}\n")
        self.assertEqual(formatting.long_lines(repo, ["a.cpp", "b.cpp"]), ["b.cpp:1: 131 columns; expected at most 110"])


if __name__ == "__main__":
    unittest.main()
