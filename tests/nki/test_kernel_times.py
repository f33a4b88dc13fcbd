# SPDX-License-Identifier: Apache-2.0
"""The tool that compares kernels with measured and expected times: its statistics, its resumption, and what it never keeps."""
import dataclasses
import enum
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "times"), os.path.join(HERE, "public")]

import cases  # noqa: E402
import error_page  # noqa: E402
import errors  # noqa: E402
import finished  # noqa: E402
import launch  # noqa: E402
import parameter_text  # noqa: E402
import wanted_cases  # noqa: E402


class Item:
    module = None

    def __init__(self, **parameters):
        self.callspec = type("Callspec", (), {"params": parameters})()


class Kind(enum.Enum):
    ROW = 2


def case(name, reference, use="check"):
    return cases.LibraryCase(f"test_{name}.py", f"size={reference}", reference, use)


def result(time_us, lnc=1):
    return {"time_us": time_us, "lnc": lnc, "kernel": "k", "instructions": 1, "analysis": {}, "host_seconds": 0}


def test_rank_correlation_is_spearmans():
    assert errors.rank_correlation([1, 2, 3, 4], [10, 20, 30, 40]) == pytest.approx(1)
    assert errors.rank_correlation([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    # By hand: ranks 1, 2.5, 2.5, 4 against 1, 3, 2, 4.
    assert errors.rank_correlation([1, 5, 5, 9], [1, 3, 2, 4]) == pytest.approx(4.5 / (4.5 * 5) ** 0.5)
    assert errors.rank_correlation([1], [1]) is None
    assert errors.rank_correlation([1, 1], [1, 2]) is None


def test_summary_is_its_definition():
    s = errors.summary([(109, 100), (95, 100), (70, 100), (100, 100)])
    assert s["mean"] == pytest.approx((9 + 5 + 30 + 0) / 4)
    assert s["median"] == pytest.approx(7)
    assert s["worst"] == pytest.approx(-30)
    assert s["within_10"] == pytest.approx(75)
    assert s["within_25"] == pytest.approx(75)


def measured(name, reference, use="check", **values):
    return cases.BenchCase("op", name, reference, tuple(values.items()), use)


def test_launch_is_derived_from_short_kernels_of_one_core_and_its_half_alone():
    timed = [(case("a", 70, "derive"), result(50)), (case("b", 90, "derive"), result(50, lnc=2)), (case("c", 72, "derive"), result(50)),
             (case("d", 5000, "derive"), result(1000)), (case("e", 1000, "check"), result(10)), (measured("f", 10, "derive"), result(9))]
    assert launch.derived(timed) == pytest.approx(21)
    assert launch.derived([]) is None


def test_kendalls_tau_and_regret_are_their_definitions():
    assert errors.kendall_tau([(1, 10), (2, 20), (3, 30)]) == pytest.approx(1)
    assert errors.kendall_tau([(1, 30), (2, 20), (3, 10)]) == pytest.approx(-1)
    # By hand: of six pairs four agree, one disagrees and one is tied in the model: 3 / sqrt(5 * 6).
    assert errors.kendall_tau([(1, 1), (2, 3), (2, 2), (4, 2.5)]) == pytest.approx(3 / 30 ** 0.5)
    assert errors.kendall_tau([(1, 1), (1, 2)]) is None and errors.kendall_tau([]) is None
    assert errors.regret([(5, 100), (4, 120), (6, 90)]) == pytest.approx(100 * (120 / 90 - 1))
    assert errors.regret([]) is None


def test_page_compares_shares_and_bytes_and_adds_no_launch_to_measured_kernels(tmp_path):
    wanted = [measured("k.py", 100, vector_percent=50.0, dma_percent=90.0, hbm_read_mb=10.0)]
    results = finished.Finished(str(tmp_path), "now")
    results.add(wanted[0], dict(result(100), vector_percent=58.0, dma_percent=70.0, hbm_read_mb=10.9))
    page = error_page.Page(wanted, results, 20)
    assert page.first_line().startswith("1 kernels: median absolute error 0.0 %")
    assert page.agreement_line() == "1 of 2 measured engine shares are met within 10 points, 1 of 1 measured HBM bytes within 10 %"
    assert "vector_percent,vector_percent_measured" in page.table() and list(page.variant_rows()) == [("op", 1, "-", "0.0 %")]


def test_a_table_of_measured_kernels_is_told_by_its_columns(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("operator,file,measured_us," + ",".join(cases.BenchCase.COLUMNS[3:-1]) + ",use\nsilu,a.py,5.5,,12,,,,,derive\n")
    (found,) = cases.read(str(table), "", "all")
    assert (found.operator, found.reference_us, found.measured) == ("silu", 5.5, (("vector_percent", 12.0),))


def test_page_adds_the_launch_to_expected_times(tmp_path):
    wanted = [case("a", 100), case("b", 180)]
    results = finished.Finished(str(tmp_path), "now")
    results.add(wanted[0], result(80))
    results.add(wanted[1], result(160, lnc=2))
    assert error_page.Page(wanted, results, 20).first_line().startswith("2 kernels: median absolute error 0.0 %")
    assert error_page.Page(wanted, results, 0).first_line().startswith("2 kernels: median absolute error 15.6 %")


def test_a_run_goes_on_where_it_ended_but_not_with_another_program(tmp_path):
    results = finished.Finished(str(tmp_path), "one")
    results.add(case("a", 100), result(80))
    with open(results.path, "a") as file:
        file.write('{"case": "interrupted')
    assert finished.Finished(str(tmp_path), "one").of(case("a", 100))["time_us"] == 80
    assert finished.Finished(str(tmp_path), "two").of(case("a", 100)) is None


def test_a_failed_case_makes_the_page_incomplete(tmp_path):
    results = finished.Finished(str(tmp_path), "now")
    results.add(case("a", 100), {"reason": "time limit"})
    page = error_page.Page([case("a", 100), case("b", 1)], results, 0)
    assert not page.complete()
    assert "time limit" in page.text() and "not run" in page.text()


def test_items_are_found_by_their_parameters(monkeypatch):
    monkeypatch.setattr(wanted_cases, "enums", lambda: [Kind])
    items = [Item(seqlen=128, act_fn_type=2, scale=1.0, flag=0), Item(seqlen=256, act_fn_type=2, scale=1.0, flag=1)]
    found = wanted_cases.items_for(items, ["seqlen=256; act_fn=ROW; flag=True; made=call()", "seqlen=128; vnc_degree=1", "seqlen=1"])
    assert found[0] is None  # there is no parameter `made`
    assert found[1] is items[0] and found[2] is None
    assert wanted_cases.items_for(items, ["seqlen=256; act_fn=ROW; flag=True"]) == [items[1]]
    assert wanted_cases.cores("seqlen=1; vnc_degree=2") == 2 and wanted_cases.cores("seqlen=1") is None


def test_a_text_takes_the_item_without_what_it_does_not_name_and_undecided_ones_are_named(monkeypatch):
    monkeypatch.setattr(wanted_cases, "enums", lambda: [Kind])
    items = [Item(seqlen=128, prior_len=512, flag=False), Item(seqlen=128, prior_len=None, flag=False), Item(seqlen=256, tile=2, flag=True),
             Item(seqlen=256, tile=4, flag=True)]
    assert wanted_cases.items_for(items, ["seqlen=128"]) == [items[1]]
    assert wanted_cases.undecided(items, "seqlen=128") == []
    assert wanted_cases.undecided(items, "seqlen=256") == ["tile"]
    assert wanted_cases.undecided(items, "seqlen=256; tile=4") == []


def test_the_page_names_rows_that_fit_several_tests(tmp_path):
    results = finished.Finished(str(tmp_path), "now")
    results.add(case("a", 100), {"time_us": 80, "lnc": 1, "analysis": {}, "undecided": ["tile"]})
    page = error_page.Page([case("a", 100)], results, 0)
    assert "1 row fits several tests" in page.text() and "the tests differ in tile" in page.text() and "tile" in page.markdown()


@dataclasses.dataclass
class Config:
    heads: int
    dtype: str = "bfloat16"
    fused: bool = False


def test_items_are_found_by_the_fields_of_their_objects(monkeypatch):
    monkeypatch.setattr(wanted_cases, "enums", lambda: [Kind])
    items = [Item(cfg=Config(4), shape=(2, 128)), Item(cfg=Config(8, fused=True), shape=(2, 256))]
    texts = ["cfg=Config(8, 'bfloat16', True)", "cfg=Config(4, dtype=nl.bfloat16)", "heads=2 * 4; shape=(2, 256)", "cfg=Config(8, fused=False)", "cfg=Config(4, 1, 1, 1)"]
    assert wanted_cases.items_for(items, texts) == [items[1], items[0], items[1], None, None]


def test_names_of_range_tests_are_read_from_their_module(tmp_path, monkeypatch):
    (tmp_path / "ranged.py").write_text('BATCH, KIND = "b", "k"\n\ndef sizes(batch, kind):\n    return {BATCH: int(batch), KIND: kind.value}\n')
    monkeypatch.syspath_prepend(tmp_path)
    import ranged

    monkeypatch.setattr(wanted_cases, "enums", lambda: [Kind])
    items = [Item(options=type("Ranged", (), {"tensors": {"x": {"b": batch, "k": 2}}})()) for batch in (1, 2)]
    for item in items:
        item.module = ranged
    assert wanted_cases.items_for(items, ["batch=2; kind=ROW", "b=1", "batch=3"]) == [items[1], items[0], None]
    assert wanted_cases.why_none(items, "bathc=2") == "no test item has a parameter `bathc`; the nearest is `batch`"
    assert wanted_cases.why_none(items, "batch=3") == "no test item has these values of its parameters"


@pytest.mark.parametrize("text, value, expected", [
    ("None", None, True), ("None", 0, False), ("column", "column", True), ("'row'", "column", False), ("-1", -1, True), ("2**4", 16, True), ("1e-6", 1e-6, True),
    ("True", 1, True), ("(1, 2)", [1, 2], True), ("[1]", [1, 2], False), ("made()", 3, None), ("Kind.ROW", Kind.ROW, True), ("ROW", 2, True), ("COLUMN", 2, False),
])
def test_a_text_agrees_with_the_values_that_it_names(text, value, expected):
    assert parameter_text.agrees(text, value, [Kind], {"Kind": Kind}) is expected


def test_times_without_a_reference_are_shown(tmp_path):
    wanted = [cases.LibraryCase("test_new.py", "size=3", float("nan"), "check")]
    results = finished.Finished(str(tmp_path), "program")
    results.add(wanted[0], result(7.0))
    page = error_page.Page(wanted, results, 20)
    assert page.first_line().startswith("1 cases have a time") and "27.0 us  new: size=3" in page.text()


def test_the_page_shows_every_case_as_a_row_and_a_point(tmp_path):
    wanted = [case("a", 100), case("b", 50), case("c", 10)]
    results = finished.Finished(str(tmp_path), "program")
    results.add(wanted[0], result(60.0))  # 80 us with the launch: 20 % too fast
    results.add(wanted[1], result(50.0))  # 40 % too slow
    results.add(wanted[2], {"reason": "<time limit>"})
    text = error_page.Page(wanted, results, 20).html()
    assert text.count("<circle") == 2 + 2  # and one of each family in the legend
    assert text.index(">40<") < text.index(">-20<") and text.count("number far") == 1
    assert "&lt;time limit&gt;" in text and "<time limit>" not in text


def test_expected_times_are_never_described():
    item = Item(hidden=1024, tpbSgCyclesSum=51_564_336, expected_us=3.5, latency=7, baseline=9, kind=Kind.ROW, secret=123_456_789)
    assert wanted_cases.described(item) == "hidden=1024; kind=ROW"


def test_a_table_without_a_column_is_refused(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("test_file,parameters\na,b\n")
    with pytest.raises(SystemExit, match="no column reference_us, use"):
        cases.read(str(table), "", "all")
