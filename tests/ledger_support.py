"""What every test of a ledger's sentences begins with: the study, its leverage and its verdicts."""

import pytest

from mtclib.companion.papers.study import Study
from mtclib.companion.verdicts import leverage


def fixtures(paper):
    """Fixtures ``study, changes, judged, deviating`` of a paper, for a test file to assign to these names."""

    @pytest.fixture(scope="module")
    def study():
        return Study(paper)

    @pytest.fixture(scope="module")
    def changes(study):
        return leverage.measured(study)

    @pytest.fixture(scope="module")
    def judged(study):
        return study.all_verdicts()

    @pytest.fixture(scope="module")
    def deviating(judged):
        return judged[judged["verdict"].isin(["higher", "lower"])]

    return study, changes, judged, deviating
