"""MBC: what its claims are tested on."""

import pandas as pd


def frames(study):
    """Rows of committed results that the claims of the paper speak of, by the name of their frame."""
    judged = pd.concat([study.selected(name) for name in study.protocol.profile("full").datasets])
    return {"results": pd.concat([judged[judged["method"].isin(["IND", "MBC"])], study.truth])}
