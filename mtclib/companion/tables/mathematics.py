"""Formulas in plain sentences, set as HTML: n_t, X^T, 10^-9 and lambda get signs, indices and exponents."""

import re
from html import escape

GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "theta": "θ",
         "kappa": "κ", "lambda": "λ", "mu": "μ", "xi": "ξ", "pi": "π", "sigma": "σ", "tau": "τ", "phi": "φ",
         "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Omega": "Ω"}
# Code and names in quotation marks stay as they are.
QUOTED = re.compile(r"(&#x27;[^&]*&#x27;|&quot;[^&]*&quot;|`[^`]*`)")
RULES = tuple((re.compile(pattern), to) for pattern, to in (
    (r"\b1e-(\d+)\b", r"10^-\1"), (r"(?<=\d)e-(\d+)\b", r"·10^-\1"),
    (r"(?<=\S) - (?=[\w(|])", " − "), (r"(?<![\w)-])-(?=[\d.])", "−"),
    (rf"(?<![\w-])({'|'.join(GREEK)})(?![A-Za-z-])", lambda found: GREEK[found[1]]),
    (r"&lt;=", "≤"), (r"&gt;=", "≥"), (r"(?<=[\w)>]) x (?=[\w(])(?=[a-z]_|[a-z]\b|\d)", " × "),
    (r"\bsqrt\(", "√("),
    # An index belongs to a single letter, so that names of parameters such as max_iter stay.
    (r"(?<![\w-])([A-Za-zα-ωΓ-Ω])_(\{[^{}]*\}|\w{1,3}(?!\w))",
     lambda found: f"<i>{found[1]}</i><sub>{found[2].strip('{}')}</sub>"),
    (r"(?<=[\w)|>\]])\^(\([^()]*\)|\{[^{}]*\}|[-−]?[\w.]*\w)",
     lambda found: f"<sup>{found[1].strip('{}').replace('-', '−')}</sup>"),
    (r"<sup>\((-?\w+/\w+)\)</sup>", r"<sup>\1</sup>")))


def set_mathematics(text: str) -> str:
    """A sentence as HTML, with its formulas set; what begins with "O(" is an order of growth.

    >>> set_mathematics("O(T k (nnz + d^2))")
    '<i>O</i>(<i>T</i>\u2009<i>k</i>\u2009(nnz + <i>d</i><sup>2</sup>))'
    >>> set_mathematics("|X^T E_t|^2 - 1 <= 2e-9, max_iter, 'mu' and lambda")
    '|X<sup>T</sup> <i>E</i><sub>t</sub>|<sup>2</sup> − 1 ≤ 2·10<sup>−9</sup>, max_iter, &#x27;mu&#x27; and λ'
    """
    if text.startswith("O("):
        text = re.sub(r"(?<![+,]) (?!\+)", "\u2009", escape(text))
        return re.sub(r"\b([A-Za-z])\b", r"<i>\1</i>", re.sub(r"\^(\d)", r"<sup>\1</sup>", text))
    parts = QUOTED.split(escape(text))
    for pattern, to in RULES:
        parts[::2] = [pattern.sub(to, part) for part in parts[::2]]
    return "".join(parts)
