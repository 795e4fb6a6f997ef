"""MBC: what its claims are tested on, and what its sentences state."""

import numpy as np
import pandas as pd

from mtclib.companion.verdicts import numbers


def frames(study):
    """Rows of committed results that the claims of the paper speak of, by the name of their frame."""
    judged = pd.concat([study.selected(name) for name in study.protocol.profile("full").datasets])
    return {"results": pd.concat([judged[judged["method"].isin(["IND", "MBC"])], study.truth])}


class Numbers(numbers.Numbers):
    """Numbers of MBC's sentences."""

    def highest_ari(self):
        """Highest ARI of MBC on NG20-1 over all weightings and couplings but the strong one."""
        rows = self.study.results.frame.query("published == 'NG20-1' and metric == 'ARI' and task == 'avg'")
        rows = rows[rows["method"].isin(["MBC", "MBC, lambda"])]
        return rows.groupby(["dataset", "method", "params"])["value"].mean().max()

    def factor(self, how, sets="tr"):
        """Least or largest quotient of a printed distance d_M and ours, on the sets "tr" or the others."""
        cells = self.judged[(self.judged["metric"] == "d_M") & self.judged["ours"].notna()]
        cells = cells[cells["dataset"].str.startswith("tr") == (sets == "tr")]
        return numbers.PICK[how](cells["published"] / cells["ours"])

    def empty(self, method, count="empty"):
        """Partitions of tasks with an empty cluster at the default, or with ``count=all`` all of them."""
        labels, rows = self.study.results.labels, self.study.results.frame.query("method == @method")
        rows = rows[rows["dataset"].isin(self.study.protocol.profile("full").datasets)]
        rows = rows[~rows["task"].isin(["", "avg"])].drop_duplicates(["key", "task"])
        lost = [len(np.unique(labels[f"{row.key}/{row.task}"]))
                < len(np.unique(labels[f"truth/{row.dataset}/{row.task}"])) for row in rows.itertuples()]
        return len(lost) if count == "all" else sum(lost)
