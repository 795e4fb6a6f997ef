"""Papers' printed updates, transcribed literally: oracles for tests, baselines for benchmarks."""
