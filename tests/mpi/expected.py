"""What each program sends, derived by hand; the comments of the programs say where each number comes from."""

import csv
import pathlib
import pickle
import subprocess

from traffic import NEIGHBOURHOOD, ONE_SIDED, Traffic


def blocking(mpi):
    traffic = Traffic(4)
    traffic.ring(10, 20, 30, 40)  # modes
    traffic.collective("Barrier", calls=4)  # before Rsend, after modes, twice around both_ways
    traffic.send(0, 3, 0, times=3)  # empty
    traffic.ring(64, 20)  # both_ways
    for rank in range(4):
        traffic.send(rank, rank, 7)
        if rank < 3:
            traffic.send(rank, rank + 1, 3)
    traffic.send(1, 0, 11)  # probes
    traffic.send(2, 0, 12)
    traffic.send(3, 0, 13)
    traffic.send(3, 0, 14)
    traffic.send(3, 1, 1 << 20)  # long_and_many
    traffic.send(0, 1, 8, times=1000)
    return traffic


def nonblocking(mpi):
    traffic = Traffic(4)
    traffic.ring(1, 2, 4, 8)
    traffic.collective("Barrier")
    traffic.ring(32, 33, 34, times=8)  # eight ways to complete a round
    traffic.ring(50)
    for rank in range(4):
        traffic.send(rank, rank, 9)
    if mpi.has_mpi_4_calls:
        traffic.ring(60, 16)
    return traffic


def persistent(mpi):
    traffic = Traffic(4)
    traffic.ring(100, 10, 1, 1000, times=3, persistent=True)
    traffic.ring(5, 6, persistent=True)
    traffic.collective("Barrier", calls=4)
    return traffic


def datatypes(mpi):
    traffic = Traffic(4)
    traffic.ring(48, 120, 48, 24)  # vectors
    traffic.ring(92, 12, 24, 6, 24, 0)  # struct, indexed, hindexed, indexed_block, subarray, nothing
    traffic.ring(12, 6, 8, 16)  # types of the library
    traffic.ring(*(4 * i for i in range(1, 11)))
    traffic.ring(36)
    traffic.ring(72, times=2, persistent=True)
    traffic.ring(40, 12)
    return traffic


def neighbourhood(mpi):
    traffic = Traffic(6)

    def all_calls(neighbours_of):
        """Blocking and non-blocking: 8 and 4 (r + 1) bytes to all, then 3, 5 and 3 shorts to each."""
        for rank in range(6):
            for to in neighbours_of(rank):
                for size in (8, 4 * (rank + 1), 3, 5, 6):
                    traffic.send(rank, to, size, times=2, kind=NEIGHBOURHOOD)

    def grid(x, y, x_is_ring, y_is_ring):
        """Neighbours below and above in each direction; rank = column + y * row."""
        def neighbours_of(rank):
            row, column = divmod(rank, y)
            for step in (-1, 1):
                if x_is_ring or 0 <= row + step < x:
                    yield (row + step) % x * y + column
            for step in (-1, 1):
                if y_is_ring or 0 <= column + step < y:
                    yield row * y + (column + step) % y
        all_calls(neighbours_of)

    grid(3, 2, True, True)
    grid(6, 1, False, True)
    grid(2, 3, False, False)
    all_calls(lambda rank: [(rank + 1) % 6, (rank + 2) % 6])
    for rank in range(6):
        after, second, before = (rank + 1) % 6, (rank + 2) % 6, (rank + 5) % 6
        traffic.send(rank, after, 1 + rank, kind=NEIGHBOURHOOD)
        traffic.send(rank, second, 10, kind=NEIGHBOURHOOD)
        traffic.send(rank, before, 2, kind=NEIGHBOURHOOD)  # Dist_graph_create
        for to in (before, after):
            traffic.send(rank, to, 1, kind=NEIGHBOURHOOD)  # Graph_create
            if mpi.has_mpi_4_calls:
                traffic.send(rank, to, 7, times=2, kind=NEIGHBOURHOOD)
    return traffic


def onesided(mpi):
    traffic = Traffic(4)
    traffic.collective("Barrier")
    for rank in range(4):
        target = (rank + 1) % 4
        there = [40, 12, 8, 8, 4, 6, 6, 4, 4, 9, 15]
        back = [40, 8, 16, 8, 8, 4, 7, 4]
        for size in there:
            traffic.send(rank, target, size, kind=ONE_SIDED)
        for size in back:
            traffic.send(target, rank, size, kind=ONE_SIDED)
        traffic.send(target, rank, 8)  # each tells the previous its address
    traffic.send(3, 1, 11, times=2, kind=ONE_SIDED)
    traffic.send(3, 0, 13, times=2, kind=ONE_SIDED)
    return traffic


