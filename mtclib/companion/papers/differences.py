"""Why the cells of a paper differ from print: causes, open choices and what they change, digits."""

from mtclib.companion import plots, tables
from mtclib.companion.papers import scoreboard
from mtclib.companion.papers.study import show
from mtclib.companion.verdicts import leverage, variants

BESIDE_NMI = {"spmtc": "ACC", "mspl": "purity", "lmsc": "purity", "mtcmrl": "ACC"}


def causes(paper):
    """The findings of the paper in full, and every block of cells that deviates with its cause, folded."""
    study = scoreboard._study(paper)
    name, found = study.known["name"], study.known["finding"]
    rows = [{"finding": one["text"], "rests on": ", ".join(one["sources"])} for one in found]
    blocks = leverage.by_cause(study.all_verdicts())
    counts = blocks.groupby("cause")["cells"].sum().sort_values(ascending=False)
    told = f"{counts.sum()} cells: {', '.join(f'{cause} ({n})' for cause, n in counts.items())}"
    return tables.Tables((
        tables.frame_table(rows, f"What to know of {name}", folded=f"{len(rows)} findings in full"),
        tables.frame_table(blocks, "Cells that deviate, and why", folded=told)))


def choices(paper):
    """How far the score moves with each open choice, drawn."""
    alt = (f"{paper.upper()}: for each open choice of the paper and each alternative to it, a dot for every "
           "data set and method at the change of the score in points, with a band of plus and minus five.")
    return show(plots.leverage(scoreboard._study(paper).changes), f"{paper}-leverage",
                "notebooks/differences.ipynb", f"data/{paper}/results", alt=alt)


def in_detail(paper):
    """The choices, the definitions of the measures and the claims as tables, each folded."""
    study = scoreboard._study(paper)
    moved, aside = leverage.by_alternative(study.changes).round(1), study.unmeasured()
    parts = ["NMI", *([BESIDE_NMI[paper]] if paper in BESIDE_NMI else [])]
    digits = {name: variants.variant_table(study, name).round(1) for name in parts}
    return tables.Tables((
        tables.frame_table(moved, "Open choices", folded=f"{len(moved)} alternatives, largest change first"),
        tables.frame_table(aside, "Choices that no run can decide", folded=f"{len(aside)}, with the reason"),
        *(tables.frame_table(part, f"Digits of {name}", folded=f"{len(part)} definitions against print")
          for name, part in digits.items()),
        tables.claims(scoreboard.claims(paper))))
