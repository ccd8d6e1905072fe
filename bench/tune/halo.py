"""A halo exchange in a ring of ranks and a sum over all of them, with mpi4py: halo.py ROUNDS"""

import array
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()
following, previous = (rank + 1) % ranks, (rank - 1) % ranks
halo, received = bytearray(1 << 14), bytearray(1 << 14)
cells = array.array("d", range(2000))
for _ in range(int(sys.argv[1])):
    world.Sendrecv(halo, dest=following, recvbuf=received, source=previous)
    world.Sendrecv(halo, dest=previous, recvbuf=received, source=following)
    total = array.array("d", [sum(cells)])
    world.Allreduce(MPI.IN_PLACE, [total, MPI.DOUBLE])
if rank == 0:
    print(f"{ranks} ranks, sum {total[0]:g}")
