"""Is a paper's gain real?

A gain is real if it comes back. Here are all gains of NMI and ARI that the MBC paper prints over
clustering each task alone, beside ours: the same kind of data, the same measure, and an interval over our
runs.
`mtclib.companion.Study("mbc").answer()` says it in words.

A point for every printed gain, with our 95 % interval; on the dashed line ours is as large as the printed
one.
"""
import matplotlib.pyplot as plt
import pandas as pd

from mtclib.core import paths

gains = pd.read_csv(paths.data_dir() / "gains.csv")
gains = gains.query("paper == 'mbc' and rival == 'IND' and metric in ['NMI', 'ARI']")

plt.figure(figsize=(6, 3.4))
for found, name in {"same": "comes back", "no": "undecided", "reversed": "is reversed"}.items():
    part = gains[gains["significant"] == found]
    ends = part["ours"] - part["low"], part["high"] - part["ours"]
    plt.errorbar(part["printed"], part["ours"], ends, fmt="o", label=f"{name}: {len(part)}")
plt.axline((0, 0), slope=1, color="black", linestyle="--")
plt.axhline(0, color="black", linewidth=0.8)
plt.xlabel("printed gain, points of NMI or ARI")
plt.ylabel("our gain")
plt.legend()
plt.show()
