//! The NAS Parallel Benchmarks 3.4 (MPI).
