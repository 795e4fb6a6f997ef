"""Three views of images

Every digit of scikit-learn's set is seen in three ways: by its pixels, and by its edges down and across.
`WMSC` weighs the three views and finds the digits without having seen a label.

The mean image of each of the ten clusters: nearly all show different digits.
"""
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from mtclib.baselines import WMSC

images, digits = load_digits().images, load_digits().target
views = [view.reshape(len(images), -1) for view in (images, *np.gradient(images, axis=(1, 2)))]
labels = WMSC(n_clusters=10, random_state=0).fit(views).labels_
print(f"adjusted Rand index: {adjusted_rand_score(digits, labels):.2f}")

fig, axes = plt.subplots(2, 5, figsize=(6, 2.6))
for cluster, ax in enumerate(axes.flat):
    ax.imshow(images[labels == cluster].mean(axis=0), cmap="gray_r")
    ax.set_axis_off()
plt.show()
# adjusted Rand index: 0.76
