# SPDX-License-Identifier: Apache-2.0
"""A Model has what the folder of `tahoma model` has."""
import json
import pathlib

import pytest

import tahoma

from conftest import MODEL, command, has_command, refused

@pytest.fixture
def config():
    """A small model, where the program has the command."""
    if not has_command("model"):
        pytest.skip("this program has no command `model`")
    pathlib.Path("config.json").write_text(json.dumps(MODEL))
    return "config.json"


def test_a_model_is_its_folder(config):
    model = tahoma.model(config, out="out", batch=4, prompt=64, chips=[1])
    command("model", config, "--out", "command", "--batch", "4", "--prompt", "64", "--chips", "1")
    for name in ("summary.json", "summary.txt"):
        assert pathlib.Path("out", name).read_bytes() == pathlib.Path("command", name).read_bytes()
    summary = json.loads(pathlib.Path("out/summary.json").read_text())
    assert model.summary.plain == summary and [layout.plain for layout in model.layouts] == summary["layouts"]
    assert model.headline in repr(model) and model.headline in model._repr_html_()
    assert model.runs and all(run.time_ns > 0 for run in model.runs.values())


def test_a_parameter_reaches_every_run(config):
    model = tahoma.model(config, batch=4, prompt=64, machine__chip__hbm__stacks=2)
    for run in model.runs.values():
        assert "stacks: 2" in (run.path / "config.resolved.yaml").read_text()


def test_the_frame_has_a_row_for_each_layout(config):
    pytest.importorskip("pandas")
    model = tahoma.model(config, batch=4, prompt=64)
    frame = model.frame()
    assert len(frame) == len(model.layouts) and frame["tpot_ns"][0] == model.layouts[0].tpot_ns
    assert frame["decode.flops"][0] == model.layouts[0].decode.flops


def test_a_configuration_that_is_refused(config):
    pathlib.Path("config.json").write_text("{}")
    with pytest.raises(tahoma.ConfigurationError, match="E-HFC-"):
        tahoma.model(config)
    refused(tahoma.ConfigurationError, "E-CLI-002", tahoma.model, config, chip=4)


def test_keywords_become_options_and_the_folder_a_model(monkeypatch):
    """The command is played by a script that writes its words as its summary."""
    script = pathlib.Path("script")
    script.write_text("#!/usr/bin/python3\nimport json, os, sys\nout = sys.argv[-1].removeprefix('--out=')\nos.makedirs(out)\n"
                      "open(out + '/summary.txt', 'w').write('\\nTTFT\\n')\n"
                      "open(out + '/summary.json', 'w').write(json.dumps({'words': sys.argv[1:-1], 'layouts': [{'a': {'b': 1}}]}))\n")
    script.chmod(0o755)
    monkeypatch.setenv("TAHOMA_PROGRAM", str(script.absolute()))
    model = tahoma.model("config.json", chips=[1, 4], prompt_ids=(5, 6), weights=pathlib.Path("w"), data=None,
                         set={"machine.chip.lnc": 1}, workload__x=True)
    assert model.words == ["model", "config.json", "--set", "machine.chip.lnc=1", "--set", "workload.x=true", "--chips=1,4", "--prompt-ids=5,6",
                           "--weights=w"]
    assert model.layouts[0].a.b == 1 and model.headline == "TTFT" and model.runs == {}
    assert repr(model) == f"<model in {model.path}: TTFT>"
