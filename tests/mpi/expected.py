"""What each program sends, derived by hand; the comments of the programs say where each number comes from."""

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
