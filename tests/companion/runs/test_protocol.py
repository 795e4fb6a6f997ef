"""Protocol files: what is read, and what is refused."""

import copy

import pytest
from experiments_support import table

from mtclib.companion.runs import ProtocolError, load_protocol, parse_protocol


@pytest.mark.parametrize("where, name, value, words", [
    ((), "metods", {}, ["metods", "methods"]),
    (("methods", "noisy"), "gird", {}, ["methods.noisy", "gird", "grid"]),
    (("profiles", "quick"), "n_runs", None, ["profiles.quick: missing n_runs"]),
    (("datasets",), "tiny", {"not_run": "no loader yet"}, ["no loader yet"]),
    (("datasets", "tiny"), "lodaer", "x", ["datasets.tiny", "lodaer", "loader"]),
    (("profiles", "quick"), "methods", ["noizy"], ["noizy", "noisy"]),
    (("profiles", "quick"), "datasets", ["tinny"], ["tinny", "tiny"]),
    (("profiles", "quick"), "n_runs", 0, ["n_runs", "at least 1"]),
    (("profiles", "quick"), "n_runs", "4", ["n_runs", "int", "str"]),
    (("profiles", "quick"), "params", {"nosy": {}}, ["nosy", "noisy"]),
    (("profiles", "quick"), "grid", {"noisy": {"nois": [1.0]}}, ["nois", "noise"]),
    (("profiles", "quick"), "grid", {"noisy": {"noise": [2.0]}}, ["default", "1.0"]),
    (("methods", "noisy"), "default", {"noise": 1.5}, ["default", "1.5"]),
    (("methods", "noisy"), "default", {}, ["default", "noise"]),
    (("methods", "noisy", "grid"), "noise", [], ["noise", "at least one"]),
    (("datasets", "tiny"), "not_run", "later", ["datasets.tiny", "either"]),
    ((), "sensitivity", {"f": {"method": "noisy", "datasets": ["tiny"], "base": {"nois": 1.0},
                               "sweep": {"nois": [1.0]}}}, ["nois", "noise"]),
    ((), "sensitivity", {"f": {"method": "noisy", "datasets": ["tiny"], "base": {},
                               "sweep": {"noise": [1.0]}}}, ["base"]),
    ((), "studies", {"s": {"datasets": ["tiny"], "methods": ["onec"]}}, ["onec", "once"]),
    ((), "studies", {"s": {"datasets": ["tiny"], "methods": ["noisy"], "grid": {"noisy": {"nois": [1.0]}}}},
     ["studies.s", "nois", "noise"])])
def test_a_mistake_in_a_protocol_is_named_with_what_was_meant(where, name, value, words):
    wrong = copy.deepcopy(table())
    part = wrong
    for step in where:
        part = part[step]
    part[name] = value
    if value is None:
        del part[name]
    with pytest.raises(ProtocolError) as error:
        parse_protocol(wrong, "demo.toml")
    for word in ["demo.toml", *words]:
        assert word in str(error.value)


def test_an_unknown_protocol_or_profile_is_answered_with_close_matches_and_a_broken_or_absent_file_named(
        tmp_path):
    broken = tmp_path / "broken.toml"
    broken.write_text("paper = [")
    for wrong, message in (("mtcrml", "mtcmrl"), (broken, "broken.toml is not valid TOML"),
                           (tmp_path / "absent.toml", "no protocol file")):  # fmt: skip
        with pytest.raises(ProtocolError, match=message):
            load_protocol(wrong)
    with pytest.raises(ProtocolError, match="quick"):
        parse_protocol(table()).profile("quik")
