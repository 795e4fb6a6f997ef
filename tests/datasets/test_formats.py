"""Files of others: R's and numpy's arrays, read without running anything."""

import bz2
import lzma
import os
import pickle
import struct
import tracemalloc

import numpy as np
import pytest

from mtclib.datasets import formats

RDA_FILE, PICKLE = "ng20-counts/data_ng20.rda", "AwA/zebra-sift.pic.bz2"


def integers(*values):
    return struct.pack(f">{len(values)}i", *values)


def text(value):
    return integers(9, len(value)) + value.encode()


def pairs(**values):
    """A pairlist, each name a new symbol."""
    return b"".join(integers(1026, 1) + text(name) + value for name, value in values.items()) + integers(254)


MATRIX = integers(526, 6) + struct.pack(">6d", 1, 2, 3, 4, 5, 6) + pairs(dim=integers(13, 2, 2, 3))
HEAD = b"RDX2\nX\n" + integers(2, 0, 0)
RDA = HEAD + pairs(X=MATRIX, lbs=integers(13, 2, 7, 8), name=integers(16, 1) + text("N"))


@pytest.mark.parametrize("packed", [bz2, lzma])
def test_numbers_texts_and_matrices_by_column_are_read_from_an_r_file(made_up, packed):
    made_up(RDA_FILE, packed.compress(RDA))
    X, labels, name = formats.read_rda(RDA_FILE, "X", "lbs", "name")
    assert (X.tolist(), labels.tolist(), name) == ([[1, 3, 5], [2, 4, 6]], [7, 8], ["N"])
    with pytest.raises(ValueError, match="no variable 'y'"):
        formats.read_rda(RDA_FILE, "y")


@pytest.mark.parametrize(("content", "message"), [
    (RDA[:-9], "ends too early"), (RDA.replace(b"RDX2", b"RDX3"), "no R data file"),
    (RDA.replace(integers(13, 2, 7, 8), integers(13, -1)), "ends too early"),
    (HEAD + pairs(f=integers(3)), "type 3"), (RDA + bytes(2**10), "more than the")])
def test_another_r_file_is_refused_by_name(made_up, content, message):
    made_up(RDA_FILE, bz2.compress(content))
    with pytest.raises(ValueError, match=f"{RDA_FILE}: .*{message}"):
        formats.read_rda(RDA_FILE, "X", most=len(RDA))


def as_in_old_numpy(array):
    """Protocol 3 as numpy 1 wrote it."""
    return pickle.dumps(array, protocol=3).replace(b"numpy._core.multiarray", b"numpy.core.multiarray")


class Evil:
    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def test_a_pickled_array_is_read_and_is_its_own(made_up):
    array = np.arange(6.0).reshape(2, 3)
    made_up(PICKLE, bz2.compress(as_in_old_numpy(array)))
    assert np.array_equal(formats.read_pickled_array(PICKLE, most=1000), array)
    made_up(PICKLE, bz2.compress(as_in_old_numpy(np.asfortranarray(array)).replace(b"K\0tq", b"K\1tq")))
    found = formats.read_pickled_array(PICKLE, most=1000)
    assert (found.dtype.flags, found[0].tolist()) == (0, [0, 1, 2]), "flags of a file are not believed"
    with pytest.raises(ValueError, match=f"{PICKLE}: it holds more than the 90 bytes"):
        formats.read_pickled_array(PICKLE, most=90)


@pytest.mark.parametrize("kind", ["call", "objects", "list", "integers", "text", "truncated", "not packed",
                                  "other end", "note"])
def test_a_pickle_of_anything_but_an_array_of_float64_is_refused_and_not_run(made_up, tmp_path, kind):
    mark, array = tmp_path / "ran", as_in_old_numpy(np.ones((2, 2)))
    content = {
        "call": pickle.dumps(Evil(mark)), "objects": as_in_old_numpy(np.array([Evil(mark)], dtype=object)),
        "list": pickle.dumps([1.0]), "integers": as_in_old_numpy(np.ones(2, dtype=int)),
        "other end": as_in_old_numpy(np.ones(2, dtype=">f8")), "note": b"\x80\x03Nr" + b"\0\0\0\x01.",
        "text": as_in_old_numpy(np.array(["a"])), "truncated": array[:-20], "not packed": array,
    }[kind]  # fmt: skip
    made_up(PICKLE, content if kind == "not packed" else bz2.compress(content))
    tracemalloc.start()
    with pytest.raises(ValueError, match=f"^{PICKLE}: "):
        formats.read_pickled_array(PICKLE, most=1000)
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()
    assert not mark.exists()
