"""Papers' printed updates, transcribed literally: oracles for tests, baselines for benchmarks.

They are no implementations: loops, dense arrays and general solvers, so nothing in them is made fast.
"""
