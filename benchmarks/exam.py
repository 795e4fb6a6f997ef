"""Six sets of views that the comparison has not seen, as folders to examine its advice on.

    python -m benchmarks.exam FOLDER
    python -m mtclib compare views --data FOLDER

Files come from commits of two public repositories, and are checked.  They were named in
``data/comparison/judgement.md`` before any method ran on them; what came of it is in
``data/comparison/exam.csv``.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pooch
import scipy.io

RAW = "https://raw.githubusercontent.com/{}/{}"
SETS, FACES = (RAW.format(*place) for place in (
    ("UeharaSetsuYu/Multi-view-Datasets", "03e5a826bd0659e1e5dab71864c81b589fe12f05"),
    ("yalechang/symnmf", "916dc8ecbe8baa5af1339d2461c3239c2d770566")))  # fmt: skip
FILES = {
    "MSRC-v1": (SETS, "MSRC_v1", "38d89aa41ae984f0b026f4baa8b5dcb7c569c471e2fb42b73a0f6743398e9103"),
    "100Leaves": (SETS, "100Leaves", "001dd0cb9d677fa9efdac68342d8be7b487ce82a897197839a52970b78a83189"),
    "LandUse-21": (SETS, "LandUse_21", "6441fc42e84a83729e5a6436f4c1544dcc3fe115558458495b165677a732b67f"),
    "PIE": (SETS, "PIE_face_10", "7b7f5b73b140c9e00d6d9a4ed78e0292b298bd12fbcfb2c96125795c7f8150f8"),
    "CUB": (SETS, "cub_googlenet_doc2vec_c10",
            "3ab7dc9917c520e6931fa3338cb9c6e8b2f6a4050ca8a25c97360e87d7bbfc3a"),
    "CMU faces": (FACES, "img_faces", "de83dee0c151b8c7b5c929457cd183f847d00fdb16591aa9f9d34d238355d8cb"),
}  # fmt: skip
FACE_VIEWS = {
    "feat_fft": "18d7fd8eac7b97d20899d91482ad3ad24288b6f43a952d819e642c4de9514427",
    "feat_gabor": "794f5904e5dc4f239c368c5dd6e4aae6f8cf1b343990a6dd87e338341072bc56",
    "feat_hog": "b8316c4ec24ba09aa20cfc94ebf922235937ac58cc9a3828ae6715f7f66d33d7",
    "feat_pca": "489fb050b9428a4b7f3c2ce50e9f6bf80c9dbe6b0c4cbc5f6ecf4ff16742fb33",
}
"""Fourier, Gabor, gradients and principal components of the pictures of twenty people."""


def views_of(name, folder):
    """Views, samples in rows, and classes of a set, fetched to a folder."""
    place, file, digest = FILES[name]
    held = read(place, file, digest, folder)
    if place == FACES:
        views = [read(place, *each, folder)[each[0]] for each in FACE_VIEWS.items()]
        return views, np.ravel(held[file]["identity"][0, 0])
    classes = np.ravel(next(held[key] for key in ("gt", "Y", "truth") if key in held))
    views = np.ravel(next(held[key] for key in ("X", "fea", "data") if key in held))
    return [X if len(X) == len(classes) else X.T for X in views], classes


def read(place, file, digest, folder):
    """The arrays of a mat file."""
    return scipy.io.loadmat(pooch.retrieve(f"{place}/{file}.mat", f"sha256:{digest}", f"{file}.mat", folder))


def main(folder):
    """Write a folder a set, with a file a view; the first one has the classes."""
    for name in FILES:
        views, classes = views_of(name, folder / ".files")
        (folder / name).mkdir(parents=True, exist_ok=True)
        for i, X in enumerate(views, start=1):
            frame = pd.DataFrame(X).rename(columns=lambda j: f"feature {j + 1}")
            frame = frame.assign(**{"class": classes} if i == 1 else {})
            frame.to_csv(folder / name / f"view{i}.csv", index=False)
        print(name, [X.shape for X in views], len(np.unique(classes)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
