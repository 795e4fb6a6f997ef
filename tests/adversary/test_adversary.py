"""A few seconds of every family (an hour: `make adversary`), and proof that the hunt sees a fault."""

import os
import sys
import time

import pandas as pd
import pytest
from adversary.families import FAMILIES
from adversary.hunt import LEAST, hunt

from mtclib.companion.site import report
from mtclib.core import paths

SECONDS = 45.0
"""Of all families together."""


@pytest.mark.parametrize("name", FAMILIES)
def test_no_attack_of_the_family_gets_through(name):
    found = hunt(name, SECONDS / len(FAMILIES))
    assert not found.faults, "\n".join(found.first.values())
    assert found.tried >= LEAST


def test_the_counts_of_the_last_long_run_are_those_of_all_families_and_stand_on_the_site():
    kept = pd.read_csv(paths.data_dir() / "adversary.csv")
    assert kept["family"].tolist() == list(FAMILIES)
    assert kept["faults"].sum() == 0
    shown = report._reliability()
    for row in kept.itertuples():
        assert f"<td>{row.attacks}</td>\n      <td>{row.tried}</td>" in shown


@pytest.mark.parametrize(("name", "number"), [("ties", 2110), ("files", 1980), ("files", 7233)])
def test_what_once_got_through_does_so_no_more(name, number):
    assert not hunt(name, 60, most=number + 1, first=number).faults


def faulty(folder):
    """Wrong once, dead once, and hanging once."""
    def attempt(rng, number):
        if number == 3:
            raise ValueError("wrong in 17 places")
        if number == 5:
            os._exit(3)
        time.sleep(60 * (number == 7))
        return "refused" if number == 8 else "held"

    return attempt


@pytest.mark.skipif(sys.platform == "win32", reason="a new process cannot import what a test file defines")
def test_the_hunt_counts_a_wrong_result_a_crash_and_a_hang_and_goes_on(monkeypatch):
    monkeypatch.setattr("adversary.hunt.PATIENCE", 2.0)
    found = hunt("faulty", 30, most=10, attack=faulty)
    assert (found.tried, found.refused) == (10, 1)
    assert found.faults == {"ValueError: wrong in # places": 1, "the process died with code #": 1,
                            "the attempt hangs": 1}  # fmt: skip
    assert found.first["the process died with code #"] == "attempt 5: the process died with code 3"
