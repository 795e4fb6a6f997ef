"""Which method should a practitioner take?  Answers computed from a comparison, never typed in."""

import pandas as pd

from mtclib.comparison import METRIC, SIMILAR_COST, UNSCALED, Comparison


def advice(overview, reference):
    """Which method to take, by what one wants of it.

    Parameters
    ----------
    overview : DataFrame
        From :meth:`mtclib.comparison.Comparison.overview`, best mean rank first.
    reference : str
        Plain k-means in the index of `overview`.

    Returns
    -------
    DataFrame
        One row a wish: ``wish, method, rank, gain, low, high, loses, sets, cost, edition``.  For the wishes
        about gains and losses only methods count that are present on two thirds of the data sets, plain
        k-means left out; a wish that no method meets has no row.

    Examples
    --------
    >>> columns = ["rank", "gain", "low", "high", "loses", "sets", "cost", "edition", "together"]
    >>> rows = {"MBC": [1.2, 5.0, 1.0, 9.0, 1, 8, 3.0, "original", True],
    ...         "k-means": [1.8, 0.0, 0.0, 0.0, 0, 8, 1.0, "original", False]}
    >>> table = pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("method")
    >>> advice(table, "k-means").set_index("wish").loc["best within 2 times k-means", "method"]
    'k-means'
    """
    often = overview[(overview["sets"] >= 2 / 3 * overview["sets"].max()) & (overview.index != reference)]
    # To one digit, as it is shown: times are good for factors of two, not for 2.0 against 2.04.
    quick = overview["cost"].round(1) <= SIMILAR_COST
    choices = {
        "best mean rank": overview,
        "best original": overview[overview["edition"] == "original"],
        "best that takes all together": overview[overview["together"]],
        "best that takes each alone": overview[~overview["together"]],
        f"best within {SIMILAR_COST:g} times k-means": overview[quick],
        "largest mean gain": often.sort_values("gain", ascending=False, kind="stable"),
        "fewest losses": often.sort_values(["loses", "rank"], kind="stable"),
    }
    firsts = [part.head(1).reset_index().assign(wish=wish) for wish, part in choices.items()]
    shown = ["wish", "method", "rank", "gain", "low", "high", "loses", "sets", "cost", "edition"]
    return pd.concat(firsts, ignore_index=True)[shown]


def answer(compared):
    """The answer in words.

    Parameters
    ----------
    compared : mtclib.comparison.Comparison

    Returns
    -------
    str
        A few sentences.

    Examples
    --------
    >>> answer(Comparison("multiview")).partition(" (")[0]
    'Take AWP'
    """
    overview = compared.overview()
    wishes = advice(overview, compared.reference).set_index("wish")
    best, alike = wishes.iloc[0], compared.level_with_best()[1:]
    cheap = wishes.loc[f"best within {SIMILAR_COST:g} times k-means"]
    text = f"Take {_described(best, compared.reference)}."
    if cheap["method"] != best["method"]:
        text += f" In a hurry take {_described(cheap, compared.reference)}."
    text += _without_scaling(compared, best["method"])
    others = f"{len(alike)} of the {len(overview) - 1} others"
    return f"{text} Nemenyi's test does not tell {others} from the first."


def _without_scaling(compared, method):
    """What is left of the gain over k-means where k-means does not scale the data, if that was run."""
    if not (compared.rows["method"] == f"{compared.reference} {UNSCALED}").any():
        return ""
    bare = Comparison(compared.kind, compared.rows, UNSCALED).overview()
    gain = bare.loc[method, "gain"]
    return f" Over {compared.reference} without its default scaling the gain is {gain:+.1f}."


def _described(row, reference):
    if row["method"] == reference:
        return "plain k-means" + f" ({reference})" * (reference != "k-means")
    marked = ", a reconstruction" if row["edition"] == "reconstruction" else ""
    gain = f"{row['gain']:+.1f} points of {METRIC} over {reference}"
    return (f"{row['method']}{marked} (mean rank {row['rank']:.1f}, {gain}, below it on "
            f"{row['loses']} of {row['sets']} sets, {row['cost']:.1f} times its time)")
