"""How much memory a million ranks take in Python: a sparse matrix of SciPy, the traffic made from it, and a mapping.

    python bench/python/memory.py [--side 100]

It prints a Markdown table. Each step runs in a fresh process, up to and including that step, because a process knows
only its peak so far. It needs topoloom, numpy and scipy, and Linux, where the peak is in KiB.
"""

import argparse
import json
import resource
import subprocess
import sys

STEPS = ["empty interpreter", "modules imported", "matrix made", "traffic made", "placed by hilbert"]


def stencil(side):
    """The bytes between neighbours of a periodic cube, as float64 with int32 indices. Nothing else stays in memory."""
    import numpy
    import scipy.sparse

    ranks = side**3
    place = numpy.arange(ranks, dtype=numpy.int32)
    neighbours = numpy.empty((ranks, 6), dtype=numpy.int32)
    for axis in range(3):
        stride = side**axis
        along = place // stride % side
        for column, step in enumerate((1, -1)):
            neighbours[:, 2 * axis + column] = place + ((along + step) % side - along) * stride
    neighbours.sort(axis=1)
    # All sizes differ, because equal ones could be stored once.
    size = numpy.arange(8e4, 8e4 + 6 * ranks)
    start = numpy.arange(0, 6 * ranks + 1, 6, dtype=numpy.int32)
    return scipy.sparse.csr_matrix((size, neighbours.ravel(), start), shape=(ranks, ranks))


def peak():
    """The largest size of this process so far, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def run_until(last, side):
    """Carries out the steps up to `last`, and prints the peak and the known sizes."""
    known = {}
    if last >= 1:
        import numpy
        import scipy.sparse  # noqa: F401

        import topoloom
    if last >= 2:
        matrix = stencil(side)
        arrays = matrix.data, matrix.indices, matrix.indptr
        known["matrix"] = sum(array.nbytes for array in arrays)
        known["types"] = [str(array.dtype) for array in arrays]
        known["flows"], known["ranks"] = matrix.nnz, matrix.shape[0]
    if last >= 3:
        before = current()
        traffic = topoloom.Traffic(matrix)
        known["kept"] = current() - before
        assert traffic.flows == matrix.nnz
    if last >= 4:
        mapping = topoloom.map(traffic, f"torus:{side}x{side}x{side}", strategy="hilbert", threads=1)
        assert numpy.array_equal(numpy.sort(mapping.nodes), numpy.arange(side**3))
    print(json.dumps({"peak": peak(), **known}))


def current():
    """The size of this process now, in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=100, help="the length of the cube; its third power is the ranks")
    parser.add_argument("--until", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.until is not None:
        run_until(given.until, given.side)
        return
    found = []
    for last in range(len(STEPS)):
        words = [sys.executable, __file__, "--side", str(given.side), "--until", str(last)]
        found.append(json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout))
    flows, ranks = found[-1]["flows"], found[-1]["ranks"]
    print(f"{ranks:,} ranks, {flows:,} flows, a matrix of {', '.join(found[-1]['types'])}\n")
    print("| step | peak memory, MB | more than before, MB | compare with, MB |")
    print("| --- | ---: | ---: | --- |")
    compare = [
        "", "", f"{found[-1]['matrix'] / 1e6:.0f}: the arrays of the matrix",
        f"{(12 * flows + 8 * ranks) / 1e6:.0f}: 12 bytes per flow and 8 per rank",
        f"{8 * ranks / 1e6:.0f}: node and slot of each rank; the rest is to judge it"]
    for number, (step, one) in enumerate(zip(STEPS, found)):
        more = "" if number == 0 else f"{(one['peak'] - found[number - 1]['peak']) / 1e6:.0f}"
        print(f"| {step} | {one['peak'] / 1e6:.0f} | {more} | {compare[number]} |")
    print(f"\nAfter the traffic was made, the process was {found[-1]['kept'] / 1e6:.0f} MB larger than before.")


if __name__ == "__main__":
    main()