def collectives(calls, overlapping=False):
    """`calls`: how often each is done; persistent ones are started twice."""
    def of(mpi):
        traffic = Traffic(5)
        members = range(5)

        def regular(call, *sizes, root=None):
            for size in sizes:
                traffic.collective(call, size, root, calls=calls)

        def irregular(call, size_of, root=None):
            if root is None and not call.startswith("Alltoall"):
                sizes = {(m, m): size_of(m) for m in members}
            elif call == "Gatherv":
                sizes = {(m, root): size_of(m) for m in members}
            elif call == "Scatterv":
                sizes = {(root, m): size_of(m) for m in members}
            else:
                sizes = {(i, j): size_of(i, j) for i in members for j in members}
            traffic.irregular(call, sizes, root, calls=calls)

        regular("Barrier", 0)
        regular("Bcast", 40, root=3)
        regular("Scatter", 6, root=1)
        regular("Scatter", 7, root=0)
        irregular("Scatterv", lambda m: 8 * (m + 1), root=2)
        irregular("Scatterv", lambda m: 3 * (m + 1), root=3)
        regular("Gather", 12, root=1)
        regular("Gather", 20, root=2)
        irregular("Gatherv", lambda m: 4 * (m + 1), root=4)
        irregular("Gatherv", lambda m: 2 * m, root=1)
        regular("Reduce", 28, root=4)
        regular("Reduce", 24, root=0)
        regular("Allgather", 16, 12)
        irregular("Allgatherv", lambda m: 4 * m)
        irregular("Allgatherv", lambda m: m + 1)
        regular("Alltoall", 4, 8)
        irregular("Alltoallv", lambda i, j: 4 * (i + j))
        irregular("Alltoallv", lambda i, j: i + j)
        irregular("Alltoallw", lambda i, j: 2 * (i + 1) * (j + 1))
        irregular("Alltoallw", lambda i, j: i + j + 1)
        regular("Allreduce", 72, 4, 12)
        irregular("Reduce_scatter", lambda m: 4 * (m + 1))
        irregular("Reduce_scatter", lambda m: 8 * (m + 1))
        regular("Reduce_scatter_block", 12, 8)
        regular("Scan", 16, 20)
        regular("Exscan", 24, 28)
        if overlapping:
            traffic.collective("Bcast", 100, root=0, calls=2)
            traffic.collective("Allreduce", 4)
            traffic.collective("Barrier")
        return traffic
    return of


def communicators(mpi):
    traffic = Traffic(6)

    def use(members, sender, receiver, size):
        traffic.send(sender, receiver, size)
        traffic.collective("Allreduce", 4, members=members)

    everybody = range(6)
    use(everybody, 0, 5, 10)
    use(everybody, 0, 5, 11)
    use(everybody, 0, 5, 12)
    use([4, 2, 0], 4, 2, 20)
    use([5, 3, 1], 5, 3, 20)
    use([0, 2], 0, 2, 21)
    use([1, 3], 1, 3, 21)
    use(everybody, 1, 4, 30)
    use([0, 1, 2], 0, 2, 31)
    use([3, 4, 5], 3, 5, 31)
    for column in range(3):
        use([column, column + 3], column, column + 3, 32)
    use([5, 0, 3], 5, 0, 40)
    use([5, 0, 3], 5, 0, 41)
    use(everybody, 1, 2, 50)
    for i in range(1, 6):
        use([0, i], 0, i, 60 + i)
    traffic.send(4, 1, 70)
    traffic.send(1, 4, 71)
    traffic.send(2, 3, 72)
    traffic.send(3, 2, 72)
    use([5, 3, 1, 4, 2, 0], 5, 0, 73)
    for rank in everybody:
        traffic.send(rank, rank, 80)
    traffic.send(0, 1, 90)
    return traffic


def large(mpi):
    traffic = Traffic(2)
    traffic.send(0, 1, 4400 << 20)
    if mpi.has_large_counts:
        traffic.send(0, 1, 100, times=2)
        for rank in range(2):
            traffic.send(rank, 1 - rank, 100, times=3)
            traffic.send(rank, 1 - rank, 102, kind=ONE_SIDED)
            traffic.send(rank, 1 - rank, 24)
        traffic.collective("Bcast", 101, root=1, calls=2)
        traffic.collective("Allreduce", 16)
        traffic.irregular("Alltoallv", {(i, j): 3 for i in range(2) for j in range(2)})
    return traffic


def threads(mpi):
    traffic = Traffic(4)
    for thread in range(4):
        traffic.ring(8 * (thread + 1), times=2 * 50)
        traffic.collective("Barrier", calls=20)
    return traffic


