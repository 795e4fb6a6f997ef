"""One study per paper and process: results are read, and printed cells judged, once for all tests."""

from mtclib.companion.papers import scoreboard

committed = scoreboard._study
