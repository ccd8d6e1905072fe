"""One line per rank through mpi4py: rank, and the rank that the launcher gave; and what world means there."""

import os

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
given = next(os.environ[name] for name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK") if name in os.environ)
assert world.sendrecv(rank, (rank + 1) % size, source=(rank - 1) % size) == (rank - 1) % size
assert world.allgather(rank) == list(range(size))
assert world.Get_name() == "MPI_COMM_WORLD"
assert world.Get_attr(MPI.TAG_UB)
assert MPI.Comm.Compare(world, world) == MPI.IDENT
assert world.Split(0, -rank).Get_rank() == size - 1 - rank
assert world.Dup().Get_rank() == rank
back = MPI.Comm.f2py(world.py2f()) if hasattr(MPI.Comm, "f2py") else world
assert back == MPI.COMM_WORLD and back.Get_rank() == rank
lines = world.gather(f"rank {rank} launched {given}")
if rank == 0:
    print(*lines, sep="\n", flush=True)
