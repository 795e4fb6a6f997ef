"""What does self-pacing do?

`MSPL` first learns from the samples and views that are easy to cluster, and takes in the others later. On
many data sets that changes little. Here it does more: the toy data of its paper, 400 points in three views
with noise, in five draws with twenty starts each. With all weights one, the same starts give k-means.

Accuracy of a hundred fits in order, with the pace and without: the pace helps bad starts and leaves good ones
alone.
"""
import matplotlib.pyplot as plt
import numpy as np

from mtclib import MSPL
from mtclib.datasets import load
from mtclib.metrics import clustering_accuracy

rules, scores = {"naive": "all weights one", "hard": "self-paced"}, {}
draws = [load("mspl-toy", separation=6.0, random_state=draw) for draw in range(5)]
for rule in rules:
    fits = [(data, MSPL(4, weighting=rule, random_state=start).fit(data.Xs))
            for data in draws for start in range(20)]
    scores[rule] = [clustering_accuracy(data.labels, model.labels_) for data, model in fits]
    print(f"{rules[rule]}: mean accuracy {np.mean(scores[rule]):.2f}")

plt.figure(figsize=(6, 3))
for rule, style in zip(rules, ("s--", "o-")):
    plt.plot(np.sort(scores[rule]), style, label=rules[rule], markevery=10)
plt.xlabel("fit, from the worst to the best")
plt.ylabel("accuracy")
plt.legend()
plt.show()
# all weights one: mean accuracy 0.93
# self-paced: mean accuracy 0.95