def of_pattern(pattern, ranks, collectives=()):
    """The pairs of `topoloom generate`, messages and bytes, and these collectives (call, bytes, root, calls)."""
    def of(mpi):
        path = pathlib.Path(mpi.folder) / f"{mpi.case.name}.csv"
        subprocess.run(
            [mpi.binary, "generate", pattern, "--output", str(path)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        traffic = Traffic(ranks)
        traffic.size_classes = None  # the pattern knows sums only
        with open(path, newline="") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                traffic.flows[int(row["from"]), int(row["to"]), 0] = [int(row["messages"]), int(row["bytes"])]
        for call, size, root, calls in collectives:
            traffic.collective(call, size, root, calls=calls)
        return traffic
    return of


# NPB LU: the input, norms and sums, and a barrier before each of its two runs.
LU_COLLECTIVES = [
    ("Bcast", 4, 0, 7), ("Bcast", 8, 0, 2), ("Bcast", 40, 0, 1),
    ("Allreduce", 40, None, 5), ("Allreduce", 8, None, 5), ("Barrier", 0, None, 2),
]
CG_COLLECTIVES = [("Bcast", 4, 0, 1), ("Barrier", 0, None, 1), ("Reduce", 8, 0, 1)]


def fortran_mpi(mpi):
    traffic = Traffic(4)
    for even in (0, 2):
        traffic.send(even, even + 1, 80)
        traffic.send(even + 1, even, 40)
    traffic.ring(24, 16)
    traffic.ring(4, 8, 12, times=6)
    traffic.ring(32, times=2, persistent=True)
    traffic.ring(24, 20)
    traffic.ring(11, 48, 8)
    for members in ([2, 0], [3, 1]):
        traffic.send(*members, 36)
        traffic.collective("Allreduce", 8, members=members)
    traffic.collective("Barrier")
    return traffic


def fortran_mpifh(mpi):
    traffic = Traffic(4)
    members = range(4)
    traffic.collective("Bcast", 40, root=2, calls=5)
    traffic.collective("Gather", 12, root=1)
    traffic.collective("Gather", 16, root=3)
    traffic.collective("Scatter", 20, root=0)
    traffic.collective("Allgather", 8)
    traffic.collective("Allgather", 12)
    traffic.irregular("Gatherv", {(m, 2): 4 * (m + 1) for m in members}, root=2)
    traffic.irregular("Allgatherv", {(m, m): 4 * (m + 1) for m in members})
    traffic.collective("Alltoall", 4, calls=2)
    traffic.irregular("Alltoallv", {(i, j): 4 * (i + j) for i in members for j in members})
    traffic.collective("Reduce", 28, root=3)
    traffic.collective("Allreduce", 8)
    traffic.collective("Allreduce", 4)
    traffic.collective("Scan", 16)
    traffic.collective("Exscan", 20)
    traffic.irregular("Reduce_scatter", {(m, m): 4 * (m + 1) for m in members})
    traffic.collective("Reduce_scatter_block", 12)
    traffic.collective("Barrier")
    return traffic


def fortran_f08(mpi):
    traffic = Traffic(4)
    for even in (0, 2):
        traffic.send(even, even + 1, 40)
    traffic.ring(24)
    traffic.ring(4, 8, 12, times=4)
    traffic.ring(16, times=3, persistent=True)
    traffic.ring(16, 24)
    for members in ([2, 0], [3, 1]):
        traffic.send(*members, 36)
        traffic.collective("Bcast", 12, root=1, members=members)
        traffic.collective("Allreduce", 8, members=members)
    traffic.collective("Barrier")
    for rank in range(4):
        after, before = (rank + 1) % 4, (rank + 3) % 4
        traffic.send(rank, after, 20, kind=NEIGHBOURHOOD)
        traffic.send(rank, before, 20, kind=NEIGHBOURHOOD)
        traffic.send(rank, after, 28, kind=NEIGHBOURHOOD)
        traffic.send(rank, after, 12, kind=ONE_SIDED)
        traffic.send(after, rank, 8, kind=ONE_SIDED)
    return traffic


def python_buffers(mpi):
    traffic = Traffic(4)
    traffic.ring(10, 20, 30)
    traffic.ring(40, times=3, persistent=True)
    traffic.ring(24)
    traffic.collective("Bcast", 50, root=3)
    traffic.collective("Allreduce", 8, calls=2)
    traffic.collective("Gather", 6, root=2)
    traffic.irregular("Allgatherv", {(m, m): 4 * (m + 1) for m in range(4)})
    traffic.collective("Barrier", calls=2)
    for members in ([2, 0], [3, 1]):
        traffic.send(*members, 60)
        traffic.collective("Barrier", members=members)
    for rank in range(4):
        after, before = (rank + 1) % 4, (rank + 3) % 4
        traffic.send(rank, after, 7, kind=NEIGHBOURHOOD)
        traffic.send(rank, before, 7, kind=NEIGHBOURHOOD)
        traffic.send(rank, after, 11, kind=ONE_SIDED)
        traffic.send(after, rank, 12, kind=ONE_SIDED)
    return traffic


def python_objects(mpi):
    """The same interpreter pickles the same way here."""
    traffic = Traffic(4)
    for message in ({"numbers": list(range(100)), "text": "x" * 1000}, "y" * 50):
        traffic.ring(len(pickle.dumps(message, pickle.HIGHEST_PROTOCOL)))
    return traffic


def oddities(mpi):
    traffic = Traffic(4)
    traffic.ring(10, 20, 30, 40, 50)
    return traffic


def sessions(mpi):
    traffic = Traffic(4)
    traffic.ring(10)
    traffic.collective("Allreduce", 4)
    return traffic
